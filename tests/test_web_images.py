"""A picture that is pasted into the page reaches a model by each of the three protocols."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from tests.providers import Family, Provider
from tests.serving import Served
from tests.window import Window

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# one red pixel
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
SCRIPTS: dict[str, list[Any]] = {"nobody": ["Not asked."]}
THOUGHT = {"encrypted_content": "x==", "signature": "s==", "thinking": "Look."}
PASTE = """(field, bytes) => {
  const clipboardData = new DataTransfer();
  for (let n = 0; n < 2; n++)
    clipboardData.items.add(new File([Uint8Array.from(bytes)], 'image.png', {type: 'image/png'}));
  field.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true}));
}"""


def pictures(value: Any) -> list[str]:
    """Return the base64 of every picture in a request, however its protocol writes it."""
    if isinstance(value, list):
        return [found for each in value for found in pictures(each)]
    if not isinstance(value, dict):
        return []
    if value.get("type") == "base64":
        return [value["data"]]
    urls = [value.get("image_url"), value.get("url")]
    here = [
        url.partition(",")[2] for url in urls if isinstance(url, str) and url.startswith("data:")
    ]
    return here + [found for each in value.values() for found in pictures(each)]


@pytest.mark.parametrize("wire", ["chat", "responses", "messages"])
def test_pasted_pictures_reach_the_model(browser: Browser, site: Served, wire: str) -> None:
    family = Family(wire, wires=(wire,), attached=THOUGHT, is_echoed=False)
    with Provider(family) as provider:
        _add_model(site, wire, provider.base_url)
        window = Window(browser, site.origin).enter(site.token)
        window.find("#composer").evaluate(PASTE, list(PICTURE))
        window.expect(window.find(".composer .file img")).to_have_count(2)
        window.page.get_by_role("combobox", name="Model").select_option(wire)
        window.find("#composer").fill("What is on these?")
        window.expect(window.button("Send")).to_be_enabled()
        window.page.keyboard.press("Enter")
        window.find(".markdown", has_text="Both are done").wait_for()
        window.expect(window.find(".asks .files img")).to_have_count(2)
        assert provider.refused == []
        assert pictures(provider.requests[0].body) == [base64.b64encode(PICTURE).decode()] * 2
        window.close()


def _add_model(site: Served, wire: str, url: str) -> None:
    """Add a model that speaks this protocol, as the settings page does."""
    kind = "anthropic" if wire == "messages" else "openai"
    model = {"kind": kind, "model": "m", "base_url": url, "api_key": "k", "protocol": wire}
    answer = site.post("/api/settings", {"key": f"models.{wire}", "value": model})
    assert answer.status == 200, answer
