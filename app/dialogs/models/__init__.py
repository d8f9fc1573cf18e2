"""Models: those that lie on this computer, and a card about the open one."""
