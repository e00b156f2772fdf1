"""How likings, relations, goals and causes are said, in English and Chinese: the patterns that memory/graph/rules.py reads turns by."""

from __future__ import annotations

import re
from typing import NamedTuple

from memory.graph.people import CHINESE, ENGLISH
from memory.graph.shapes import Predicate
from text import pattern

CHINESE_TEXT = re.compile("[\u4e00-\u9fff]")
NO_NAME = (
    "I The A An My Our Your His Her Their It This That These Those There Here And But So Or If When While Because Also Then Now Well Yes No Not"
    " Wow Thanks Thank Hey Hi Hello Oh Ok Okay What Who Why How Where Which Everyone Someone Nobody People He She They We You Just Even Maybe Please"
    " Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October November December"
)
NAME = rf"(?-i:(?!(?:{'|'.join(NO_NAME.split())})\b)[A-Z][\w-]{{0,24}}[a-z]\w{{0,24}}(?: (?!(?:{'|'.join(NO_NAME.split())})\b)[A-Z][a-z]\w{{0,24}})?)"
ROLE = rf"(?:my|our|(?-i:[A-Z][\w-]{{1,40}})['’]s) (?:[a-z-]+ )?(?:{ENGLISH})"
WHO = rf"(?P<who>{ROLE}|{NAME})"
MUCH = r"(?:(?:really|absolutely|truly|still|just|do|does|also|always|both|especially|particularly|so|totally|definitely|have|has|generally|usually|actually|honestly) )*"
WHAT = r"(?P<what>[^,;:.!?()\n]+(?:, [\w-]+(?: [\w-]+)?(?=,| and | or ))*(?:,? (?:and|or) [^,;:.!?()\n]+)?)"
WHAT_LESS, LESS_LIKED = r"(?P<what>[^,;:.!?()\n]{1,60}?)", r"(?P<less>[^,;:.!?()\n]+)"
_LOVE_I, _LOVE = "(?:love|like|enjoy|adore|prefer|loved)", "(?:loves|likes|enjoys|adores|prefers)"
_FOND = "(?:(?:a )?(?:big |huge )?fans? of|fond of|into|passionate about|crazy about|keen on)"
_HATE_I = "(?:hate|dislike|detest|loathe|despise|can['’]?t stand|cannot stand|can['’]?t bear|(?:don['’]?t|do not) (?:really |particularly )?(?:like|enjoy)|never liked)"
_HATE = "(?:hates|dislikes|detests|loathes|can['’]?t stand|cannot stand|(?:doesn['’]?t|does not) (?:really |particularly )?(?:like|enjoy))"
FEELS = {
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
_FEELING = "|".join(sorted(FEELS, key=len, reverse=True))
_DID = r"(?:adopted|joined|founded|bought|married|graduated from|won|quit|got engaged to|got married to)"

_SURE = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜谢邹喻苏潘葛范彭鲁韦马苗方任袁柳史唐薛雷贺倪汤罗毕郝安常于傅康伍余顾孟黄穆萧尹姚邵汪毛戴宋庞熊纪舒项董梁杜阮蓝闵季贾江童颜郭梅林钟徐邱高夏蔡田胡霍万柯卢丁邓洪包左石崔龚程陆翁段侯白赖乔谭温曾沙关欧叶刘龙"
ZH_NAME = rf"(?:[小老阿][\u4e00-\u9fff]|[{_SURE}][\u4e00-\u9fff]{{1,2}}?|[A-Z][a-z]+)"
ZH_WHO = rf"(?P<who>我们?家?的?(?:{CHINESE})|{ZH_NAME}的(?:{CHINESE})|我|{ZH_NAME})"
ZH_BEGINS = rf"(?:^|[，。,\s但而])(?:我们?家?的?(?:{CHINESE})(?=[小老阿][^是爱总有]))?"
_ZH_WHO_2 = ZH_WHO.replace("?P<who>", "?:")
_ZH_WHO_OR_NOT = rf"(?:{ZH_WHO})?"
ZH_MUCH = r"(?:真的|真|很|非常|特别|最|超级?|比较|更|一直|都|也|就|挺|还是|其实|从小就?|平时)*"
ZH_WHAT = r"(?P<what>[^，。！？；：,.!?;:\s“”（）()]+?)(?=了?[，。！？；：,.!?;:\s“”（）()]|了?$|因为|但是?|所以|而且|不过|的时候)"


ZH_JOB = r"(?:[^，。！？,.!?\s我你他她是个一的来]{0,4}(?:护士|医生|大夫|律师|老师|教师|教授|工程师|程序员|设计师|会计|厨师|司机|记者|编辑|演员|歌手|画家|作家|诗人|警察|消防员|军人|农民|工人|木匠|电工|水管工|翻译|导游|空姐|飞行员|药剂师|牙医|兽医|公务员|销售|店长|建筑师|分析师|摄影师|理发师|学生|研究生|科学家|研究员|钢琴家|音乐家|保姆|保安|快递员))"


class Rule(NamedTuple):
    """How something is said. The groups: `who` (left out: the speaker), `what`, `label` and `emotion`."""

    predicate: Predicate
    pattern: re.Pattern[str]
    is_chinese: bool
    label: str = ""
    confidence: float = 0.7
    lasts: bool = False  # true even of what is said to be today: a relation, an event


def rule(
    predicate: Predicate,
    says: str,
    label: str = "",
    confidence: float = 0.7,
    *,
    lasts: bool = False,
) -> Rule:
    is_chinese = CHINESE_TEXT.search(says.replace(_FEELING, "")) is not None
    return Rule(predicate, pattern(says, re.IGNORECASE), is_chinese, label, confidence, lasts)


# fmt: off
GOES_ON = pattern(rf"(?i)\b(I {MUCH}(?:{_HATE_I}|{_LOVE_I}) [^,;.!?\n]{{1,60}}?,?) (and|but) ((?:also |really |still )?(?:{_HATE_I}|{_LOVE_I}))(?= [\w'])")
GOES_ON_ZH = pattern(rf"((?:^|[。！？\n])我{ZH_MUCH}(?:不(?:太|怎么)?喜欢|喜欢|讨厌|爱|受不了|害怕)[^，。！？\n]{{1,12}}[，,；;](?:但是?|而|却|可是?|也|又)?)(?=(?:很|最|特别|非常|也|更)?(?:不(?:太|怎么)?喜欢|讨厌|喜欢|受不了|害怕))")
RULES = (
    # relations first: whose name is whose
    rule("RELATES_TO", rf"\b(?P<who>my|our|{NAME}['’]s) (?:[a-z-]+ )?(?P<label>{ENGLISH})(?:['’]s name is|,? (?:is|was)? ?(?:called|named)|,| is|) (?P<what>{NAME})\b", confidence=0.85, lasts=True),
    rule("RELATES_TO", rf"\b(?P<what>{NAME})(?:,| is| was) (?P<who>my|our|{NAME}['’]s) (?:[a-z-]+ )?(?P<label>{ENGLISH})\b(?!['’]s)", confidence=0.85, lasts=True),
    rule("RELATES_TO", rf"\b(?:I|we) have an? (?:[a-z-]+ )?(?P<label>{ENGLISH}),? (?:called|named) (?P<what>{NAME})", confidence=0.85, lasts=True),
    rule("RELATES_TO", rf"(?P<who>我|{ZH_NAME}的?)(?:们?家?)的?(?P<label>{CHINESE})(?:的名字)?(?:叫做?|名叫|是)(?!{ZH_JOB})(?P<what>{ZH_NAME}|\w{{2,3}}?)(?=[，。！？,.!?\s]|$)", confidence=0.85, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s])(?P<what>{ZH_NAME}|\w{{2,3}}?)是(?P<who>我|{ZH_NAME})(?:们?家?)的?(?P<label>{CHINESE})(?=[，。！？,.!?\s]|$)", confidence=0.85, lasts=True),
    rule("RELATES_TO", rf"(?P<who>我)们?家?的?(?P<label>{CHINESE})(?P<what>[小老阿][^是爱总有\W])(?=(?:很|最|特别|非常|也|一直|都)?(?:喜欢|讨厌|爱|不|住|在|害怕))", confidence=0.85, lasts=True),
    rule("RELATES_TO", rf"我(?:有|养了?)(?:一?[只条个位名])?(?:\w{{0,2}}的)?(?P<label>{CHINESE})，?(?:名字)?(?:叫做?|名叫)(?P<what>\w{{1,4}}?)(?=[，。！？,.!?\s]|$)", confidence=0.85, lasts=True),
    rule("RELATES_TO", rf"\b(?:I(?: work|['’]m working| am working|['’]ve worked)|and work) (?:at|for) (?P<what>{NAME})", "works at", 0.85, lasts=True),
    rule("RELATES_TO", rf"\b{WHO} works (?:at|for) (?P<what>{NAME})", "works at", 0.85, lasts=True),
    rule("RELATES_TO", rf"\bI(?: live|['’]m living| am living) in (?P<what>{NAME})", "lives in", 0.85, lasts=True),
    rule("RELATES_TO", rf"\b{WHO} lives in (?P<what>{NAME})", "lives in", 0.85, lasts=True),
    rule("RELATES_TO", rf"\bI(?: am|['’]m| come) from (?P<what>{NAME})", "from", lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}现?在(?P<what>[^，。！？,.!?\s在]{{2,12}}?)(?:工作|上班)", "works at", 0.85, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}(?:现在|一直)?住在(?P<what>[^，。！？,.!?\s]{{2,10}}?)(?=[，。！？,.!?\s]|$)", "lives in", 0.85, lasts=True),
    rule("RELATES_TO", r"我(?:来自|是)(?P<what>[^，。！？,.!?\s]{2,8}?)人(?=[，。！？,.!?\s]|$)", "from", lasts=True),
    rule("RELATES_TO", rf"\bI(?:['’]ve| have)?(?: just| finally| recently)? (?P<label>{_DID}) {WHAT}", "", 0.6, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}(?:刚刚?|已经|最近|昨天|今天|上周|去年)*(?P<label>买了|领养了|加入了|毕业于)(?:一?[只条个位名台辆套本])?{ZH_WHAT}", "", 0.6, lasts=True),
    # what is liked better than something else
    rule("PREFERS", rf"\b(?:I {MUCH}(?:much )?prefer|{WHO} {MUCH}(?:much )?prefers) (?!to\b){WHAT_LESS} (?:to|over|rather than|instead of|than) {LESS_LIKED}", confidence=0.8),
    rule("PREFERS", rf"\b(?:I {MUCH}(?:like|love|enjoy)|{WHO} {MUCH}(?:likes|loves|enjoys)) {WHAT_LESS} (?:much |far |a lot )?(?:better|more) than {LESS_LIKED}", confidence=0.8),
    rule("PREFERS", rf"(?:^|[，。,\s但而])(?:(?P<who2>{_ZH_WHO_2}))?(?:比起|相比于?|较之|[和跟与](?=[^，。]{{1,10}}相比))(?P<less>[^，。！？,.!?\s更]{{1,10}}?)(?:来说|相比)?，?{_ZH_WHO_OR_NOT}(?:还是)?更(?:喜欢|偏爱|爱)(?![我你他她它]){ZH_WHAT}", confidence=0.8),
    rule("PREFERS", rf"{ZH_BEGINS}{ZH_WHO}{ZH_MUCH}(?:喜欢|偏爱|爱(?=[吃喝看听玩用去]))(?P<what>[^，。！？,.!?\s]{{1,10}}?)(?:胜过|多过|多于|甚于|超过)(?:喜欢)?(?P<less>[^，。！？,.!?\s]{{1,10}})", confidence=0.8),
    # what is not liked, before what is
    rule("DISLIKES", r"\bI neither (?:like|enjoy|love) (?P<what>[^,;:.!?()\n]+? nor [^,;:.!?()\n]+)"),
    rule("DISLIKES", r"我既不(?:太|怎么)?(?:喜欢|爱)(?P<what>[^，。！？,.!?\s]{1,10}?)，?也不(?:太|怎么)?(?:喜欢|爱)(?P<more>[^，。！？,.!?\s]{1,10})"),
    rule("DISLIKES", rf"\bI {MUCH}{_HATE_I} {WHAT}"),
    rule("DISLIKES", rf"\bI(?: am|['’]m) not {_FOND} {WHAT}"),
    rule("DISLIKES", rf"\bI(?: am|['’]m) (?:{MUCH})?(?P<label>allergic to|intolerant to|afraid of|scared of|terrified of) {WHAT}", confidence=0.85),
    rule("DISLIKES", rf"\b{WHO} {MUCH}{_HATE} {WHAT}"),
    rule("DISLIKES", rf"\b{WHO} is (?:{MUCH})?(?P<label>allergic to|intolerant to|afraid of|scared of|terrified of) {WHAT}", confidence=0.85),
    rule("DISLIKES", rf"{ZH_BEGINS}{ZH_WHO}{ZH_MUCH}(?:不(?:太|怎么|是很)?(?:喜欢|爱)|讨厌|厌恶|反感|受不了|最烦|害怕)(?!我|你|他|她)(?:[吃喝看听玩用去](?=\w))?{ZH_WHAT}"),
    rule("DISLIKES", rf"{ZH_BEGINS}{ZH_WHO}对(?P<what>[^，。！？,.!?\s]{{1,10}}?)(?P<label>过敏)", confidence=0.85),
    rule("PREFERS", rf"\bI {MUCH}{_LOVE_I} {WHAT}"),
    rule("PREFERS", rf"\bI(?: am|['’]m) {MUCH}{_FOND} {WHAT}"),
    rule("PREFERS", rf"\b{WHO} {MUCH}{_LOVE} {WHAT}"),
    rule("PREFERS", rf"\b{WHO} is {MUCH}{_FOND} {WHAT}"),
    rule("PREFERS", r"\bmy (?:absolute |all-time )?(?P<label>favou?rite [a-z]+(?: [a-z]+)?) (?:is|are|was|would be|has to be) (?P<what>[^,;:.!?()\n]+)", confidence=0.85),
    rule("PREFERS", rf"(?P<who>{NAME}|my {ROLE})['’]s (?P<label>favou?rite [a-z]+) (?:is|are) {WHAT}", confidence=0.85),
    rule("PREFERS", rf"{ZH_BEGINS}{ZH_WHO}{ZH_MUCH}(?:喜欢|偏爱|偏好|热爱|爱(?=[吃喝看听玩用去]))(?!的|我|你|他|她|它|这|那){ZH_WHAT}"),
    rule("PREFERS", rf"我最(?:喜欢|爱)的(?P<label>[^，。！？,.!?\s]{{1,6}}?)是{ZH_WHAT}", confidence=0.85),
    rule("PREFERS", r"(?:^|[,;] )(?P<what>[A-Za-z][\w' -]{1,40}?) (?:is|are) my (?:absolute |all-time )?(?P<label>favou?rite [a-z]+)\b", confidence=0.85),
    rule("PREFERS", r"(?:^|[，。,\s])(?P<what>[^，。！？,.!?\s这那你他她它]{1,10}?)是我最(?:喜欢|爱)的(?P<label>[^，。！？,.!?\s]{1,6}?)(?=[，。！？,.!?\s]|$)", confidence=0.85),
    # what moves somebody again and again
    rule("CARES_ABOUT", rf"(?P<what>[^,;:.!?()\n]+?) (?:always |usually |never fails? to )?makes? me (?:feel )?(?:so |really |very )?(?P<emotion>{_FEELING})\b"),
    rule("CARES_ABOUT", rf"(?P<what>[^，。！？,.!?\s]{{1,12}}?)(?:总是?|一直|老是|总会|每次都)让我(?:感到|觉得|很|非常|特别)*(?P<emotion>{_FEELING})"),
    rule("CARES_ABOUT", rf"\bI {MUCH}(?:care|worry) (?:deeply |a lot |so much )?about {WHAT}"),
    rule("CARES_ABOUT", r"(?P<what>[^,;:.!?()\n]+?) (?:means|matters) (?:a lot|so much|the world|everything) to me\b"),
    rule("CARES_ABOUT", rf"我{ZH_MUCH}(?:在乎|在意|关心|担心|牵挂|重视){ZH_WHAT}"),
    # goals and promises
    rule("CARES_ABOUT", r"\bmy (?:long[- ]term |biggest |life(?:long)? |main )?(?:goal|dream|ambition)(?: in life| for \w+ \w+)? (?:is|has always been|would be) (?:to )?(?P<what>[^,;:.!?()\n]+)", "goal", 0.85, lasts=True),
    rule("CARES_ABOUT", rf"\bI {MUCH}(?:want|hope|plan|intend|dream of|am determined|'ve decided|have decided) (?:to |on )?(?P<what>(?:becom|learn|master|writ(?:e|ing) a|run(?:ning)? a|open(?:ing)? (?:a|my)|found|buil[dt](?:ing)? (?:a|my)|study|quit)[^,;:.!?()\n]*)", "goal", 0.6, lasts=True),
    rule("CARES_ABOUT", rf"\bI(?:['’]ve| have)? promised (?:{ROLE} |{NAME} |you |him |her |them |myself )?(?:to|that I(?:['’]d| would|['’]ll| will)) (?P<what>[^,;:.!?()\n]+)", "promise", 0.85, lasts=True),
    rule("CARES_ABOUT", rf"我(?:最大)?的(?:长期|人生)?(?:目标|梦想|理想|愿望)(?:一直)?是{ZH_WHAT}", "goal", 0.85, lasts=True),
    rule("CARES_ABOUT", r"我(?:一直|很|真的|打算|决定|计划)*(?:想(?:要)?)?(?P<what>(?:成为|学会|学习|考上|开一家|写一本)[^，。！？,.!?\s]+)", "goal", 0.6, lasts=True),
    rule("CARES_ABOUT", rf"我(?:已经)?(?:答应|保证|承诺)(?:过|了)?(?:我?的?(?:{CHINESE})|{ZH_NAME}|[你他她]们?)?(?:要|会)?{ZH_WHAT}", "promise", 0.85, lasts=True),
    # causes
    rule("CAUSED_BY", r"^\W*(?P<who>[^,;:.!?()\n]{3,60}?) (?:was|were|is|got) caused by (?P<what>[^,;:.!?()\n]+)", confidence=0.8, lasts=True),
    rule("CAUSED_BY", r"^\W*(?P<what>[^,;:.!?()\n]{3,60}?)(?<!was)(?<!were)(?<!is)(?<!got) (?:caused(?! by)|led to) (?P<who>[^,;:.!?()\n]+)", confidence=0.6, lasts=True),
    rule("CAUSED_BY", r"(?:^|[，。,\s])(?P<who>[^，。！？,.!?\s]{2,14}?)是(?:由于?|因为)(?P<what>[^，。！？,.!?\s]{2,14}?)(?:引起|造成|导致)的?", confidence=0.8, lasts=True),
    rule("CAUSED_BY", r"(?:^|[，。,\s])(?P<what>[^，。！？,.!?\s]{2,14}?)(?:导致|造成|引起)了?(?P<who>[^，。！？,.!?\s]{2,14})", confidence=0.6, lasts=True),
)
# fmt: on
