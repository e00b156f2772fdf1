"""Measurements of ours beside others, on this machine: one file a question, one command each."""
