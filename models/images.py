"""Images as endpoints take them: read from files, by their kind, up to a size."""

from __future__ import annotations

import base64
import io
from importlib.util import find_spec
from pathlib import Path

IMAGES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
}
MAX_IMAGE_BYTES = 5_000_000  # what endpoints take


MAX_SIDE = 2000  # pixels; a longer side is made smaller by the provider, or refused


def encoded(path: str) -> tuple[str, str] | None:
    """Return the media type and the base64 text of an image; None for what is gone or no image.

    One that is too large is made smaller where Pillow is installed (extra desktop), else None.
    """
    file = Path(path)
    kind = IMAGES.get(file.suffix.lower())
    try:
        if kind and file.stat().st_size > MAX_IMAGE_BYTES:
            kind, data = "image/jpeg", _smaller(file)
        else:
            data = file.read_bytes() if kind else b""
    except OSError:
        return None
    return (kind, base64.b64encode(data).decode()) if kind and data else None


def _smaller(file: Path) -> bytes:
    """The image as JPEG within MAX_SIDE; empty without Pillow, or for what is no image."""
    if find_spec("PIL") is None:
        return b""
    from PIL import Image

    written = io.BytesIO()
    with Image.open(file) as image:
        image.thumbnail((MAX_SIDE, MAX_SIDE))
        image.convert("RGB").save(written, "JPEG", quality=85)
    return written.getvalue()
