"""How what must not be kept reads: orders to an agent, personal data, credentials, general knowledge, projects.

Patterns alone, in English and in Chinese; what follows from them is memory/facts/policy.py's to say. Source: seed 002 §3.
"""

from __future__ import annotations

import re

ADDRESSES = re.compile(  # text that speaks to an agent rather than about a thing
    r"(?i)\b(?:ignore|disregard|forget|override) (?:all |any |the |your |my )*(?:previous|prior|above|earlier|other|system) (?:\w+ )?(?:instructions?|prompts?|rules?|messages?|context)"
    r"|\bsystem prompt\b|\bas an? (?:ai|llm|language model|assistant|agent)\b|\b(?:dear|attention|note to|hey|hello) (?:the )?(?:ai|llm|assistant|agent|model|bot|sopwith)\b"
    r"|\b(?:ai|llm)s? (?:agents?|assistants?|models?) (?:must|should|shall|need to|have to|reading|that read)"
    r"|\b(?:do not|don't|never) (?:tell|inform|mention|reveal|show|ask|alert)\b.{0,40}\b(?:user|owner|human|operator)\b"
    r"|\bwithout (?:asking|telling|informing|notifying)\b.{0,30}\b(?:user|owner|human|anyone|permission)\b"
    r"|\byou are now\b|\bnew instructions?\b|\byour (?:new |real |true )?(?:task|instructions?|goal|rules?) (?:is|are)\b|<\/?(?:system|assistant|instructions?)>|^\s*(?:system|assistant)\s*:"
    r"|\b(?:remember|memorize|save|store|keep) (?:this|the following|that)\b.{0,30}\b(?:memory|always|forever|rule|instruction|fact)"
    r"|(?:忽略|无视|忘记|不要理会|覆盖)(?:之前|以上|上面|先前|前面|所有|一切|你的|系统|的)*(?:指令|提示|规则|要求|说明|设定)"
    r"|系统提示词?|作为(?:一个|一名)?(?:AI|人工智能|语言模型|助手|智能体)|(?:AI|人工智能|智能)(?:助手|代理|模型|体)(?:必须|应当|应该|请|需要)"
    r"|(?:不要|不得|别|禁止)(?:告诉|通知|告知|提醒|询问)(?:用户|主人|人类|任何人)|你现在是|你的新任务|新的?指令|请记住(?:这条|以下|下面)|写入(?:长期)?记忆"
)
ORDER = re.compile(
    r"(?i)^\W*(?:please |you (?:must|should|have to|need to) |always |never |must |do not |don't |make sure |be sure |remember to )"
    r"|^\W*(?:run|execute|send|forward|upload|install|download|delete|email|post|pay|transfer|visit|open|click|reply|copy) "
    r"|^\W*(?:务必|必须|一定要|请|总是|永远|不要|不得|禁止|执行|运行|发送|转发|上传|安装|下载|删除|访问|打开)(?!目录|文件夹|路径|地址|站|源|器|[后的是在到])"
)
DEFINES = re.compile(
    r"(?i)\b(?:is|are) (?:an? |the )?(?:\w+ ){0,3}(?:language|protocol|algorithm|concept|abbreviation|acronym|standard|data structure|programming|capital|planet|version control|operating system|type of|kind of)\b"
    r"|\bstands for\b|\b(?:was|were) (?:first )?(?:released|created|invented|founded|developed|designed) (?:in|by)\b|\bmeans that\b|\bboils at\b"
    r"|是一种|是一款|是一门|的缩写|的简称|(?:由|是).{1,12}(?:发明|创建|开发|设计)的|的首都|通常(?:是|用于|用来)|一般(?:来说|用于)"
)
MISSING = re.compile(
    r"(?i)\b(?:is|are|was) (?:not|n't) (?:installed|available|found|reachable|supported|there|present|running|configured)|\b(?:isn't|aren't) (?:installed|available|reachable|supported|there)"
    r"|\bno (?:such )?(?:\w+ ){1,2}(?:here|on this machine|installed|available)\b|\bdoes(?: not|n't) (?:exist|work|have)\b|\bcannot (?:be )?(?:reach|connect|open|access|resolve)|\bunavailable\b|\bmissing\b"
    r"|未安装|没有安装|没装|不可用|不存在|找不到|无法(?:连接|访问|打开|使用)|不支持|连不上|没有.{0,12}(?:命令|工具|程序|权限)"
)
SAYS_MISSING = re.compile(
    r"(?i)\b(?:not|no|installed|available|found|reachable|supported|missing|unavailable|command)\b"
    r"|未安装|没有安装|安装|没装|不可用|不存在|找不到|没有|命令|工具|程序|这里|本机|这台机器"
)
PROJECT = re.compile(
    r"(?i)\b(?:this|the|our|current) (?:project|repo|repository|codebase|branch|package|crate|module|working (?:folder|directory)|current (?:folder|directory))(?:'s)?\b"
    r"|(?:本|这个|该|当前)(?:项目|仓库|代码库|分支|模块|工程|目录)"
)
PROJECT_FILES = (".git", ".hg", "pyproject.toml", "setup.py", "package.json", "Cargo.toml", "go.mod", "pom.xml", "build.gradle", "CMakeLists.txt", "Gemfile", "composer.json")  # fmt: skip
ACCOUNTS = re.compile(
    r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,4})?\b"  # an IBAN
    r"|(?<![\d.-])(?:\d[ -]?){12,18}\d(?![\d.-])"  # a card: the sum is checked
    r"|(?<!\d)[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?!\d)"  # a Chinese identity card
    r"|(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])"  # a social security number
    r"|(?i:\b(?:account|acct|customer|member|passport|policy|iban|tax)(?: (?:number|no\.?|id|#))?\s*(?:is|[:=#])?\s*)(?=[A-Z]{0,3}\d)[A-Z0-9-]{6,}"
    r"|(?:账号|帐号|账户|卡号|身份证号?|护照号?|银行卡)\s*(?:是|为|[:：=])?\s*[A-Za-z]?\d{6,}[\dXx]?"
)
CONTACTS = re.compile(
    r"(?<![\w.+/:-])(?P<mail>[A-Za-z0-9][\w.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})(?![\w:/])"
    r"|(?<![\d.\w-])(?:\+|00)\d{1,3}[ ()/.-]*(?:\d[ ()/.-]{0,2}){7,12}\d(?![\d.])"
    r"|(?<![\d.\w-])1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?![\d.-])"
    r"|(?<![\d.\w-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\d.-])"
    r"|(?i:\b(?:phone|tel|mobile|fax|whatsapp)\b\.?:?\s*|(?:电话|手机|传真)(?:号码?)?\s*(?:是|为|[:：])?\s*)\+?[\d][\d ()-]{5,}\d"
)
NO_ONES_MAIL = re.compile(r"(?i)^(?:git|hg|svn|no-?reply|root|postgres|admin|user|you|me|name)@|@(?:example\.|localhost|test\.|[\w.-]+\.(?:test|example|invalid|local)$)")  # fmt: skip
CREDENTIAL = re.compile(  # stricter than the redactor: a fact needs no value at all
    r"(?i)(?:\b(?:password|passwd|passphrase|secret|api[ _-]?key|access[ _-]?token|token|pin)\b|密码|口令|密钥|令牌)\s*(?:\w+ ){0,3}?(?:is|are|=|:|：|是|为)\s*[\"'“`]?"
    r"(?!(?:in|at|on|the|a|an|not|no|stored|kept|saved|held|read|set|called|named|under|from|required|needed|used|optional|asked|given|by|valid|empty|managed|here|there|one|what)\b|[$~/]|(?-i:[A-Z][A-Z0-9_]*)\b(?![\w!@#%&*])|存|在|放|由|从|保|不|需|写|环境)"
    r"(?P<value>[^\s\"'“”`，。,;]{3,})"
)
FETCHES = re.compile(r"(?i)\b(?:curl|wget|httpie|lynx|links|w3m|requests\.|urllib|urlopen|httpx|aiohttp|fetch\()|https?://(?!localhost|127\.0\.0\.1)")  # fmt: skip
FETCHING_TOOLS = re.compile(r"^(?:web|browser|http|fetch|mcp|search|page|mail)|\.")
ONLY_SAYS = re.compile(r"(?:echo|printf|print|true|:|cat\s*<<-?)(?![\w-])")
WRITTEN = (
    "content",
    "text",
    "new",
    "new_text",
    "replacement",
    "old",
    "question",
    "candidates",
    "what",
)  # words of the model
LITERAL = re.compile(
    r"(?<![\w}\]).$%*~/-])(?:~|(?=/[\w.-]+/))/[\w./@+-]+|\bhttps?://[\w.:-]+[\w./@+-]*"
)
SYSTEM_PLACES = re.compile(
    r"/(?:dev/(?:null|stdin|stdout|stderr|zero|urandom)|usr/bin/env|(?:usr/)?bin/(?:ba|da|z)?sh)\b"
)


def is_account(text: str) -> bool:
    """Return True if what looks like a number of an account is one; of cards and IBANs the sum must be right."""
    digits = re.sub(r"[ -]", "", text)
    if digits.isdigit() and 13 <= len(digits) <= 19:
        return _luhn(digits) or bool(
            re.fullmatch(r"[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])\d{5}", digits)
        )
    if re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", digits):
        return int("".join(str(int(letter, 36)) for letter in digits[4:] + digits[:4])) % 97 == 1
    return True


def _luhn(digits: str) -> bool:
    doubled = [int(d) * (1 + at % 2) for at, d in enumerate(reversed(digits))]
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0


def is_contact(match: re.Match[str]) -> bool:
    return not (match["mail"] and NO_ONES_MAIL.search(match["mail"]))


def mask(text: str) -> str:
    """Enough of personal data to find it, and no more."""
    text = text.strip()
    return f"{text[:3]}…{text[-2:]}" if len(text) > 6 else "…"
