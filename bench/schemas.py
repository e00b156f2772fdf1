"""Tokens of the tool schemas: of the core that every run sends, and of each family that a task may
call for.

python bench/schemas.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.tokens import encode
from tools.registry import all_tools, families
from tools.toolbox import Toolbox


def tokens(schemas: object) -> int:
    """Count the tokens of schemas as a request has them: compact JSON, o200k."""
    return len(encode(json.dumps(schemas, ensure_ascii=False, separators=(",", ":"))))


def main() -> int:
    """Print a line for each, and the cost of all of them together in every request."""
    tools = Toolbox(all_tools())
    rows = [("core", len(tools.schemas), tokens(tools.schemas))]
    for family in families().values():
        rows.append(
            (family.name, len(family.tools), tokens([tools.schema(name) for name in family.tools]))
        )
    for name in families():
        tools.offer(name)
    rows.append(("all together", len(tools.schemas), tokens(tools.schemas)))
    for name, count, size in rows:
        print(f"{name:14}{count:4} tools{size:7,} tokens")
    return 0


if __name__ == "__main__":
    sys.exit(main())
