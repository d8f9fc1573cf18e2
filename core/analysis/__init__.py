"""What can be worked out of a trace: head scores, rollout, effect, attribution."""
