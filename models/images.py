"""Images as endpoints take them: read from files, by their kind, up to a size."""

from __future__ import annotations

import base64
import io
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

IMAGES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
}
MAX_IMAGE_BYTES = 5_000_000  # endpoints refuse more
MAX_SIDE = 1568  # pixels; endpoints make a longer side smaller, and positions on it move


def encoded(path: str) -> tuple[str, str] | None:
    """Return the media type and the base64 text of an image; None for a file that is gone or no image.

    Pillow (extra desktop) makes a large image smaller. Without it, one of more than MAX_IMAGE_BYTES is None.
    """
    file = Path(path)
    kind = IMAGES.get(file.suffix.lower(), "")
    try:
        data = file.read_bytes() if kind else b""
    except OSError:
        return None
    if find_spec("PIL") is not None:
        kind, data = _fitted(kind, data)
    if not data or len(data) > MAX_IMAGE_BYTES:
        return None
    return kind, base64.b64encode(data).decode()


def _written(image: Image.Image, form: str) -> bytes:
    written = io.BytesIO()
    image.save(written, form)
    return written.getvalue()


def _fitted(kind: str, data: bytes) -> tuple[str, bytes]:
    """Return an image within MAX_SIDE and MAX_IMAGE_BYTES: as it is, smaller, or as JPEG."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as image:
            is_long = max(image.size) > MAX_SIDE
            if not is_long and len(data) <= MAX_IMAGE_BYTES:
                return kind, data
            image.thumbnail((MAX_SIDE, MAX_SIDE))
            smaller = _written(image, "PNG")
            if len(smaller) <= MAX_IMAGE_BYTES:
                return "image/png", smaller
            return "image/jpeg", _written(image.convert("RGB"), "JPEG")
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError):
        return kind, data
