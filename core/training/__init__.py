"""Training as an ordinary program: `python -m core.training RUN_DIR`."""
