"""Measure what web_scan makes of pages: bytes and tokens beside their HTML and beside an
accessibility snapshot, what is missing of what a person sees and can press, and time per call.

    python bench/browser.py [--playwright PYTHON] [--json]

The pages lie in bench/browser_pages, as saved from sites of different kinds. What can be pressed is
marked in them by hand (`data-press`); what is seen is each text that the browser has laid out, in
shadow roots and frames too. Both must be in the scan: in the whole one without exception, in the
one that a model is shown but for lists that are cut with a count. PYTHON is one that has the
package playwright; without it that column stays empty.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.path.remove(str(ROOT / "bench")) if str(ROOT / "bench") in sys.path else None

PAGES = ROOT / "bench" / "browser_pages"
CALLS = 7  # of which the median is told
_SEEN = """
const texts = [], collect = root => {
  const nodes = document.createTreeWalker(root.body ?? root, NodeFilter.SHOW_TEXT)
  for (let node; (node = nodes.nextNode());) {
    const parent = node.parentElement ?? root.host, range = document.createRange()
    if (!node.data.trim() || /^(SCRIPT|STYLE|OPTION|NOSCRIPT)$/.test(parent.tagName) || !parent.checkVisibility({visibilityProperty: true})) continue
    range.selectNodeContents(node)
    const box = range.getBoundingClientRect(), clip = parent.getBoundingClientRect()
    if (box.width > 1 && box.height > 1 && clip.width > 1 && clip.height > 1) texts.push(node.data)
  }
  for (const each of (root.body ?? root).querySelectorAll('*')) {
    if (each.shadowRoot) collect(each.shadowRoot)
    if (each.tagName === 'IFRAME' && each.contentDocument) collect(each.contentDocument)
  }
}
collect(document)
return JSON.stringify(texts)
"""
_PRESSED = """
const found = [], collect = root => {
  for (const each of root.querySelectorAll('*')) {
    if (each.hasAttribute('data-press') && each.checkVisibility()) found.push(each)
    if (each.shadowRoot) collect(each.shadowRoot)
    if (each.tagName === 'IFRAME' && each.contentDocument) collect(each.contentDocument)
  }
}
collect(document)
return found.length
"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves the pages without telling about it."""

    def log_message(self, *_: object) -> None:
        pass


def plain(text: str) -> str:
    """Return a text, or a scan without its references, without white space."""
    text = re.sub(r"\]\(e\d{5}[^)]*\)|\(e\d{5}[^)]*\)", "", text)
    return re.sub(r"[\s\[]+|\|", "", text)


def measured(page: Path, base: str, driver: Any, tokens: Any) -> dict[str, Any]:
    """Return the row of one page."""
    driver.scan(f"{base}/{page.name}")
    seconds = []
    for _ in range(CALLS):
        started = time.perf_counter()
        shown = driver.scan()
        seconds.append(time.perf_counter() - started)
    whole = (
        Path(shown.data["whole"]).read_text("utf-8")
        if "whole" in shown.data
        else shown.data["output"]
    )
    seen = json.loads(value(driver.run(_SEEN)))
    there = plain(whole)
    missing = [text.strip() for text in seen if plain(text) not in there]
    pressed = int(value(driver.run(_PRESSED)))
    refs = set(re.findall(r"\((e\d{5})[ )]", whole))
    html, text = page.read_text("utf-8"), shown.as_text()
    return {
        "page": page.stem,
        "html_bytes": len(html.encode()),
        "scan_bytes": len(text.encode()),
        "html": tokens(html),
        "scan": tokens(text),
        "whole": tokens(whole),
        "text_only": tokens(driver.scan(text_only=True).as_text()),
        "texts": len(seen),
        "missing": missing,
        "pressable": pressed,
        "references": len(refs),
        "ms": round(1000 * statistics.median(seconds), 1),
    }


def value(result: Any) -> str:
    """Return the whole value of a script."""
    return (
        Path(result.data["whole"]).read_text("utf-8")
        if "whole" in result.data
        else str(result.data["output"])
    )


def main() -> int:
    """Print the table; return 1 when something that is seen or can be pressed is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--playwright", metavar="PYTHON", help="a Python that has playwright")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    from bench.tokens import encode
    from tests.browser_driving import driver
    from tools.browser.start import program

    def tokens(text: str) -> int:
        return len(encode(text))

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(PAGES)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    pages = sorted(PAGES.glob("*.html"))
    with tempfile.TemporaryDirectory() as folder:
        run = driver(Path(folder), Path(folder) / "home", base)
        rows = [measured(page, base, run, tokens) for page in pages]
        run.ctx.close()
    if options.playwright:
        argv = [
            options.playwright,
            str(ROOT / "bench" / "aria.py"),
            str(program()),
            *(f"{base}/{page.name}" for page in pages),
        ]
        snapshots = json.loads(
            subprocess.run(argv, check=True, capture_output=True, text=True).stdout
        )
        for row, (text, seconds) in zip(rows, snapshots, strict=True):
            row |= {"aria": tokens(text), "aria_ms": round(1000 * seconds, 1)}
    server.shutdown()
    print(
        json.dumps({"pages": rows}, ensure_ascii=False, indent=1) if options.json else table(rows)
    )
    return int(any(row["missing"] or row["references"] < row["pressable"] for row in rows))


def table(rows: list[dict[str, Any]]) -> str:
    """Return the rows for people, with sums and medians below."""
    head = f"{'page':<12}{'HTML B':>9}{'scan B':>8}{'HTML tok':>10}{'aria tok':>10}{'whole':>7}{'scan':>7}{'text':>7}{'pressable':>11}{'texts':>7}{'missing':>9}{'ms':>8}{'aria ms':>9}"
    lines = [head]
    for row in rows:
        found = f"{row['references']}/{row['pressable']}"
        lines.append(
            f"{row['page']:<12}{row['html_bytes']:>9,}{row['scan_bytes']:>8,}{row['html']:>10,}{row.get('aria', ''):>10}{row['whole']:>7,}"
            f"{row['scan']:>7,}{row['text_only']:>7,}{found:>11}{row['texts']:>7}{len(row['missing']):>9}{row['ms']:>8}{row.get('aria_ms', ''):>9}"
        )
        lines += [f"  missing: {' · '.join(row['missing'][:8])}"] if row["missing"] else []
    sums = {key: sum(row.get(key, 0) for row in rows) for key in ("html", "aria", "whole", "scan")}
    lines.append(
        f"all: scan {sums['scan']:,} tokens = {100 * sums['scan'] / sums['html']:.1f} % of the HTML's {sums['html']:,}"
        + (
            f", {100 * sums['scan'] / sums['aria']:.1f} % of the snapshots' {sums['aria']:,}; whole scans {100 * sums['whole'] / sums['aria']:.1f} %"
            if sums["aria"]
            else ""
        )
        + f"; median {statistics.median(row['ms'] for row in rows)} ms a call"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
