"""What a script says: one reader of bash, one of Python, and the effects of each command over the catalogue in assets/commands/."""
