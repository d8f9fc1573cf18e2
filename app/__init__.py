"""The window: Qt only; torch only inside `app.workers`."""
