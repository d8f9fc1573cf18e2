"""Windows beside the main one: whatever takes several decisions before it begins."""
