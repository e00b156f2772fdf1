"""Autonomous mode: what is worked off while the owner is away."""
