"""Tell how near a request is to SOPs in meaning, by the model that recall uses.

The vectors of the SOPs' texts are kept in `sops/.vectors.npz`. It is derived: it may be deleted at
any time; a damaged or unwritable one is done without.
"""

from __future__ import annotations

import hashlib
import os
import re
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memory.sops import Sop
from models.embeddings import EmbeddingError
from replay.wordings import SLOT

if TYPE_CHECKING:
    from models.embeddings import Embedder, Vectors

FILE = ".vectors.npz"
WORDINGS = 3  # of an SOP that are compared
MOST_NEW = (
    100  # texts of which vectors are made while somebody waits; the others come with later requests
)
_VALUE = re.compile(r"[~/][\w./-]+|\b[\w.-]*\d[\w.-]*\b")  # says nothing of what is to be done


def nearness(request: str, sops: Sequence[Sop], embedder: Embedder) -> dict[str, float]:
    """Return the cosine of each SOP's nearest text and the request, by name; empty where there are
    no vectors."""
    texts = {sop.name: _texts(sop) for sop in sops}
    folder = next((sop.folder.parent for sop in sops if not sop.is_seed), None)
    try:
        known = _vectors(texts, folder, embedder)
        asked = embedder.embed([_VALUE.sub(" ", request)], is_awaited=True)[0]
    except EmbeddingError:  # the endpoint is down: words and values decide
        return {}
    return {
        name: max(float(known[key] @ asked) for key in keys)
        for name, each in texts.items()
        if (
            keys := [
                _key(text, embedder.name) for text in each if _key(text, embedder.name) in known
            ]
        )
    }


def _texts(sop: Sop) -> list[str]:
    wordings = sop.procedure.wordings[:WORDINGS] if sop.procedure else ()
    spoken = [
        SLOT.sub(lambda slot: f" {slot[0].strip('{}').split(':')[0]} ", each.text)
        for each in wordings
    ]
    return [text for text in (sop.description, *spoken) if text.strip()]


def _vectors(
    texts: Mapping[str, Sequence[str]], folder: Path | None, embedder: Embedder
) -> dict[str, Vectors]:
    """Return vectors by key: those that are kept, and up to MOST_NEW new ones."""
    kept = _read(folder / FILE) if folder else {}
    wanted = {_key(text, embedder.name): text for each in texts.values() for text in each}
    new = [key for key in wanted if key not in kept][:MOST_NEW]
    if not new:
        return kept
    made = embedder.embed([wanted[key] for key in new], is_awaited=True)
    kept = {key: kept[key] for key in wanted if key in kept} | dict(zip(new, made, strict=True))
    if folder:
        _write(folder / FILE, kept)
    return kept


def _key(text: str, model: str) -> str:
    return hashlib.blake2b(
        f"{model}\0{text}".encode("utf-8", "replace"), digest_size=12
    ).hexdigest()


def _read(file: Path) -> dict[str, Vectors]:
    import numpy as np

    try:
        with np.load(file, allow_pickle=False) as held:
            return dict(zip(held["keys"].tolist(), held["vectors"], strict=True))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return {}


def _write(file: Path, kept: Mapping[str, Vectors]) -> None:
    import numpy as np

    beside = file.with_name(f"{file.name}.{os.getpid()}")
    with suppress(OSError):
        with beside.open("wb") as out:
            np.savez(out, keys=np.array(list(kept)), vectors=np.stack(list(kept.values())))
        beside.replace(file)
