"""What the program ships beside its code: models, lesson texts, icons, examples."""
