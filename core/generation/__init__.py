"""From logits to text: sampling, the key-value cache, the loop."""
