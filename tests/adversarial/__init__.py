"""Attacks that an obedient model would carry out, and ordinary tasks beside them."""
