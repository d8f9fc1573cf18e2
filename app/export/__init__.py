"""Every view as a picture: drawn anew for a width, for the screen or for a paper."""
