"""The doctor tells what is wrong apart, says what would mend it, and shows no key."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from config import Config, Lang, ModelConfig
from memory.journal.api import Memory
from runs.doctor import Check, checks
from tests.conftest import CommandLine
from tests.scripted_server import Answer, ScriptedServer
from tests.site import Asked, Page, site

KEY = "sk-never-to-be-shown-1234567890"
Serve = Callable[..., str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(status=…, body=…, wait=…)` starts an endpoint that knows GET /v1/models and takes one
    key; gives its base_url."""
    with ExitStack() as running:

        def start(
            status: int = 200,
            body: bytes = b'{"data": [{"id": "known"}, {"id": "other"}]}',
            wait: float = 0,
        ) -> str:
            def answer(asked: Asked) -> Page:
                time.sleep(wait)
                may = asked.headers["authorization"] in (f"Bearer {KEY}", None)
                is_let_in = may and asked.path == "/v1/models"
                return Page(body, status=status if is_let_in else 401)

            return f"http://127.0.0.1:{running.enter_context(site(answer))}/v1"

        yield start


def found(home: Path, *models: ModelConfig, lang: Lang = "en") -> dict[str, Check]:
    report = checks(Config(home=home, lang=lang, models=models))
    assert KEY not in repr(report)
    return {check.name: check for check in report}


def endpoint(base_url: str, model: str = "known", key: str = KEY) -> ModelConfig:
    return ModelConfig(name="main", model=model, base_url=base_url, api_key=key)


def test_fresh_machine_is_told_what_to_set(home: Path) -> None:
    report = found(home)
    assert report["python"].ok
    assert report["home"].ok
    assert not home.exists()  # looking makes nothing
    assert report["disk"].ok
    assert report["models"].ok is False
    assert "OPENAI_API_KEY" in report["models"].fix


def test_endpoint_that_serves_the_model_is_fine(home: Path, serve: Serve) -> None:
    check = found(home, endpoint(serve()))["model main"]
    assert (check.ok, check.fix) == (True, "")
    assert "known" in check.detail


@pytest.mark.parametrize(
    ("fields", "model", "key", "ok", "said"),
    [
        ({}, "known", "sk-wrong-key", False, "refuses the key (status 401)"),
        ({"status": 403}, "known", "", False, "wants a key (status 403)"),
        ({}, "unknown", KEY, None, "does not list unknown; it lists known, other"),
        ({"status": 404}, "known", KEY, None, "answers (status 404) and does not list"),
        ({"body": b"<html>"}, "known", KEY, None, "answers (status 200) and does not list"),
        ({"body": b"[" * 100_000}, "known", KEY, None, "does not list"),
        ({"body": b'{"data": [1, {"id": 2}, null]}'}, "known", KEY, None, "does not list"),
        ({"body": b" " * 5_000_000}, "known", KEY, None, "does not list"),
        ({"status": 503}, "known", KEY, False, "is unreachable: 503"),
        ({}, "known", "sk-钥匙", False, "characters that no key has"),
    ],
)
def test_endpoints_that_do_not_serve_are_told_apart(
    home: Path,
    serve: Serve,
    fields: dict[str, object],
    model: str,
    key: str,
    ok: bool | None,
    said: str,
) -> None:
    check = found(home, endpoint(serve(**fields), model, key))["model main"]
    assert (check.ok, said in check.detail) == (ok, True), check


def test_home_that_cannot_serve_is_said(home: Path) -> None:
    home.mkdir()
    (home / "version").write_text("99\n")
    check = found(home)["home"]
    assert check.ok is False
    assert "newer Sopwith" in check.detail


def test_key_in_a_file_that_others_may_read_is_said(home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("{}\n")
    (home / "config.yaml").chmod(0o644)
    model = endpoint("http://127.0.0.1:9/v1")
    assert found(home, model)["privacy"].fix == f"chmod 600 {home / 'config.yaml'}"
    (home / "config.yaml").chmod(0o600)
    assert "privacy" not in found(home, model)


def test_broken_sop_is_named(home: Path) -> None:
    (home / "sops/torn").mkdir(parents=True)
    (home / "sops/torn/SKILL.md").write_text("no front matter")
    check = found(home)["sops"]
    assert check.ok is False
    assert "torn" in check.detail
    assert check.fix == "sopwith sops show torn"


def test_doctor_on_the_command_line(cli: CommandLine, serve: Serve) -> None:
    environ = {"OPENAI_BASE_URL": serve(), "SOPWITH_MODEL": "known", "OPENAI_API_KEY": KEY}
    code, stdout, stderr = cli("doctor", "--json", env=environ)
    assert (code, stderr) == (0, "")
    report = {check["name"]: check for check in json.loads(stdout)["checks"]}
    assert report["model main"]["ok"] is True
    assert report["call main"]["ok"] is False
    assert KEY not in stdout


def test_doctor_asks_a_model_for_a_tool_call(cli: CommandLine) -> None:
    call = {"name": "read_meter", "args": {"room": "kitchen"}, "id": "c1"}
    with ScriptedServer([Answer(calls=[call]), Answer(text="It shows 4711.")]) as server:
        environ = {"OPENAI_BASE_URL": server.base_url, "SOPWITH_MODEL": "m", "OPENAI_API_KEY": KEY}
        _, stdout, _ = cli("doctor", "--json", env=environ)
    report = {check["name"]: check for check in json.loads(stdout)["checks"]}
    assert report["call main"] == {"name": "call main", "ok": True, "detail": "it makes a tool call and reads its result", "fix": ""}  # fmt: skip


def test_journal_says_what_it_holds_what_waits_and_what_would_mend_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert found(home)["journal"] == Check("journal", True, "nothing has been said yet")
    with Memory(home, works_behind=False) as memory:
        memory.write_turn("the printer is broken", who="owner")
        memory.write_turn("打印机坏了", who="owner")
    assert found(home)["journal"].detail.startswith("2 turns; 5 still to be")
    assert found(home, lang="zh")["journal"].detail.startswith("共 2 条")
    (home / "journal/memory.sqlite3").write_bytes(b"no database")
    assert (found(home)["journal"].ok, found(home)["journal"].fix) == (
        False,
        "sopwith memory rebuild",
    )
    assert (found(home)["embeddings"].ok, found(home)["embeddings"].detail) == (
        True,
        "use-multilingual-3",
    )
