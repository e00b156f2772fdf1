"""Images as endpoints take them: read from files, by their kind, up to a size."""

from __future__ import annotations

import base64
from pathlib import Path

IMAGES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
}
MAX_IMAGE_BYTES = 5_000_000  # what endpoints take


def encoded(path: str) -> tuple[str, str] | None:
    """The media type and the base64 text of an image; None for a file that is gone, too large or no image."""
    file = Path(path)
    kind = IMAGES.get(file.suffix.lower())
    try:
        data = file.read_bytes() if kind and file.stat().st_size <= MAX_IMAGE_BYTES else b""
    except OSError:
        return None
    return (kind, base64.b64encode(data).decode()) if kind and data else None
