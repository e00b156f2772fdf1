"""Images as endpoints take them: read from files, by their kind, up to a size."""

from __future__ import annotations

import base64
import io
import math
from importlib.util import find_spec
from pathlib import Path

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
MAX_SIDE, MAX_PIXELS = (
    1568,
    1_150_000,
)  # beyond, endpoints make it smaller, and positions on it move


def encoded(path: str) -> tuple[str, str] | None:
    """Return the media type and the base64 text of an image; None for a file that is gone or no
    image.

    Pillow (extra desktop) makes a large image smaller. Without it, one of more than MAX_IMAGE_BYTES
    is None.
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


def shrink(width: float, height: float) -> float:
    """Return by how much an image of this size is made smaller before it is sent: 1 or more."""
    return max(1.0, max(width, height) / MAX_SIDE, math.sqrt(width * height / MAX_PIXELS))


def _fitted(kind: str, data: bytes) -> tuple[str, bytes]:
    """Return an image as endpoints take it: as it is, or smaller, a photo upright."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as image:
            factor = shrink(*image.size)
            if kind and factor == 1 and len(data) <= MAX_IMAGE_BYTES:
                return kind, data
            form, mode = ("JPEG", "RGB") if kind == "image/jpeg" else ("PNG", "RGBA")
            shown = ImageOps.exif_transpose(image).convert(mode)
            shown.thumbnail((shown.width / factor, shown.height / factor))
            written = io.BytesIO()
            shown.save(written, form)
            return f"image/{form.lower()}", written.getvalue()
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError):
        return kind, data
