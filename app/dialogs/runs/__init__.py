"""The runs window: what was trained so far, compared in curves and in what it does.

window -> list_page (run_table), compare_page, difference_page; export draws pictures of
the main window's panel over the checkpoints of a run.
"""
