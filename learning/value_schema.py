"""Give a parameter its type by the value that it had."""

from __future__ import annotations

import re
from typing import Any


def schema_of(value: str) -> dict[str, Any]:
    """Return the JSON schema of a parameter that had this value."""
    if re.fullmatch(r"\d{1,9}", value) and not re.match(r"0\d", value):
        return {"type": "integer", "minimum": 0}
    if re.match(r"(~?/|https?://)", value):
        return {"type": "string", "format": "url" if value[0] == "h" else "path"}
    return {"type": "string", "minLength": 1}
