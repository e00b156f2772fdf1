"""Tell what a tool that is not ours does, by its name, its arguments and what its server declares; and whether a request asks for it.

An MCP server's tool declares no effects that we could rely on, but its name says what it is for: `get_balance` reads,
`calendar.events.delete` deletes, `发送邮件` sends. A declaration can make a tool more dangerous than its name, never less.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, NamedTuple

from text.patterns import names

Effect = Literal["read", "change", "send", "delete", "spend", "system", "unknown"]
_STRONGER = ("read", "change", "send", "delete", "spend", "system")

# Verbs of tool names. A word is in one row only.
_VERBS: dict[Effect, str] = {
    "read": "get list read search find check view show count fetch lookup look query describe inspect browse retrieve summarize summarise calculate compute"
    " convert translate preview compare validate verify analyze analyse explain filter scan extract parse detect recommend suggest estimate see is has exists"
    " whoami ping peek load download visit navigate crawl scrape grep diff stat tree head tail monitor watch ask recall current",
    "send": "send post reply respond share invite publish forward message email mail tweet retweet upload submit notify dm sms call dial broadcast announce"
    " comment push rsvp fax chat deliver report contact fill type click press",
    "spend": "pay transfer buy order book reserve subscribe tip donate purchase spend checkout wire withdraw deposit trade sell bid invest rent hire charge renew"
    " refund topup redeem lend borrow",
    "delete": "delete remove cancel drop clear unsubscribe archive block erase purge trash destroy wipe discard kick ban empty unfollow unfriend decline reject"
    " terminate truncate close prune rm del leave mute",
    "change": "create update add set edit write move rename schedule reschedule change modify append insert put save make new replace assign copy mark star"
    " label tag pin unpin draft merge patch apply complete rate log record register import export sync attach toggle start stop pause resume open join unarchive"
    " restore format reorder upsert store remember unblock generate accept approve commit turn switch",
    "system": "install uninstall enable disable grant revoke authorize authorise authenticate configure elevate promote demote reset chmod sudo execute exec"
    " run eval invoke deploy reboot restart shutdown kill login logout impersonate unlock provision",
}  # fmt: skip
_VERB_OF: dict[str, Effect] = {
    word: effect for effect, words in _VERBS.items() for word in words.split()
}
# Verbs that are names of things as well: `email_search` searches, `order_status` and `message_list` read.
_ALSO_THINGS = names("message email mail post comment order book report contact call chat tip share draft log record label tag star pin rate copy trade charge rent transfer archive block run export import start head tail tree stat look current new set format store close block patch wire fax text type press click push exec")  # fmt: skip
_THINGS_THAT_READ = {"status", "info", "information", "details", "detail", "history", "stats", "list", "search", "count", "summary"}  # fmt: skip
_MONEY = {"money", "payment", "payments", "funds", "fund", "cash", "transaction", "transfer", "wire", "purchase", "order", "booking", "reservation", "subscription", "donation", "crypto", "bitcoin", "checkout"}  # fmt: skip
_SAID = {"message", "post", "comment", "reply", "tweet", "email", "mail", "invitation", "invite", "announcement", "review", "dm", "sms", "participants", "participant", "attendees", "attendee", "guests", "guest", "member", "members", "collaborator", "collaborators"}  # fmt: skip
_KEYS = {"password", "passwd", "passphrase", "credential", "credentials", "permission", "permissions", "role", "roles", "access", "key", "keys", "token", "tokens", "secret", "secrets", "mfa", "2fa", "security", "profile", "account", "settings", "setting", "config", "configuration", "preferences", "username", "webhook", "webhooks", "policy", "privilege", "privileges", "admin", "firewall", "visibility", "rule", "rules"}  # fmt: skip

_CHINESE: dict[Effect, str] = {
    "read": "获取 列出 读取 阅读 搜索 查找 查看 查询 检查 统计 显示 浏览 检索 计算 翻译 总结 下载 打开网页 抓取 看",
    "send": "发送 发布 发帖 发邮件 发消息 发短信 回复 转发 分享 邀请 上传 通知 提交 评论 群发 寄 告诉 发给",
    "spend": "支付 付款 转账 汇款 购买 下单 预订 预定 预约 订购 订阅 打赏 捐款 捐赠 充值 续费 缴费 买 订酒店 订票 退款",
    "delete": "删除 移除 取消 清空 清除 退订 归档 拉黑 屏蔽 注销 踢出 作废 删掉 去掉",
    "change": "创建 新建 更新 添加 增加 设置 编辑 写入 移动 重命名 安排 修改 更改 改期 保存 追加 记录 标记 复制 改为 改成 推迟",
    "system": "安装 卸载 启用 禁用 停用 授权 授予 撤销 重置 执行 运行 部署 重启 修改密码 改密码 更新资料 修改资料",
}
_CHINESE_KEYS = (
    "密码",
    "权限",
    "角色",
    "资料",
    "账户设置",
    "账号设置",
    "密钥",
    "令牌",
    "安全",
    "个人信息",
)

# Words of a request, beside the verbs above, that ask for an effect.
_ASKS: dict[Effect, str] = {
    "read": "",
    "send": "tell inform write answer thank let remind give text pass ask congratulate apologize apologise sign drop",
    "spend": "send make reservation get settle cover reimburse book",
    "delete": "rid clean unschedule tidy",
    "change": "plan note adjust correct fix postpone shift arrange organize organise enter prepare remind compose invite book include extend shorten delay list convert",
    "system": "change update set give add turn allow let make edit modify replace create switch",
}
_ASKS_CHINESE: dict[Effect, str] = {
    "send": "发|寄|回复|回信|转给|转发|分享|邀请|告诉|通知|上传|评论|提交",
    "spend": r"付|转账|转给|转\s?\d|汇|买|订|预约|捐|充值|续费|缴|购",
    "delete": "删|移除|取消|清|退订|归档|拉黑|踢|扔",
    "change": "建|更新|加|设|编辑|写|移|改|安排|保存|记|标|推迟|提醒|约",
    "system": "装|启用|开启|关闭|授权|重置|改|更新|换",
}
_GROUPS = (
    "event calendar meeting appointment reminder schedule call invite invitation session lunch dinner breakfast",
    "email mail message inbox newsletter draft",
    "message dm channel chat slack",
    "file document doc drive folder note text report list sheet spreadsheet pdf txt",
    "money transaction payment transfer bill rent invoice amount order",
    "hotel room stay accommodation booking reservation",
    "restaurant table booking reservation meal",
    "car rental vehicle booking reservation",
    "flight ticket trip plane booking",
    "password passphrase pin login",
    "user member profile account info information address street city name phone colleague person",
    "webpage page website site url web",
    "task todo issue ticket card item",
    "contact person number",
)
_SYNONYMS: dict[str, set[str]] = {}
for _group in _GROUPS:
    for _word in _group.split():
        _SYNONYMS.setdefault(_word, set()).update(_group.split())
# One question and nothing else: no second part that could ask for something.
_ONLY_WANTS_TO_KNOW = re.compile(
    r"(?:how (?:many|much|long|often|old|far|big)|which|what|who|whose|when|where|why)\b(?!.*\b(?:and|then|please)\b)[^.;:!?,\n]*\?"
    r"|(?!.*(?:把|给|请|帮|并|然后))[^，。；：！？\n]*(?:哪|多少|什么|几|谁|是否)[^，。；：！？\n]*[?？]",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"(?i)\b(all|every(thing|body|one)?|each|both|any|whole|entire)\b|全部|所有|每|都|一切|统统"
)
_TAKES_ALL = names("all every everything bulk batch everyone everybody")
_FILLERS = {"a", "an", "the", "to", "of", "in", "on", "by", "for", "with", "from", "and", "or", "all", "my", "id", "ids", "data", "api", "v1", "v2", "tool", "name", "at", "new", "direct", "create"}  # fmt: skip
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[\u3400-\u9fff]+")

_SAID_WORD = re.compile(r"(?<![\w-])[a-z0-9]+(?![\w-])")  # a kick-off kicks nobody


class Words(NamedTuple):
    """Hold what a tool's name says: the effect, the verbs that said so, and the things it is about."""

    effect: Effect
    verbs: frozenset[str]
    things: frozenset[str]


def read_name(tool: str, hints: Mapping[str, Any] | None = None) -> Words:
    """The meaning of `tool`, perhaps `server.tool`. `hints` are what the server declares (MCP's ToolAnnotations)."""
    found = _read_name(unicodedata.normalize("NFKC", tool)[:200])
    hints = hints or {}
    if found.effect == "unknown" and hints.get("readOnlyHint") is True:
        return found._replace(effect="read")
    if found.effect == "read" and hints.get("readOnlyHint") is False:
        found = found._replace(effect="change")
    if found.effect in ("change", "unknown") and hints.get("destructiveHint") is True:
        return found._replace(effect="delete")
    return found


@cache
def _read_name(tool: str) -> Words:
    own = re.split(r"[.:/]|__", tool.strip("._:/"))
    if len(own) > 1 and not _verbs_in(_split(own[-1])) and not _chinese(own[-1]):
        own = [".".join(own[-2:])]  # `calendar.delete.event`
    words = _split(own[-1])
    if chinese := _chinese(own[-1]):
        return chinese
    verbs = _verbs_in(words)
    things = frozenset(
        _singular(word) for word in words if word not in verbs and word not in _FILLERS
    )
    if not verbs:
        return Words("unknown", frozenset(), things)
    effect = max((_VERB_OF[verb] for verb in verbs), key=_STRONGER.index)
    return Words(_with_thing(effect, words, verbs), frozenset(verbs), things)


def _verbs_in(words: list[str]) -> list[str]:
    """The verbs that count: the first one, and those behind an "and". A name of a thing gives way to a plain verb."""
    at = [place for place, word in enumerate(words) if word in _VERB_OF]
    if not at:
        return []
    plain = [place for place in at if words[place] not in _ALSO_THINGS]
    first = plain[0] if plain and words[at[0]] in _ALSO_THINGS and at[0] == 0 else at[0]
    if not plain and set(words[at[0] + 1 :]) & _THINGS_THAT_READ:
        return ["list"]
    joined = [place + 1 for place, word in enumerate(words[:-1]) if word in ("and", "then", "or")]
    return [words[first], *(words[place] for place in joined if place in at and place != first)]


def _with_thing(effect: Effect, words: list[str], verbs: list[str]) -> Effect:
    """Return what is done to it matters: to create a payment is to pay, to change a password is more than to change a note."""
    rest = [word for word in words if word not in verbs or words.count(word) > 1]
    things = set(rest)
    if effect == "read" or effect == "system":
        return effect
    if effect in ("send", "change") and things & {"money", "payment", "payments", "funds", "cash"}:
        return "spend"
    if effect == "change" and things & _MONEY:
        return "spend"
    if effect == "change" and (
        things & _KEYS or ("user" in things and "to" not in things and "from" not in things)
    ):
        return "system"
    if effect == "change" and (things & _SAID or "user" in things) and set(verbs) & {"create", "add", "make", "new", "write", "put"}:  # fmt: skip
        return "change" if "draft" in things else "send"
    if effect == "delete" and things & {
        "permission",
        "permissions",
        "role",
        "access",
        "mfa",
        "2fa",
    }:
        return "system"
    return effect


def _chinese(name: str) -> Words | None:
    """The verb that comes first, the longest of those; None for a name without Chinese."""
    if not re.search(r"[\u3400-\u9fff]", name):
        return None
    found = [
        (name.index(word), -len(word), effect, word)
        for effect, words in _CHINESE.items()
        for word in words.split()
        if word in name
    ]
    if not found:
        return Words("unknown", frozenset(), frozenset({name}))
    _, _, effect, word = min(found)
    if effect == "change" and any(key in name for key in _CHINESE_KEYS):
        effect = "system"
    thing = name.replace(word, "", 1)
    return Words(effect, frozenset({word}), frozenset({thing}) if thing else frozenset())


def asks_for(request: str, call: Words) -> bool:
    """Return True if the request has a verb of the call's kind, in English or Chinese. One that
    only wants to know has none: "which tickets are open?" opens nothing."""
    if _ONLY_WANTS_TO_KNOW.fullmatch(request.strip()):
        return False
    words = request_words(request)
    kinds = {call.effect, *(_VERB_OF[verb] for verb in call.verbs if verb in _VERB_OF)} - {
        "read",
        "unknown",
    }
    wanted = {word for kind in kinds for word in f"{_VERBS[kind]} {_ASKS[kind]}".split()}
    if words & (wanted | call.verbs):
        return True
    return any(re.search(_ASKS_CHINESE[kind], request) for kind in kinds)


def takes_all(tool: str, request: str) -> bool:
    """Return True if a tool, by its name, takes all there is of a kind, and the request does not speak of all."""
    words = {word.lower() for word in _WORD.findall(tool.rpartition(".")[2])}
    is_all = bool(words & _TAKES_ALL) or bool(re.search("全部|所有|批量", tool))
    return is_all and not _ALL.search(request)


def is_verb(word: str) -> bool:
    """Return True if a word is one that asks for something to be done."""
    return word in _VERB_OF or any(word in said.split() for said in _ASKS.values())


def names_thing(request: str, call: Words) -> bool:
    """Return True if the request speaks of what the call is about: an event, an e-mail, a file."""
    words, things = request_words(request), call.things
    if not things:
        return True
    near = things.union(*(_SYNONYMS.get(thing, set()) for thing in things))
    if words & near or (
        words & call.verbs and not words & _SYNONYMS.keys()
    ):  # "cancel my check-up": it is what it is
        return True
    return bool(re.search(r"[\u3400-\u9fff]", request)) and (
        any(thing in request for thing in things)
        or any(_in_chinese(thing, request) for thing in things)
    )


_THINGS_CHINESE = {
    "email": "邮件 邮箱 信", "event": "日程 会议 日历 活动 提醒 约", "calendar": "日程 会议 日历", "file": "文件 文档 笔记", "message": "消息 信息 短信 私信",
    "money": "钱 款 账", "transaction": "转账 款 账单", "hotel": "酒店 宾馆 房", "restaurant": "餐厅 饭店 位", "car": "车", "password": "密码", "user": "用户 资料 地址 成员 同事",
    "channel": "频道 群", "webpage": "网页 网站", "task": "任务 待办", "contact": "联系人", "note": "笔记", "flight": "机票 航班",
    "order": "订单", "ticket": "工单 票", "issue": "问题", "device": "设备 灯 空调 门", "product": "商品 产品", "customer": "客户 顾客",
}  # fmt: skip


def _in_chinese(thing: str, request: str) -> bool:
    return any(word in request for word in _THINGS_CHINESE.get(thing, "").split())


@cache
def request_words(request: str) -> frozenset[str]:
    """The words of a request with what they may be forms of: "sharing" gives share, "replied" reply."""
    text = unicodedata.normalize("NFKC", request).casefold()
    return frozenset(form for word in _SAID_WORD.findall(text) for form in _forms(word))


def _forms(word: str) -> set[str]:
    forms = {word, _singular(word)}
    for ending, others in (
        ("ing", ("", "e")),
        ("ed", ("", "e")),
        ("es", ("",)),
        ("ies", ("y",)),
        ("ied", ("y",)),
    ):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            forms |= {stem + other for other in others}
            if len(stem) > 3 and stem[-1] == stem[-2]:
                forms.add(stem[:-1])
    return forms


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _split(name: str) -> list[str]:
    """`sendMoneyTo`, `send_money_to`, `send-money-to`: the same three words."""
    return [word.lower() for word in _WORD.findall(name)]
