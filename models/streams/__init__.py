"""Bytes into JSON objects, and what a model wrote as arguments into an object: whatever a server
sends."""

from models.streams.arguments import BadArguments, parse_arguments, scrub
from models.streams.sse import NotAnAnswer, chunks, sample

__all__ = ["BadArguments", "NotAnAnswer", "chunks", "parse_arguments", "sample", "scrub"]
