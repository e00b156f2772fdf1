"""Check what the owner says that is written down at once, and what only looks like it: English and
Chinese."""

import pytest

from memory.notes import find
from tests.rows import rows

KEPT = {
    "instruction": (
        "Remember that I have a dentist appointment on Friday",
        "remember: the staging server is rebooted every Sunday",
        "Please remember my desk is number 14.",
        "Remember, the intern leaves at noon on Fridays.",
        "Can you remember that my flight is at 8?",
        "could you please note that the printer is on floor 3?",
        "Note: the VPN needs the blue token",
        "Note that my working hours are 9 to 5",
        "Note to self: order new filters in May",
        "Keep in mind that Bob is on leave until June",
        "bear in mind the build machine has only 4 GB",
        "Don't forget that the demo moved to Tuesday",
        "Make a note that the rent went up",
        "Take a note: the alarm code changed",
        "Write this down: invoices go out on the 1st",
        "Save this to memory: the wiki moved to the new host",
        "From now on always answer in German.",
        "from now on, use tabs",
        "Going forward, run the tests before every commit",
        "Use metric units from now on.",
        "In future, ask me before you push.",
        "Always use pnpm instead of npm",
        "Never touch the production database!",
        "Never commit without asking me first",
        "I never want to see emojis in commit messages",
        "Please don't use emojis ever again",
        "Stop adding comments to my code again",
        "Whenever I ask for a report, use the table format",
        "When I say the big box, I mean the server in the cellar",
        "Call me Alex.",
        "Hey, remember that the cat is called Miso",
        "By the way, from now on sign my mails with A.",
        "my dentist is Dr. Ray",
        "记住我明天开会",
        "记住：周五之前要交报告",
        "请记住，我的工位是 14 号",
        "帮我记住这个会议室在三楼",
        "记一下，我后天出差",
        "帮我记一下我下周三要体检",
        "做个笔记：打印机在二楼",
        "备忘：每月一号交房租",
        "我的牙医是李医生",
        "以后都用中文回答",
        "以后不要用表情符号",
        "以后提交前先跑测试",
        "从现在开始用制表符缩进",
        "今后请叫我老王",
        "代码注释以后都写英文",
        "永远不要动生产库",
        "每次提交之前要先跑测试",
        "再也不要自动重启电脑",
        "写进记忆：测试环境每周日重启",
        "叫我小李",
    ),
    "decision": (
        "We decided to use SQLite for the cache",
        "I've decided to move to Berlin in May",
        "We have agreed on weekly releases",
        "Let's go with Postgres for the new service",
        "We're going with FastAPI",
        "Decision: no releases on Fridays",
        "We settled on two reviewers per change",
        "After a long discussion, we decided against microservices",
        "我们决定用 SQLite 做缓存",
        "我决定五月搬去柏林",
        "最后决定用 Postgres",
        "会议决定：暂停招聘",
        "决定：周五不发布",
        "团队商定每周三开例会",
        "经过讨论，我们决定放弃微服务",
    ),
}
NOT_KEPT = tuple(rows(__name__, "not_kept"))


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in KEPT.items() for text in texts]
)
def test_what_should_be_kept_is_found_whole_and_as_it_was_said(kind: str, text: str) -> None:
    assert [(one.kind, one.text, one.is_whole) for one in find(text)] == [(kind, text, True)]


@pytest.mark.parametrize("text", NOT_KEPT)
def test_questions_tasks_quotes_and_trivial_talk_are_not_kept(text: str) -> None:
    assert find(text) == []


def found(text: str) -> list[tuple[str, str, bool]]:
    return [(one.kind, one.text, one.is_whole) for one in find(text)]


def test_beside_a_task_only_the_statement_is_kept() -> None:
    assert found("I hate Redux. Rewrite store.js without it.") == [
        ("preference", "I hate Redux.", False)
    ]
    assert found("List the files in ~/a. From now on always sort them by size.") == [
        ("instruction", "From now on always sort them by size.", False)
    ]
    assert found("Delete a.txt, and remember that I keep no backups") == [
        ("instruction", "remember that I keep no backups", False)
    ]
    assert found("我讨厌 Redux。帮我重写 store.js") == [("preference", "我讨厌 Redux。", False)]
    assert found("列出最大的文件，以后都按大小排序") == [("instruction", "以后都按大小排序", False)]


def test_several_statements_are_kept_one_by_one() -> None:
    assert found("I hate Redux. I prefer Zustand. Thanks!") == [
        ("preference", "I hate Redux.", True),
        ("preference", "I prefer Zustand.", True),
    ]
    assert found("记住我明天开会。我喜欢简短的回答。谢谢") == [
        ("instruction", "记住我明天开会。", True),
        ("preference", "我喜欢简短的回答。", True),
    ]


def test_what_follows_the_colon_of_an_instruction_belongs_to_it() -> None:
    text = "Remember this:\n- the key is under the mat\n- the alarm is off. Is that clear?"
    assert found(text) == [("instruction", text, True)]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("remember that my password is hunter2xyz", "hunter2xyz"),
        ("Remember: api_key=sk-abcdefghijklmnop1234567890", "sk-abcdefghijklmnop1234567890"),
        ("记住我的密码是 hunter2xyz", "hunter2xyz"),
        ("note: my card is 4111 1111 1111 1111", "4111 1111 1111 1111"),
    ],
)
def test_secrets_are_hidden(text: str, secret: str) -> None:
    (one,) = find(text)
    assert secret not in one.text and one.is_whole
