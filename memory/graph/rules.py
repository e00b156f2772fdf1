"""Read by rules, in English and Chinese and with no model, what turns say of people and things. How
things are said: memory/graph/sayings.py, life.py.

Only what people say is read, not what the agent says, nor what stands in quotes or code; questions say nothing, and what
holds for the hour ("I hate this today") is no preference. What is unclear is left out: a graph that is wrong is worse than
one that is small. Source: seed 003 P5.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory.facts.words import values
from memory.graph import people
from memory.graph.life import ABOUT_LIFE, AT_STAKE, LIFE, SAID_AS
from memory.graph.people import CHINESE, ENGLISH, meant
from memory.graph.sayings import CHINESE_TEXT, FEELS, GOES_ON, GOES_ON_ZH, NO_NAME, RULES, Rule
from memory.graph.shapes import AGENT, LESS, Party, Statement, entity
from memory.journal.turns import Turn
from text import pattern

MAX_SENTENCE_CHARS = 400  # a longer one is no plain case
MAX_CHARS = 6_000  # of a turn; what stands behind is pasted
MAX_WORDS, MAX_GOAL_WORDS, MAX_CHARACTERS = (
    5,
    10,
    12,
)  # of what is liked: a longer one is a sentence
HINT = pattern(
    r"(?i)\b(?:lov|lik|enjoy|ador|prefer|favou?rit|hat|dislik|detest|loath|stand|allerg|fan|fond|passionate|car|goal|dream|ambition|promis|want"
    r"|plan|hop|decid|caus|because|led|mak|afraid|scared|terrified|married|moved|joined|adopted|bought|graduat|start|work|live|born|die|quit|birthday|engaged|named|called|from|matter|mean|into|keen|crazy|intoleran|rather|neither)"
    rf"|\b(?:my|our|[a-z]+['’]s) (?:[\w-]+ )?(?:{ENGLISH})\b"
    rf"|{AT_STAKE}"
    rf"|喜欢|爱|偏[好爱]|讨厌|厌恶|反感|受不了|过敏|在乎|在意|关心|目标|梦想|理想|愿望|答应|保证|打算|计划|因为|由于|导致|造成|让我|害怕|结婚|搬|加入|毕业|买了|领养|工作|上班|住|生日|叫|养|引起|担心|牵挂|重视|胜过|想|成为|学会|来自|[\u4e00-\u9fff]人(?=[，。！？,.!?\s]|$)|我们?家?的?(?:{CHINESE})"
)
_MAY_SAY = pattern(
    f"{HINT.pattern}|{ABOUT_LIFE}"
)  # of a sentence; HINT: of a talk, in which something is at stake
_FOREIGN = pattern(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”]*”|「[^」]*」|(?<!\w)'[^'\n]*'(?!\w)|^[ \t]*>[^\n]*|\w+://\S+|\[photo:[^\]]*\]",
    re.MULTILINE | re.DOTALL,
)
_TITLE = pattern(r"\b(Dr|Mr|Mrs|Ms|Prof)\. ")  # its full stop ends no sentence
_SENTENCE = pattern(r"(?:[^.!?。！？\n]|[.](?=\w))+[.!?。！？]*")
_LATIN_TEXT = re.compile("[A-Za-z]{2}")
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
_ALWAYS = pattern(
    r"(?i)\b(?:always|every|never|whenever|usually|generally)\b|总|一直|从来|每|向来|老是"
)

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
    """Yield what one turn says. `number` is that of the turn in the index."""
    if turn.who == "agent" or not _MAY_SAY.search(turn.text):
        return
    who = people.speaker(turn)
    seen: set[tuple[str, str, str]] = set()
    for sentence in sentences(turn.text):
        if not _MAY_SAY.search(sentence) or _UNSURE.search(sentence):
            continue
        for rule, found in _found(sentence):
            for statement in _statements(rule, found, who, number):
                relation = statement.label if rule.predicate == "RELATES_TO" else ""
                key = (statement.subject.key, statement.object.key, relation)
                if key not in seen:
                    seen.add(key)
                    yield statement


def _found(sentence: str) -> Iterator[tuple[Rule, re.Match[str]]]:
    """Yield what the rules find in a sentence. What a comparison says is not read again as a plain liking."""
    is_passing = _NOW.search(sentence) is not None and not _ALWAYS.search(sentence)
    has = {
        True: CHINESE_TEXT.search(sentence) is not None,
        False: _LATIN_TEXT.search(sentence) is not None,
    }
    compared = 0  # where the last comparison ends
    for rule in (*LIFE, *RULES):
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
    own = _TITLE.sub(r"\1 ", _FOREIGN.sub(" ", text[:MAX_CHARS]))
    own = GOES_ON_ZH.sub(r"\1我", GOES_ON.sub(r"\1 \2 I \3", own))
    found = (each.strip() for each in _SENTENCE.findall(own))
    return [
        each for each in found if 3 < len(each) <= MAX_SENTENCE_CHARS and not _ASKS.search(each)
    ]


def _statements(rule: Rule, found: re.Match[str], who: Party, number: int) -> Iterator[Statement]:
    """Yield what one match says: of each thing in a list, and of what is liked less than another."""
    said = found.groupdict()
    label = (said.get("label") or rule.label).lower()
    label = SAID_AS.get(label, label)
    emotion = (said.get("emotion") or "").lower()
    by = said.get("who") or said.get("who2") or ""
    subject = _subject(by, who) if rule.predicate != "CAUSED_BY" else _thing(by, who)
    if subject is None:
        return
    is_taste = rule.predicate in ("PREFERS", "DISLIKES")
    words = [said["what"] or "", said.get("more") or ""]
    is_known = False
    for each in _listed(words) if is_taste else [_FIRST.split(words[0])[0]]:
        object = _thing(
            each,
            who,
            MAX_GOAL_WORDS if label in ("goal", "promise") else MAX_WORDS,
            is_goal=bool(label),
        )
        if object is None or subject.key == object.key or AGENT in (subject, object):
            continue
        is_known = True
        predicate, called = rule.predicate, label
        if role := people.role_of(label):
            called = role
        elif emotion:
            predicate = "PREFERS" if FEELS[emotion] else "DISLIKES"
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
    return [
        part
        for each in whole
        for part in ([each] if _PAIR.search(each) else _LIST.split(each))
        if part.strip()
    ]


def _subject(words: str, who: Party) -> Party | None:
    if words.casefold() in ("", "my", "our", "我", "我的"):
        return who
    plain = words.removesuffix("'s").removesuffix("’s").removesuffix("的")
    spoken = meant(plain, who)
    return spoken.party if spoken else None


def _thing(words: str, who: Party, most: int = MAX_WORDS, *, is_goal: bool = False) -> Party | None:
    """Return what is liked, cared for, … as a short name; None where it is a pronoun or half a sentence. A goal keeps its when."""
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
            entity(value.text)
            for value in values(own)
            if value.kind == "word" or _is_name(value.kind, value.text)
        ]
        found += [
            spoken.party
            for words in people.roles_in(own)
            if (spoken := meant(words, people.speaker(turn))) and spoken.role
        ]
        found.append(people.speaker(turn))
        for party in found:
            if party is not None and party.kind == "Entity" and party.name not in NO_NAME.split():
                last[party] = number
                counts[party] = counts.get(party, 0) + 1
    chosen = sorted(counts, key=lambda party: (-counts[party], party.key))[:limit]
    return [(party, last[party]) for party in chosen]


def _is_name(kind: str, text: str) -> bool:
    """A name such as GitHub; no address, path, or number."""
    return kind == "name" and text.isalnum() and sum(each.isalpha() for each in text) > 1
