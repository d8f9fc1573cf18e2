"""The window's own parts, the same around every panel: they know the session."""
