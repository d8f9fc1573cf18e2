"""Take a view with you: as a picture, as numbers, as the code that makes them."""
