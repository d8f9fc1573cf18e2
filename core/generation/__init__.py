"""From logits to text: sampling, the window that slides, the loop."""
