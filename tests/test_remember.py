"""Check what the owner says that is written down at once, and what only looks like it: English and
Chinese."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from memory.notes.remember import find
from tests.conftest import CHECKOUT

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
        "记住我明天开会",
        "记住：周五之前要交报告",
        "请记住，我的工位是 14 号",
        "帮我记住这个会议室在三楼",
        "记一下，我后天出差",
        "帮我记一下我下周三要体检",
        "做个笔记：打印机在二楼",
        "备忘：每月一号交房租",
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
    "todo": (
        "Remember to call the bank tomorrow",
        "Don't forget to water the plants",
        "别忘了给妈妈打电话",
        "记得明天交房租",
        "不要忘记周五交报告",
    ),
    "preference": (
        "I hate Redux",
        "I really love dark mode",
        "I prefer tabs over spaces.",
        "I don't like long answers",
        "I can't stand pop-ups",
        "I'd prefer short answers",
        "I would rather you asked me first",
        "I like it when answers are short",
        "My favourite editor is Vim",
        "I'm allergic to peanuts",
        "We prefer PostgreSQL for new services",
        "Honestly, I dislike Electron apps",
        "我讨厌 Redux",
        "我喜欢简短的回答",
        "我不喜欢在周五部署",
        "我更喜欢用 Vim",
        "我对花生过敏",
        "比起 npm，我更喜欢 pnpm",
        "我习惯用深色主题",
        "我最喜欢的编辑器是 Vim",
        "其实我受不了弹窗",
        "我从来不喝咖啡",
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
    "lesson": (
        "The lesson is: never deploy on a Friday",
        "Lesson learned: back up before you migrate",
        "I learned today that rsync needs the trailing slash",
        "Turns out the cache was never cleared",
        "The root cause was a stale DNS entry",
        "Debugging today showed that the cache is the bottleneck",
        "TIL: git worktree saves a lot of time",
        "The takeaway is that small changes ship faster",
        "这次调试发现缓存问题",
        "这次部署的教训是要先备份",
        "发现缓存问题的原因是时钟不同步",
        "教训是：迁移之前先备份",
        "经验教训：周五不要部署",
        "根本原因是 DNS 缓存过期",
        "这次排查发现是时区的问题",
        "我学到了 rsync 要加斜杠",
        "原来超时是因为连接池太小",
    ),
}
NOT_KEPT = (
    "do you remember where I put the report?",
    "Do you remember that file?",
    "Remember me?",
    "remember when we set up the old server?",
    "What do you remember about me?",
    "Can you remember what I said yesterday?",
    "What did I decide about the cache?",
    "Should I always use pnpm?",
    "Why do people hate Redux?",
    "I hate Redux, what else could I use?",
    "write a note.txt that says remember the milk",
    "send Bob: I hate Mondays",
    "Tell Bob that I prefer tea",
    "Write an email to Ann: from now on always use the new template",
    "Translate into German: I love dark mode",
    'Print "remember that the door is open"',
    '"I hate Mondays" is a song, who sings it',
    "Summarise this: We decided to use SQLite. I prefer Postgres.",
    "fix the grammar: i hate redux",
    "create a file todo.md with the line: don't forget the milk",
    "append 'always wear a helmet' to rules.txt",
    "grep for 'never again' in ~/logs",
    "count how often the word always occurs in a.txt",
    "rename note.txt to remember.txt",
    "find all files named decision*.md",
    "delete the notes from yesterday",
    "> I hate this",
    "I like it",
    "I love that!",
    "I like your answer",
    "I love you",
    "I hate to bother you, but list the files",
    "I'd like to see the largest files in ~/a",
    "I would like a list of all users",
    "I prefer the second one",
    "I prefer option B",
    "Never mind",
    "never mind that",
    "Always on display: how does it work",
    "Add a remember me checkbox to the login form",
    "Remember me checkbox does not work, fix it",
    "Clean up ~/work. Remember to keep the logs.",
    "Convert a.csv to JSON and don't forget the header",
    "Remember the output in out.txt",
    "make a note of the error codes in errors.log",
    "help me decide which phone to buy",
    "I can't decide between tea and coffee",
    "I discovered that a page is missing, please add it",
    "list the lessons learned in retro.md",
    "take notes.txt and sort it",
    "hello",
    "thanks!",
    "good morning, how are you",
    "what is the weather in the future",
    "Show me what changes in the future?",
    "run the tests again",
    "try again",
    "Don't do that again",
    "the weather is nice today",
    "what does the note say",
    "Explain `remember that x` in this code",
    "disk usage of ~/always",
    "forget it",
    "can you remember things",
    "please remember to be quick when you list the files, list ~/a",
    "learn how to use docker",
    "你还记得我的生日吗",
    "你还记得上次那个文件吗？",
    "你记得我说过什么吗",
    "我以后该用什么框架？",
    "为什么大家讨厌 Redux？",
    "写一个 note.txt，内容是记住买牛奶",
    "告诉小王：我讨厌周一",
    "给老板发邮件说我们决定推迟发布",
    "把“我喜欢你”翻译成英文",
    "翻译：我讨厌周一",
    "打印“别忘了带伞”",
    "帮我决定买哪个手机",
    "我喜欢这个",
    "我喜欢你的回答",
    "以后再说",
    "我不喜欢这张图，重新画一张",
    "这个怎么记住密码",
    "查找包含“以后”的文件",
    "整理 ~/work，记得保留日志",
    "记录一下 CPU 温度到 temp.txt",
    "统计 notes.txt 里“总是”出现了几次",
    "每次运行都报错，帮我看看",
    "我发现少了一页，帮我补上",
    "删除昨天的笔记",
    "把经验教训列成表格",
    "总结一下会议：我们决定用 SQLite",
    "你好",
    "谢谢",
    "今天天气不错",
    "再试一次",
    "算了",
    "没关系，不用记",
    "最大的文件是哪个",
    "记事本怎么打开",
    "这个决定对吗",
)


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


def test_a_long_request_is_looked_through_quickly() -> None:
    text = "I hate slow tests. " + "some words, and more: of this and that; " * 5000
    start = time.thread_time()
    find(text)
    find("(" * 20_000 + "remember" + "I always " * 2000 + "'" * 5000)
    assert time.thread_time() - start < 1


def test_a_request_without_a_telling_word_costs_nothing() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from memory.notes.remember import find\n"
        "assert find('largest files in ~/a') == []; import time; start = time.process_time()\n"
        "for _ in range(100): find('the 5 largest files in ~/work please')\n"
        "print((time.process_time() - start) * 10, any('secrets' in name for name in sys.modules if '.' in name))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(CHECKOUT)], capture_output=True, text=True, check=True
    )
    milliseconds, imported = done.stdout.split()
    assert float(milliseconds) < 0.5 and imported == "False"


@pytest.mark.parametrize(
    ("said", "first"),
    [
        ("Remember that my dentist is Dr. Ray", "Remember that my dentist is Dr. Ray"),
        ("Remember that my boss is J. Ray. Then list it", "Remember that my boss is J. Ray."),
        (
            "Note that the flight is at 8 a.m. tomorrow",
            "Note that the flight is at 8 a.m. tomorrow",
        ),
        ("Remember that he said no. Delete the logs", "Remember that he said no."),
        ("Remember that I wake at 8 a.m. Delete the logs", "Remember that I wake at 8 a.m."),
    ],
)
def test_an_abbreviation_ends_no_sentence(said: str, first: str) -> None:
    assert find(said)[0].text == first
