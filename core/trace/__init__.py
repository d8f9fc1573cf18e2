"""What one sentence did inside the model: the steps, the numbers, the arithmetic."""
