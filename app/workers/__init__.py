"""The only threads of the window, and the only place in `app` that may load torch."""
