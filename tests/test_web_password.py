"""The page of a server with a password, in a real browser: it asks for it, and says what is wrong with another."""

import re
from pathlib import Path

from tests.serving import Served, made_home
from tests.window import Window, chromium

PASSWORD = "correct horse battery"


def test_a_wrong_password_is_told_and_asked_for_again(tmp_path: Path) -> None:
    given = tmp_path / "secret"
    given.write_text(PASSWORD)
    given.chmod(0o600)
    home = made_home(tmp_path / "of", [])
    with (
        Served(home, tmp_path / "of" / "cwd", ("--password-file", str(given))) as site,
        chromium() as browser,
    ):
        window = Window(browser, site.origin)
        page = window.page
        page.goto(site.address)
        for wrong in ("wrong horse battery", "another horse battery"):
            page.get_by_label("Password").fill(wrong)
            with page.expect_response(re.compile("/api/sign-in")) as answered:
                page.keyboard.press("Enter")
            assert answered.value.status == 401
            page.get_by_role("alert").get_by_text("That is not the right password.").wait_for()
            assert page.get_by_text("token").count() == 0
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.get_by_text("Nothing is running.").wait_for()  # the overview
        assert all(
            "401" in fault for fault in window.faults
        )  # the browser's own word for each refusal
        window.faults.clear()
        window.close()
