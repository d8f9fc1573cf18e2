"""What panels draw: from a trace and a selection to rows, matrices, words."""
