"""Prints the accessibility snapshots that Playwright makes of pages, as JSON: the measure beside
web_scan (bench/browser.py).

A program of its own, since Playwright is no part of Sopwith: it runs with any Python that has the
package.
"""

from __future__ import annotations

import importlib
import json
import sys
import time


def main(program: str, addresses: list[str]) -> None:
    """`program`: the browser; prints a list of [snapshot, seconds]."""
    found = []
    with importlib.import_module("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        for address in addresses:
            page.goto(address)
            page.wait_for_timeout(200)
            started = time.perf_counter()
            text = page.locator("body").aria_snapshot(mode="ai")
            found.append([text, time.perf_counter() - started])
        browser.close()
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
