"""What turns say of people and things in plain words: statements by rules, in English and Chinese, with no model.

Only what people say is read, not what the agent says, nor what stands in quotes or code; questions say nothing, and what
holds for the hour ("I hate this today") is no preference. What is unclear is left out: a graph that is wrong is worse than
one that is small. Source: seed 003 P5.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memory.fact_words import values
from memory.graph import people
from memory.graph.people import CHINESE, ENGLISH, meant
from memory.graph.shapes import AGENT, LESS, Party, Predicate, Statement, entity
from memory.turns import Turn
from safety.patterns import pattern

MAX_SENTENCE_CHARS = 400  # a longer one is no plain case
MAX_CHARS = 6_000  # of a turn; what stands behind is pasted
MAX_WORDS, MAX_GOAL_WORDS, MAX_CHARACTERS = 5, 10, 12  # of what is liked: a longer one is a sentence
HINT = pattern(
    r"(?i)\b(?:lov|lik|enjoy|ador|prefer|favou?rit|hat|dislik|detest|loath|stand|allerg|fan|fond|passionate|car|goal|dream|ambition|promis|want"
    r"|plan|hop|decid|caus|because|led|mak|afraid|scared|terrified|married|moved|joined|adopted|bought|graduat|start|work|live|born|die|quit|birthday|engaged|named|called|from|matter|mean|into|keen|crazy|intoleran|rather|neither)"
    rf"|\b(?:my|our|[a-z]+['’]s) (?:[\w-]+ )?(?:{ENGLISH})\b"
    rf"|喜欢|爱|偏[好爱]|讨厌|厌恶|反感|受不了|过敏|在乎|在意|关心|目标|梦想|理想|愿望|答应|保证|打算|计划|因为|由于|导致|造成|让我|害怕|结婚|搬|加入|毕业|买了|领养|工作|上班|住|生日|叫|养|引起|担心|牵挂|重视|胜过|想|成为|学会|来自|[\u4e00-\u9fff]人(?=[，。！？,.!?\s]|$)|我们?家?的?(?:{CHINESE})"
)
_FOREIGN = pattern(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”]*”|「[^」]*」|(?<!\w)'[^'\n]*'(?!\w)|^[ \t]*>[^\n]*|\w+://\S+|\[photo:[^\]]*\]",
    re.MULTILINE | re.DOTALL,
)
_SENTENCE = pattern(r"(?:[^.!?。！？\n]|[.](?=\w))+[.!?。！？]*")
_CHINESE_TEXT, _LATIN_TEXT = re.compile("[\u4e00-\u9fff]"), re.compile("[A-Za-z]{2}")
_ASKS = pattern(r"[?？]\s*$|[吗呢][。！!~\s]*$")
_UNSURE = pattern(
    r"(?i)\b(?:if|whether|maybe|perhaps|might|used to|wish|imagine|suppose|pretend|supposedly|allegedly|reportedly|apparently|according to|not that)\b"
    r"|\b(?:they|people|he|she|it|everyone|everybody|some|\w+(?:['’]s)? (?:article|book|report|text|sentence)) (?:say|says|said|think|thinks|claims?|thought|told)\b"
    r"|\b(?:never|didn['’]?t|don['’]?t|wouldn['’]?t|not|can['’]?t) (?:say|said|claim|think|believe|mean|pretend)\b"
    r"|\b(?!I\b)\w+ (?:thinks|believes|claims|reckons|says|said|told|writes|wrote|knows|guesses) \w|\bin (?:the|a|this|that|my) (?:film|movie|book|novel|show|story|game|song|dream|play)\b"
    r"|^\W*(?:please )?(?:translate|rewrite|rephrase|paraphrase|spell|correct|proofread|write|type|say|repeat)\b"
    r"|如果|要是|假如|假设|可能|也许|以前|曾经|好像|听说|据说|没说过|不敢说|不能说|不是说|^\W*(?:请|帮我)?(?:翻译|改写|校对|写一?[句篇段]|复述)"
)
_NOW = pattern(
    r"(?i)\b(?:today|right now|at the moment|currently|tonight|this (?:morning|afternoon|evening|moment|minute)|just now|mood)\b|今天|现在|此刻|刚才|这会儿|今晚|这次|心情"
)
_ALWAYS = pattern(r"(?i)\b(?:always|every|never|whenever|usually|generally)\b|总|一直|从来|每|向来|老是")

_NO_NAME = (
    "I The A An My Our Your His Her Their It This That These Those There Here And But So Or If When While Because Also Then Now Well Yes No Not"
    " Wow Thanks Thank Hey Hi Hello Oh Ok Okay What Who Why How Where Which Everyone Someone Nobody People He She They We You Just Even Maybe Please"
    " Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October November December"
)
_NAME = rf"(?-i:(?!(?:{'|'.join(_NO_NAME.split())})\b)[A-Z][\w-]{{0,24}}[a-z]\w{{0,24}}(?: (?!(?:{'|'.join(_NO_NAME.split())})\b)[A-Z][a-z]\w{{0,24}})?)"
_ROLE = rf"(?:my|our|(?-i:[A-Z][\w-]{{1,40}})['’]s) (?:[a-z-]+ )?(?:{ENGLISH})"
_WHO = rf"(?P<who>{_ROLE}|{_NAME})"
_MUCH = r"(?:(?:really|absolutely|truly|still|just|do|does|also|always|both|especially|particularly|so|totally|definitely|have|has|generally|usually|actually|honestly) )*"
_WHAT = r"(?P<what>[^,;:.!?()\n]+(?:, [\w-]+(?: [\w-]+)?(?=,| and | or ))*(?:,? (?:and|or) [^,;:.!?()\n]+)?)"
_WHAT_LESS, _LESS = r"(?P<what>[^,;:.!?()\n]{1,60}?)", r"(?P<less>[^,;:.!?()\n]+)"
_LOVE_I, _LOVE = "(?:love|like|enjoy|adore|prefer|loved)", "(?:loves|likes|enjoys|adores|prefers)"
_FOND = "(?:(?:a )?(?:big |huge )?fans? of|fond of|into|passionate about|crazy about|keen on)"
_HATE_I = "(?:hate|dislike|detest|loathe|despise|can['’]?t stand|cannot stand|can['’]?t bear|(?:don['’]?t|do not) (?:really |particularly )?(?:like|enjoy)|never liked)"
_HATE = "(?:hates|dislikes|detests|loathes|can['’]?t stand|cannot stand|(?:doesn['’]?t|does not) (?:really |particularly )?(?:like|enjoy))"
_FEELS = {
    **dict.fromkeys(
        [
            "happy",
            "glad",
            "calm",
            "relaxed",
            "peaceful",
            "alive",
            "proud",
            "joyful",
            "better",
            "开心",
            "高兴",
            "快乐",
            "放松",
            "平静",
            "安心",
            "幸福",
        ],
        True,
    ),
    **dict.fromkeys(
        [
            "sad",
            "angry",
            "anxious",
            "nervous",
            "afraid",
            "upset",
            "furious",
            "depressed",
            "stressed",
            "uneasy",
            "sick",
            "mad",
            "worse",
            "难过",
            "伤心",
            "紧张",
            "焦虑",
            "生气",
            "害怕",
            "不安",
            "烦躁",
            "烦",
            "难受",
            "愤怒",
            "崩溃",
        ],
        False,
    ),
}
_FEELING = "|".join(sorted(_FEELS, key=len, reverse=True))
_DID = r"(?:adopted|joined|founded|bought|married|graduated from|moved to|won|quit|got engaged to|got married to)"

_SURE = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜谢邹喻苏潘葛范彭鲁韦马苗方任袁柳史唐薛雷贺倪汤罗毕郝安常于傅康伍余顾孟黄穆萧尹姚邵汪毛戴宋庞熊纪舒项董梁杜阮蓝闵季贾江童颜郭梅林钟徐邱高夏蔡田胡霍万柯卢丁邓洪包左石崔龚程陆翁段侯白赖乔谭温曾沙关欧叶刘龙"
_ZH_NAME = rf"(?:[小老阿][\u4e00-\u9fff]|[{_SURE}][\u4e00-\u9fff]{{1,2}}?|[A-Z][a-z]+)"
_ZH_WHO = rf"(?P<who>我们?家?的?(?:{CHINESE})|{_ZH_NAME}的(?:{CHINESE})|我|{_ZH_NAME})"
_ZH_BEGINS = rf"(?:^|[，。,\s但而])(?:我们?家?的?(?:{CHINESE})(?=[小老阿][^是爱总有]))?"
_ZH_WHO_2 = _ZH_WHO.replace("?P<who>", "?:")
_ZH_WHO_OR_NOT = rf"(?:{_ZH_WHO})?"
_ZH_MUCH = r"(?:真的|真|很|非常|特别|最|超级?|比较|更|一直|都|也|就|挺|还是|其实|从小就?|平时)*"
_ZH_WHAT = r"(?P<what>[^，。！？；：,.!?;:\s“”（）()]+?)(?=了?[，。！？；：,.!?;:\s“”（）()]|了?$|因为|但是?|所以|而且|不过|的时候)"


class _Rule(NamedTuple):
    """How something is said. The groups: `who` (left out: the speaker), `what`, `label` and `emotion`."""

    predicate: Predicate
    pattern: re.Pattern[str]
    is_chinese: bool
    label: str = ""
    confidence: float = 0.7
    lasts: bool = False  # true even of what is said to be today: a relation, an event


def _rule(predicate: Predicate, says: str, label: str = "", confidence: float = 0.7, *, lasts: bool = False) -> _Rule:
    is_chinese = _CHINESE_TEXT.search(says.replace(_FEELING, "")) is not None
    return _Rule(predicate, pattern(says, re.IGNORECASE), is_chinese, label, confidence, lasts)


# fmt: off
_GOES_ON = pattern(rf"(?i)\b(I {_MUCH}(?:{_HATE_I}|{_LOVE_I}) [^,;.!?\n]{{1,60}}?,?) (and|but) ((?:also |really |still )?(?:{_HATE_I}|{_LOVE_I}))(?= [\w'])")
_GOES_ON_ZH = pattern(rf"((?:^|[。！？\n])我{_ZH_MUCH}(?:不(?:太|怎么)?喜欢|喜欢|讨厌|爱|受不了|害怕)[^，。！？\n]{{1,12}}[，,；;](?:但是?|而|却|可是?|也|又)?)(?=(?:很|最|特别|非常|也|更)?(?:不(?:太|怎么)?喜欢|讨厌|喜欢|受不了|害怕))")
_RULES = (
    # relations first: whose name is whose
    _rule("RELATES_TO", rf"\b(?P<who>my|our|{_NAME}['’]s) (?:[a-z-]+ )?(?P<label>{ENGLISH})(?:['’]s name is|,? (?:is|was)? ?(?:called|named)|,| is|) (?P<what>{_NAME})\b", confidence=0.85, lasts=True),
    _rule("RELATES_TO", rf"\b(?P<what>{_NAME})(?:,| is| was) (?P<who>my|our|{_NAME}['’]s) (?:[a-z-]+ )?(?P<label>{ENGLISH})\b(?!['’]s)", confidence=0.85, lasts=True),
    _rule("RELATES_TO", rf"\b(?:I|we) have an? (?:[a-z-]+ )?(?P<label>{ENGLISH}),? (?:called|named) (?P<what>{_NAME})", confidence=0.85, lasts=True),
    _rule("RELATES_TO", rf"(?P<who>我|{_ZH_NAME}的?)(?:们?家?)的?(?P<label>{CHINESE})(?:的名字)?(?:叫做?|名叫|是)(?P<what>{_ZH_NAME}|\w{{2,3}}?)(?=[，。！？,.!?\s]|$)", confidence=0.85, lasts=True),
    _rule("RELATES_TO", rf"(?:^|[，。,\s])(?P<what>{_ZH_NAME}|\w{{2,3}}?)是(?P<who>我|{_ZH_NAME})(?:们?家?)的?(?P<label>{CHINESE})(?=[，。！？,.!?\s]|$)", confidence=0.85, lasts=True),
    _rule("RELATES_TO", rf"(?P<who>我)们?家?的?(?P<label>{CHINESE})(?P<what>[小老阿][^是爱总有\W])(?=(?:很|最|特别|非常|也|一直|都)?(?:喜欢|讨厌|爱|不|住|在|害怕))", confidence=0.85, lasts=True),
    _rule("RELATES_TO", rf"我(?:有|养了?)(?:一?[只条个位名])?(?:\w{{0,2}}的)?(?P<label>{CHINESE})，?(?:名字)?(?:叫做?|名叫)(?P<what>\w{{1,4}}?)(?=[，。！？,.!?\s]|$)", confidence=0.85, lasts=True),
    _rule("RELATES_TO", rf"\b(?:I(?: work|['’]m working| am working|['’]ve worked)|and work) (?:at|for) (?P<what>{_NAME})", "works at", 0.85, lasts=True),
    _rule("RELATES_TO", rf"\b{_WHO} works (?:at|for) (?P<what>{_NAME})", "works at", 0.85, lasts=True),
    _rule("RELATES_TO", rf"\bI(?: live|['’]m living| am living) in (?P<what>{_NAME})", "lives in", 0.85, lasts=True),
    _rule("RELATES_TO", rf"\b{_WHO} lives in (?P<what>{_NAME})", "lives in", 0.85, lasts=True),
    _rule("RELATES_TO", rf"\bI(?: am|['’]m| come) from (?P<what>{_NAME})", "from", lasts=True),
    _rule("RELATES_TO", rf"(?:^|[，。,\s]){_ZH_WHO}现?在(?P<what>[^，。！？,.!?\s在]{{2,12}}?)(?:工作|上班)", "works at", 0.85, lasts=True),
    _rule("RELATES_TO", rf"(?:^|[，。,\s]){_ZH_WHO}(?:现在|一直)?住在(?P<what>[^，。！？,.!?\s]{{2,10}}?)(?=[，。！？,.!?\s]|$)", "lives in", 0.85, lasts=True),
    _rule("RELATES_TO", r"我(?:来自|是)(?P<what>[^，。！？,.!?\s]{2,8}?)人(?=[，。！？,.!?\s]|$)", "from", lasts=True),
    _rule("RELATES_TO", rf"\bI(?:['’]ve| have)?(?: just| finally| recently)? (?P<label>{_DID}) {_WHAT}", "", 0.6, lasts=True),
    _rule("RELATES_TO", rf"(?:^|[，。,\s]){_ZH_WHO}(?:刚刚?|已经|最近|昨天|今天|上周|去年)*(?P<label>买了|领养了|加入了|毕业于|搬到了?)(?:一?[只条个位名台辆套本])?{_ZH_WHAT}", "", 0.6, lasts=True),
    # what is liked better than something else
    _rule("PREFERS", rf"\b(?:I {_MUCH}(?:much )?prefer|{_WHO} {_MUCH}(?:much )?prefers) (?!to\b){_WHAT_LESS} (?:to|over|rather than|instead of|than) {_LESS}", confidence=0.8),
    _rule("PREFERS", rf"\b(?:I {_MUCH}(?:like|love|enjoy)|{_WHO} {_MUCH}(?:likes|loves|enjoys)) {_WHAT_LESS} (?:much |far |a lot )?(?:better|more) than {_LESS}", confidence=0.8),
    _rule("PREFERS", rf"(?:^|[，。,\s但而])(?:(?P<who2>{_ZH_WHO_2}))?(?:比起|相比于?|较之|[和跟与](?=[^，。]{{1,10}}相比))(?P<less>[^，。！？,.!?\s更]{{1,10}}?)(?:来说|相比)?，?{_ZH_WHO_OR_NOT}(?:还是)?更(?:喜欢|偏爱|爱)(?![我你他她它]){_ZH_WHAT}", confidence=0.8),
    _rule("PREFERS", rf"{_ZH_BEGINS}{_ZH_WHO}{_ZH_MUCH}(?:喜欢|偏爱|爱(?=[吃喝看听玩用去]))(?P<what>[^，。！？,.!?\s]{{1,10}}?)(?:胜过|多过|多于|甚于|超过)(?:喜欢)?(?P<less>[^，。！？,.!?\s]{{1,10}})", confidence=0.8),
    # what is not liked, before what is
    _rule("DISLIKES", r"\bI neither (?:like|enjoy|love) (?P<what>[^,;:.!?()\n]+? nor [^,;:.!?()\n]+)"),
    _rule("DISLIKES", r"我既不(?:太|怎么)?(?:喜欢|爱)(?P<what>[^，。！？,.!?\s]{1,10}?)，?也不(?:太|怎么)?(?:喜欢|爱)(?P<more>[^，。！？,.!?\s]{1,10})"),
    _rule("DISLIKES", rf"\bI {_MUCH}{_HATE_I} {_WHAT}"),
    _rule("DISLIKES", rf"\bI(?: am|['’]m) not {_FOND} {_WHAT}"),
    _rule("DISLIKES", rf"\bI(?: am|['’]m) (?:{_MUCH})?(?P<label>allergic to|intolerant to|afraid of|scared of|terrified of) {_WHAT}", confidence=0.85),
    _rule("DISLIKES", rf"\b{_WHO} {_MUCH}{_HATE} {_WHAT}"),
    _rule("DISLIKES", rf"\b{_WHO} is (?:{_MUCH})?(?P<label>allergic to|intolerant to|afraid of|scared of|terrified of) {_WHAT}", confidence=0.85),
    _rule("DISLIKES", rf"{_ZH_BEGINS}{_ZH_WHO}{_ZH_MUCH}(?:不(?:太|怎么|是很)?(?:喜欢|爱)|讨厌|厌恶|反感|受不了|最烦|害怕)(?!我|你|他|她)(?:[吃喝看听玩用去](?=\w))?{_ZH_WHAT}"),
    _rule("DISLIKES", rf"{_ZH_BEGINS}{_ZH_WHO}(?:从来)?不[吃喝]{_ZH_WHAT}"),
    _rule("DISLIKES", rf"{_ZH_BEGINS}{_ZH_WHO}对(?P<what>[^，。！？,.!?\s]{{1,10}}?)(?P<label>过敏)", confidence=0.85),
    _rule("PREFERS", rf"\bI {_MUCH}{_LOVE_I} {_WHAT}"),
    _rule("PREFERS", rf"\bI(?: am|['’]m) {_MUCH}{_FOND} {_WHAT}"),
    _rule("PREFERS", rf"\b{_WHO} {_MUCH}{_LOVE} {_WHAT}"),
    _rule("PREFERS", rf"\b{_WHO} is {_MUCH}{_FOND} {_WHAT}"),
    _rule("PREFERS", r"\bmy (?:absolute |all-time )?(?P<label>favou?rite [a-z]+(?: [a-z]+)?) (?:is|are|was|would be|has to be) (?P<what>[^,;:.!?()\n]+)", confidence=0.85),
    _rule("PREFERS", rf"(?P<who>{_NAME}|my {_ROLE})['’]s (?P<label>favou?rite [a-z]+) (?:is|are) {_WHAT}", confidence=0.85),
    _rule("PREFERS", rf"{_ZH_BEGINS}{_ZH_WHO}{_ZH_MUCH}(?:喜欢|偏爱|偏好|热爱|爱(?=[吃喝看听玩用去]))(?!的|我|你|他|她|它|这|那){_ZH_WHAT}"),
    _rule("PREFERS", rf"我最(?:喜欢|爱)的(?P<label>[^，。！？,.!?\s]{{1,6}}?)是{_ZH_WHAT}", confidence=0.85),
    _rule("PREFERS", r"(?:^|[,;] )(?P<what>[A-Za-z][\w' -]{1,40}?) (?:is|are) my (?:absolute |all-time )?(?P<label>favou?rite [a-z]+)\b", confidence=0.85),
    _rule("PREFERS", r"(?:^|[，。,\s])(?P<what>[^，。！？,.!?\s这那你他她它]{1,10}?)是我最(?:喜欢|爱)的(?P<label>[^，。！？,.!?\s]{1,6}?)(?=[，。！？,.!?\s]|$)", confidence=0.85),
    # what moves somebody again and again
    _rule("CARES_ABOUT", rf"(?P<what>[^,;:.!?()\n]+?) (?:always |usually |never fails? to )?makes? me (?:feel )?(?:so |really |very )?(?P<emotion>{_FEELING})\b"),
    _rule("CARES_ABOUT", rf"(?P<what>[^，。！？,.!?\s]{{1,12}}?)(?:总是?|一直|老是|总会|每次都)让我(?:感到|觉得|很|非常|特别)*(?P<emotion>{_FEELING})"),
    _rule("CARES_ABOUT", rf"\bI {_MUCH}(?:care|worry) (?:deeply |a lot |so much )?about {_WHAT}"),
    _rule("CARES_ABOUT", r"(?P<what>[^,;:.!?()\n]+?) (?:means|matters) (?:a lot|so much|the world|everything) to me\b"),
    _rule("CARES_ABOUT", rf"我{_ZH_MUCH}(?:在乎|在意|关心|担心|牵挂|重视){_ZH_WHAT}"),
    # goals and promises
    _rule("CARES_ABOUT", r"\bmy (?:long[- ]term |biggest |life(?:long)? |main )?(?:goal|dream|ambition)(?: in life| for \w+ \w+)? (?:is|has always been|would be) (?:to )?(?P<what>[^,;:.!?()\n]+)", "goal", 0.85, lasts=True),
    _rule("CARES_ABOUT", rf"\bI {_MUCH}(?:want|hope|plan|intend|dream of|am determined|'ve decided|have decided) (?:to |on )?(?P<what>(?:becom|learn|master|writ(?:e|ing) a|run(?:ning)? a|open(?:ing)? (?:a|my)|found|buil[dt](?:ing)? (?:a|my)|study|quit)[^,;:.!?()\n]*)", "goal", 0.6, lasts=True),
    _rule("CARES_ABOUT", rf"\bI(?:['’]ve| have)? promised (?:{_ROLE} |{_NAME} |you |him |her |them |myself )?(?:to|that I(?:['’]d| would|['’]ll| will)) (?P<what>[^,;:.!?()\n]+)", "promise", 0.85, lasts=True),
    _rule("CARES_ABOUT", rf"我(?:最大)?的(?:长期|人生)?(?:目标|梦想|理想|愿望)(?:一直)?是{_ZH_WHAT}", "goal", 0.85, lasts=True),
    _rule("CARES_ABOUT", r"我(?:一直|很|真的|打算|决定|计划)*(?:想(?:要)?)?(?P<what>(?:成为|学会|学习|考上|开一家|写一本)[^，。！？,.!?\s]+)", "goal", 0.6, lasts=True),
    _rule("CARES_ABOUT", rf"我(?:已经)?(?:答应|保证|承诺)(?:过|了)?(?:我?的?(?:{CHINESE})|{_ZH_NAME}|[你他她]们?)?(?:要|会)?{_ZH_WHAT}", "promise", 0.85, lasts=True),
    # causes
    _rule("CAUSED_BY", r"^\W*(?P<who>[^,;:.!?()\n]{3,60}?) (?:was|were|is|got) caused by (?P<what>[^,;:.!?()\n]+)", confidence=0.8, lasts=True),
    _rule("CAUSED_BY", r"^\W*(?P<what>[^,;:.!?()\n]{3,60}?)(?<!was)(?<!were)(?<!is)(?<!got) (?:caused(?! by)|led to) (?P<who>[^,;:.!?()\n]+)", confidence=0.6, lasts=True),
    _rule("CAUSED_BY", r"(?:^|[，。,\s])(?P<who>[^，。！？,.!?\s]{2,14}?)是(?:由于?|因为)(?P<what>[^，。！？,.!?\s]{2,14}?)(?:引起|造成|导致)的?", confidence=0.8, lasts=True),
    _rule("CAUSED_BY", r"(?:^|[，。,\s])(?P<what>[^，。！？,.!?\s]{2,14}?)(?:导致|造成|引起)了?(?P<who>[^，。！？,.!?\s]{2,14})", confidence=0.6, lasts=True),
)
# fmt: on
_CUT_OFF = pattern(
    r"(?i)\s+(?:because|but|and (?:I|he|she|it|they|we|you|my|have|am|is|was|so)\b|so (?:much|I|we|that|he|she)|when|than|over|like|any ?more|any longer|since|though|although|if|while|who|which|that|too|very much|a lot|as well|more|most|the most|these days|lately"
    r"|in general|anyway|of all|with (?:all )?my|for (?:years|ages|a|the)|to (?:death|bits)|ever since|last|next|yesterday|again|already|now|though|either|instead|at all|every|in (?:my|\d|the)|on (?:my|\w+days?)|from my|at (?:home|work|night))\b.*$"
)
_CUT_OFF_GOAL = pattern(
    r"(?i)\s+(?:because|but|and (?:I|he|she|it|they|we|you|my)\b|so (?:that|I|we)\b|since|though|although|if|while)\b.*$"
)
_LIST = re.compile(
    r"\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or|nor|as well as|&)\s+|、|以及|(?<=[\u4e00-\u9fff])[和与跟及或](?=[\u4e00-\u9fff])"
)
_FIRST = re.compile(r"、|, ")
_PAIR = pattern(
    r"(?i)\b(?:rock and roll|fish and chips|mac and cheese|bread and butter|salt and pepper|black and white|arts and crafts|gin and tonic|bed and breakfast"
    r"|(?:and|or) (?:how|what|when|that|to|then|I|he|she|we|they|it|its?|his|her|their|my|have|has|am|is|are|was|do|can)\b)|和平|和谐|温和|和[尚服弦]|共和|跟踪|及[时格]"
)
LESS_SURE = 0.3  # that it is liked at all, of what something else is liked better than
_THIS_TIME = pattern(r"^(?:这次|那次|本次|这个|那个|这种|那种)(?=\w{2})")
_NOTHING = pattern(
    r"(?i)^(?:it|in|with|by|at|of|on|for|from|about|as|off|out|up|(?:it|they|you|we|i|he|she|that)['’]\w+|to$|this|that|these|those|them|him|her|you|me|us|one|ones|what|how|when|where|who|whom|why|to (?:be|see|know|hear|say|think|do)|your|his|their|its|having|being|getting|going|the (?:idea|way|fact|look|sound|thought|first|second|one|ones|same)|everything|everybody|everyone|anybody|anything|something|nothing|things?|stuff|there|here|so|some|all|more|both|not|myself|yourself|people|a lot)\b"
    r"|^[我你他她它这那什怎谁]|^(?:自己|大家|一下|东西|事情|所有)"
)


def statements(number: int, turn: Turn) -> Iterator[Statement]:
    """What one turn says. `number` is that of the turn in the index."""
    if turn.who == "agent" or not HINT.search(turn.text):
        return
    who = people.speaker(turn)
    seen: set[tuple[str, str, str]] = set()
    for sentence in sentences(turn.text):
        if not HINT.search(sentence) or _UNSURE.search(sentence):
            continue
        for rule, found in _found(sentence):
            for statement in _statements(rule, found, who, number):
                relation = statement.label if rule.predicate == "RELATES_TO" else ""
                key = (statement.subject.key, statement.object.key, relation)
                if key not in seen:
                    seen.add(key)
                    yield statement


def _found(sentence: str) -> Iterator[tuple[_Rule, re.Match[str]]]:
    """What the rules find in a sentence. What a comparison says is not read again as a plain liking."""
    is_passing = _NOW.search(sentence) is not None and not _ALWAYS.search(sentence)
    has = {True: _CHINESE_TEXT.search(sentence) is not None, False: _LATIN_TEXT.search(sentence) is not None}
    compared = 0  # where the last comparison ends
    for rule in _RULES:
        if not has[rule.is_chinese] or (is_passing and not rule.lasts):
            continue
        for found in rule.pattern.finditer(sentence):
            if rule.predicate == "PREFERS" and found.start() < compared:
                continue
            if found.groupdict().get("less"):
                compared = max(compared, found.end())
            yield rule, found


def sentences(text: str) -> list[str]:
    """The sentences of a text that state something in the speaker's own words."""
    own = _FOREIGN.sub(" ", text[:MAX_CHARS])
    own = _GOES_ON_ZH.sub(r"\1我", _GOES_ON.sub(r"\1 \2 I \3", own))
    found = (each.strip() for each in _SENTENCE.findall(own))
    return [each for each in found if 3 < len(each) <= MAX_SENTENCE_CHARS and not _ASKS.search(each)]


def _statements(rule: _Rule, found: re.Match[str], who: Party, number: int) -> Iterator[Statement]:
    """What one match says: of each thing in a list, and of what is liked less than another."""
    said = found.groupdict()
    label = (said.get("label") or rule.label).lower()
    emotion = (said.get("emotion") or "").lower()
    by = said.get("who") or said.get("who2") or ""
    subject = _subject(by, who) if rule.predicate != "CAUSED_BY" else _thing(by, who)
    if subject is None:
        return
    is_taste = rule.predicate in ("PREFERS", "DISLIKES")
    words = [said["what"] or "", said.get("more") or ""]
    is_known = False
    for each in _listed(words) if is_taste else [_FIRST.split(words[0])[0]]:
        object = _thing(each, who, MAX_GOAL_WORDS if label in ("goal", "promise") else MAX_WORDS, is_goal=bool(label))
        if object is None or subject.key == object.key or AGENT in (subject, object):
            continue
        is_known = True
        predicate, called = rule.predicate, label
        if role := people.role_of(label):
            called = role
        elif emotion:
            predicate = "PREFERS" if _FEELS[emotion] else "DISLIKES"
        elif predicate == "PREFERS" and object.key.startswith("@"):
            predicate = "CARES_ABOUT"  # "I love my sister"
        yield Statement(subject, predicate, object, number, called, rule.confidence, emotion)
    for each in _listed([said.get("less") or ""]) if is_known else ():
        object = _thing(each, who)
        if object is not None and subject.key != object.key and not object.key.startswith("@"):
            yield Statement(subject, "PREFERS", object, number, LESS, LESS_SURE)


def _listed(words: Sequence[str]) -> list[str]:
    """The things of a list, each for itself: "onions, leeks or garlic"; some pairs are one thing."""
    whole = [each for each in words if each.strip()]
    return [part for each in whole for part in ([each] if _PAIR.search(each) else _LIST.split(each)) if part.strip()]


def _subject(words: str, who: Party) -> Party | None:
    if words.casefold() in ("", "my", "our", "我", "我的"):
        return who
    plain = words.removesuffix("'s").removesuffix("’s").removesuffix("的")
    spoken = meant(plain, who)
    return spoken.party if spoken else None


def _thing(words: str, who: Party, most: int = MAX_WORDS, *, is_goal: bool = False) -> Party | None:
    """What is liked, cared for, … as a short name; None where it is a pronoun or half a sentence. A goal keeps its when."""
    cut = _CUT_OFF_GOAL if is_goal and most == MAX_GOAL_WORDS else _CUT_OFF
    plain = _THIS_TIME.sub("", cut.sub("", " " + words.strip()).strip())
    if not plain or _NOTHING.match(plain):
        return None
    spoken = meant(plain, who)
    if spoken and spoken.role:
        return spoken.party
    if not plain.isascii() and len(plain) > MAX_CHARACTERS:
        return None
    party = entity(plain)
    return party if party and len(party.name.split()) <= most else None


def mentions(turns: Sequence[tuple[int, Turn]], limit: int) -> list[tuple[Party, int]]:
    """The names that people say, and who else speaks, each with the turn that says it last; the most frequent first."""
    last: dict[Party, int] = {}
    counts: dict[Party, int] = {}
    for number, turn in turns:
        if turn.who == "agent":
            continue
        own = _FOREIGN.sub(" ", turn.text[:MAX_CHARS])
        found = [
            entity(value.text) for value in values(own) if value.kind == "word" or _is_name(value.kind, value.text)
        ]
        found += [
            spoken.party
            for words in people.roles_in(own)
            if (spoken := meant(words, people.speaker(turn))) and spoken.role
        ]
        found.append(people.speaker(turn))
        for party in found:
            if party is not None and party.kind == "Entity" and party.name not in _NO_NAME.split():
                last[party] = number
                counts[party] = counts.get(party, 0) + 1
    chosen = sorted(counts, key=lambda party: (-counts[party], party.key))[:limit]
    return [(party, last[party]) for party in chosen]


def _is_name(kind: str, text: str) -> bool:
    """A name such as GitHub; no address, path, or number."""
    return kind == "name" and text.isalnum() and sum(each.isalpha() for each in text) > 1
