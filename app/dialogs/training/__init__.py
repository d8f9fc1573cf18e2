"""The training studio: a text, a model and a run are chosen here, then watched."""
