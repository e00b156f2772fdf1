"""Ends our browser when the last process that uses it has been killed. `python -m tools.browser.watch FOLDER PROFILE PID`.

Whoever uses the browser holds a shared lock on `FOLDER/used`, which the kernel lets go with the process. This process
sleeps until it gets the lock for itself, and imports nothing before.
"""

from __future__ import annotations

import fcntl
import sys
from pathlib import Path


def main() -> None:
    """Returns when there is nothing left to end."""
    folder, profile, pid = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    with (folder / "used").open("ab") as used:
        while True:
            fcntl.flock(used, fcntl.LOCK_EX)
            fcntl.flock(
                used, fcntl.LOCK_UN
            )  # who opens the browser holds the other lock while it waits for this one
            from config import BrowserConfig
            from tools.browser.start import Home

            if Home(folder.parent, "", BrowserConfig(profile=profile)).end_unused(pid):
                return


if __name__ == "__main__":
    main()
