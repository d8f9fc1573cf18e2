"""What draws: widgets that know numbers, labels and colours, and no transformers."""
