"""Sizes of the frame that more than one of its parts must know.

The opening page stands where the parts will stand, before they are loaded: it takes its
measures from here, and so do they. Pixels.
"""

PIPELINE_WIDTH, INSPECTOR_WIDTH = 190, 286
"""The side columns of a new window."""
TOKEN_BAR_HEIGHT, STEPPER_HEIGHT = 55, 43
BAR_MARGINS, BAR_SPACING = (14, 8, 14, 8), 10
"""Inside the sentence bar."""
HEADER_HEIGHT = 90
"""Above every panel, the same for every step, so that the panel does not move."""
MIDDLE_MARGINS, MIDDLE_SPACING = (12, 10, 12, 14), 8
"""Around the header and the panel, and between them."""
