"""What can be new in the window: the signals that everybody may connect to.

`Facts` inherits this and adds the state that they tell of.
"""

from PySide6.QtCore import QObject, Signal


class News(QObject):
    """Signals with frozen values, sent on the main thread by the session alone."""

    model_changed = Signal(object)
    """A model is open: its `ModelCard`. The trace of the sentence follows."""

    badge_changed = Signal(object)
    """The open model was held to another program: its `ModelCard`, with a badge."""

    text_changed = Signal(object)
    """What the sentence field shows: str. An object, since Qt's own strings drop lone
    surrogates; set it with the field's signals blocked, or the dropping comes back."""

    target_text_changed = Signal(object)
    """What the field of the target so far shows: str, as an object, too."""

    encoding_changed = Signal(object)
    """Tokens have changed, those of the sentence or of the target so far: `Encoding` of
    the sentence. At once on typing, before any trace."""

    trace_changed = Signal(object)
    """A sentence has been traced: `Trace`; None when there is nothing to trace."""

    selection_changed = Signal(object)
    """Where the reader is: `Selection`."""

    scene_changed = Signal(object)
    """What panels display: `Scene`; None without a trace."""

    viewing_changed = Signal(object)
    """How attention is looked at: `Viewing`."""

    pointed_changed = Signal(object)
    """The mouse is over a cell of two tokens: (query, key); None: over none. For marks
    elsewhere; nothing is drawn anew for it."""

    beside_changed = Signal(object)
    """Another sentence has been traced to be compared: `Trace`; None for none."""

    sampling_changed = Signal(object)
    """How the next token is picked: `Sampling`."""

    is_generating_changed = Signal(bool)
    """Whether the model is writing on."""

    activity_changed = Signal(str)
    """What is being done: "opening the model…", "thinking…", or "" for nothing."""

    timing_changed = Signal(object)
    """Where the trace was made and how long it took: `TraceTiming`."""

    told = Signal(str)
    """Something was done beside what was asked for: a sentence about it."""

    failed = Signal(object)
    """Something went wrong: `ErrorReport`. What was there before stays."""

    opening_progressed = Signal(object, object)
    """How far the opening of a model is: `OpenRequest`, (tensors read, all of them)."""

    timeline_changed = Signal(object)
    """Other checkpoints of the run that the open model is one of: `Timeline`; None: it
    is of no run."""

    too_long_changed = Signal(int)
    """Tokens too many for the model, in either text; 0: both fit. The last trace stays.
    """

    unknown_changed = Signal(str)
    """What the model has no token for: "not in this model's 3 characters: d ?"; "": it
    knows all of both texts. The last trace stays."""
