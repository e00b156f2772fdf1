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
_MARKS = {
    b"\x89PNG": "image/png",
    b"\xff\xd8": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}
MAX_IMAGE_BYTES = 3_900_000  # as base64 the 5 MB beyond which endpoints refuse
MAX_SIDE = 1568  # pixels; endpoints make a longer side smaller, and positions on it move


def encoded(path: str) -> tuple[str, str] | None:
    """Return the media type and the base64 text of an image; None for a file that is gone or no image.

    Pillow (extra desktop) makes a large image smaller. Without it, one of more than MAX_IMAGE_BYTES is None.
    """
    file = Path(path)
    try:
        data = file.read_bytes() if file.suffix.lower() in IMAGES else b""
    except OSError:
        return None
    # endpoints refuse a name that says another kind than the bytes
    kind = next((kind for mark, kind in _MARKS.items() if data.startswith(mark)), "")
    if find_spec("PIL") is not None:
        kind, data = _fitted(kind, data)
    if not kind or len(data) > MAX_IMAGE_BYTES:
        return None
    return kind, base64.b64encode(data).decode()


def _written(image: Image.Image, form: str) -> bytes:
    written = io.BytesIO()
    image.save(written, form)
    return written.getvalue()


def _fitted(kind: str, data: bytes) -> tuple[str, bytes]:
    """Return an image within MAX_SIDE and MAX_IMAGE_BYTES: as it is, smaller, or as JPEG; a photo upright."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as image:
            is_long = max(image.size) > MAX_SIDE
            if kind and not is_long and len(data) <= MAX_IMAGE_BYTES:
                return kind, data
            shown = ImageOps.exif_transpose(image).convert("RGBA")
            shown.thumbnail((MAX_SIDE, MAX_SIDE))
            smaller = _written(shown, "PNG")
            if len(smaller) <= MAX_IMAGE_BYTES:
                return "image/png", smaller
            return "image/jpeg", _written(shown.convert("RGB"), "JPEG")
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError):
        return kind, data
