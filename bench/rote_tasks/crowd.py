"""Soon."""
from collections.abc import Iterator
from random import Random
from typing import Any


def crowd(rng: Random) -> Iterator[Any]:
    yield from ()
