"""What can go wrong, said so that a person can act on it.

Every error that `core` raises on purpose is a `CoreError`. Its text is one sentence
that says what happened, to what, and what to do; the interface shows it as it is.
"""


class CoreError(Exception):
    """A fault a person can understand and mend."""


class ConfigError(CoreError):
    """A field of a configuration has a value that cannot be used. Names the field."""


class TokenizerError(CoreError):
    """A tokenizer file or a text that cannot be used."""


class CheckpointError(CoreError):
    """A model folder or one of its files is missing, damaged or of another kind."""


class DeviceError(CoreError):
    """The asked-for device is not there."""


class TraceError(CoreError):
    """A step, an index or a sentence that the trace cannot serve."""


class MissingWeightError(TraceError):
    """A weight or a way that a trace without a model, or this model, does not have."""


class TrainingError(CoreError):
    """A run that cannot start or cannot go on."""


OUT_OF_MEMORY = ("MemoryError", "OutOfMemoryError")
OUT_OF_MEMORY_TEXTS = ("can't allocate memory", "not enough memory")
"""What torch's CPU says, by system; its error is a plain RuntimeError."""


def is_lack_of_memory(error: BaseException) -> bool:
    """Whether Python, torch's CPU or a GPU ran out of memory."""
    is_named = type(error).__name__ in OUT_OF_MEMORY
    return is_named or any(text in str(error) for text in OUT_OF_MEMORY_TEXTS)
