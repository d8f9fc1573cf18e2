"""The transformer, in reading order: functions, position, norm, attention, ..."""
