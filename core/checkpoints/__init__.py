"""Model folders: one file per family that is read or written."""
