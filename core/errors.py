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


class TrainingError(CoreError):
    """A run that cannot start or cannot go on."""
