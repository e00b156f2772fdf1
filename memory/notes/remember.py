"""Finds what the owner says that should be written down at once: instructions, preferences, decisions, lessons.

Rules alone, in English and Chinese; no model is asked. A sentence counts when it *begins* as such a thing is said, so that a
task which only mentions one ("write a note that says remember the milk") does not. What stands in quotes, in code, or
behind the colon of a task is somebody else's words; a question is none of these. A look for the words alone decides on most
requests, before any pattern is compiled. Source: seed 000 stage 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from text import pattern

Kind = Literal["instruction", "preference", "decision", "lesson", "todo", "event"]
MAX_CHARS = 20_000  # of a request; what stands behind is pasted
MAX_SENTENCES = 60
IMPORTANCE: dict[Kind, int] = {
    "instruction": 9,
    "preference": 8,
    "decision": 8,
    "lesson": 8,
    "todo": 7,
    "event": 6,
}
USUAL, LEAST = 5, 2
MAX_TRIVIAL_CHARS = 60

_HINT = pattern(
    r"(?i)rememb|\bnote\b|notes\b|\bmind\b|forget|memor|jot|\bwrite (?:this |it )?down|from now on|future|forward|henceforth|always"
    r"|never|whenever|when i\b|\b(?:hate|love|like|prefer|rather|dislike|detest|despise|loathe|stand|enjoy|allerg|favou?rite)|decid|decision"
    r"|settled|agreed|go(?:ing)? with|chose|made up|stick with|switch|stay with|will use|'ll use|lesson|learned|learnt|turns out"
    r"|turned out|takeaway|insight|\bTIL\b|root cause|found out|discover|reali[sz]ed|figured|debugging|again|any ?more|call me|as of|\bever\b|vega?n|vegetarian|left-handed|colou?r-?blind|from today"
    r"|starting (?:today|now)|\bever\b|vegan|vegetarian|left-handed|colou?r-?blind|from today"
    r"|[记忘]|再也|[别要]再|备[忘注]|笔记|以后|今后|往后|从现在|从今|永远|千万|每次|总是|一律|讨厌|喜欢|偏[好爱]|厌恶|受不了|习惯|倾向|反感|过敏|忌口|爱[吃喝用看]"
    r"|不[吃喝爱]|只[用吃喝]|从不|从来不|决定|敲定|拍板|商定|选定|同意|定了|就[用选定]|发现|教训|经验|学到|原来|原因|根因|踩坑|心得|结论|明白|叫我|称呼我"
)
_QUOTED = (
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”]*”|‘[^’\n]*’(?!\w)|「[^」]*」|『[^』]*』|《[^》]*》"
    r"|(?<!\w)'[^'\n]*'(?!\w)|^[ \t]*>[^\n]*"
)
# A dot ends no sentence behind a title or a single capital before a name, nor behind these before a small letter.
_TITLES = r"\b(?:Dr|Mr|Mrs|Ms|Prof|St|Mt|[A-Z])\.(?= [A-Z])|\bNo\.(?= \d)"
_SHORT = r"\b(?:a\.m|p\.m|e\.g|i\.e|etc|vs|approx|dept|ext|Jr|Sr)\.(?= [a-z])"
_SENTENCE = (
    rf"(?:{_TITLES}|{_SHORT}|[^.!?。！？\n]|[.!?](?!\s|$))+"
    r"(?:[.!?]+(?=\s|$)|[。！？]+|(?=\n)|\Z)"
)
_FILLER = (
    r"(?:(?:hey|hi|hello|oh|ok(?:ay)?|well|also|and|but|so|by the way|btw|please|pls|sopwith|actually|honestly|personally|just so you know|just|one more thing"
    r"|for the record|fyi|in general|generally|as a rule|ah|hmm|ugh|right|yes|no|look|listen|important|attention|reminder"
    r"|one thing|another thing|to be clear|just so you know|heads[- ]up|p\.?s\.?)(?:[\s,:!–—-]+|$))*"
    r"(?:(?:你好|您好|嗨|哦|噢|喔|嗯|好的?|对了|另外|还有|顺便(?:说一下|说一句|一提|说)?|请你?|麻烦你?|拜托|劳驾|其实|说实话|老实说|总之|注意|提醒(?:一下|你)?|重要|补充一下|再说一句|那|那么)[\s，,：:！!、]*)*"
)
_TRIVIAL = r"[\s\W]*(?:thanks?(?: you)?(?: (?:a lot|very much|so much))?|cheers|thx|please|ok(?:ay)?|got it|谢谢(?:你|啦|了)?|多谢|拜托了?|好吗|行吗|辛苦了)?[\s\W]*"
_QUESTION = r"[?？][\s\"'”’)）]*$|[吗嘛呢么]\s*[。！!~～]*$"
_ASKS = r"^(?:do|does|did|are|is|was|were|have|has|had|can|could|will|would|should|shall|may|what|when|where|who|why|which|how|whose)\b"

_VERBS = (
    "use|run|ask|answer|reply|respond|write|call|commit|push|pull|delete|remove|touch|edit|change|send|show|start|speak|talk|keep|put|add|format|check"
    "|test|verify|prefer|give|tell|include|explain|save|store|install|make|do|work|open|close|name|sign|quote|round|sort|create|deploy|merge|rebase|log"
    "|back|confirm|assume|let|leave|respect|address|book|order|buy|schedule|share|post|publish|print|double-check|pick|choose|overwrite|restart|update"
    "|upgrade|force|modify|mention|wake|disturb|move|rename|translate|stop|end|begin|avoid|wait|set|indent|wrap|read|email|forget|trust|guess|skip|apply"
    "|prefix|append|link|cite|review|lint|squash|pay|sleep|be|interrupt|remind|suggest|recommend|convert|treat|listen|look|document|comment|build|ship"
)
_THIS = (  # an object that is only at hand now: "I like it", "I prefer the second one"
    r"(?:it|this|that|these|those|them|you|him|her|one|both|either|neither|mine|yours)(?=\s*(?:[.,!;:)]|$|\s(?:one|ones|option|version|file|answer|idea|result|look|picture"
    r"|so|too|very|a lot|now|already|better|more|though|much|here|way|approach|solution|plan|and|but|because|as|please|then|all)\b))"
    r"|(?:this|that|these|those) \w+\W*$|how \w+ (?:this|it|that|you|they)\b|your\b|(?:what|how|the way) (?:you|it|this|that)\b|the (?:\w+ ){0,2}(?:idea|result|results|look|answer|one|ones|option|version|way|latter|former|output|outcome|draft|new design|summary)\b"
    r"|(?:[a-d]|[0-9]|option \w+|version \w+|number \w+)\s*(?:[.,!;]|$)|to (?:bother|say|ask|interrupt|admit|disturb|break it|see (?:it|the|what|how|if|a)\b|know\b|have the\b|get the\b)|where (?:this|it)\b"
)
_MUCH = r"(?:really |absolutely |just |do |also |always |generally |usually |much |strongly |personally |simply |truly |quite |very much |still |actually |honestly |now |tend to |have always |have come to |kind of |sort of |rather |particularly |especially )*"
_PREFERS = (
    r"(?:hate|love|like|dislike|prefer|detest|despise|loathe|favou?r|enjoy|adore|cannot stand|can't stand|can’t stand|can't bear|cannot bear"
    r"|don't (?:really |particularly )?(?:like|enjoy|want to see)|don’t (?:really )?(?:like|enjoy)|do not (?:really )?(?:like|enjoy)|never (?:liked|use|eat|drink|want)|am (?:not )?(?:a (?:big )?fan of|fond of|allergic to|intolerant to)"
    r"|can't (?:eat|have|drink)|cannot (?:eat|drink))"
)
_WHAT = r"(?!\s*(?:what|when|where|who|whom|whose|why|which|how|if|whether)\b)"
_FILE = r"\b(?:in|into|to|as|inside)\s+(?:(?:a|the|my|this|that)\s+)?(?:[\w./~-]+\.\w{1,5}\b|file\b|folder\b|spreadsheet\b|database\b)"


class _Rule(NamedTuple):
    """How something is said at the beginning of a sentence. `alone`: only where no task stands before it, since behind one
    it says how the task is to be done. `unless`: what makes it something else."""

    kind: Kind
    begins: str
    unless: str = r"(?!)"
    alone: bool = False


_CAN_YOU = r"(?:(?:can|could|will|would) you (?:please |kindly )?|i (?:want|need|would like) you to |i'd like you to |you (?:should|must|need to|have to) |(?:always |do |just |please )*)"
_LEAD = r"" + _CAN_YOU
_DECIDERS = r"(?:we|i|the team|my team)"
_RULES = (
    # explicit: English
    _Rule("instruction", _LEAD + r"(?:remember|memori[sz]e)(?: for (?:later|next time|the future))?(?:\s*[:,–—]\s*|\s+)(?:that\b|this\b|the following\b|:)\s*\S"),
    _Rule("todo", _LEAD + r"(?:remember|do not forget|don't forget|don’t forget|never forget) to\s+\w", r"\b(?:when|while|before|after|as) (?:you|doing|running|listing)\b", alone=True),
    _Rule("todo", _LEAD + r"(?:remind me (?:to|that|about)\b)", r"\b(?:at|in|on|tomorrow|tonight|every|when|next|by)\b|\d", alone=True),
    _Rule(
        "instruction",
        _LEAD + r"(?:remember|memori[sz]e)(?:\s*[:,–—]\s*|\s+)" + _WHAT + r"(?!me\b|to\b|last\b|yesterday|back\b|those days|us\b|(?:the )?(?:time|day|good old)\b)\S",
        r"^\W*(?:\w+ )*remember(?:ing)? (?:me|us)\b|\bremember (?:things|stuff|everything|it all)\W*$|" + _FILE,
    ),
    _Rule("instruction", _LEAD + r"(?:do not forget|don't forget|don’t forget|never forget)(?:\s*[:,–—]\s*|\s+)" + _WHAT + r"\S", _FILE),
    _Rule("instruction", _LEAD + r"(?:note\s*(?:[:–—]|that\b|down that\b|to self\b)|n\.?b\.?\s*:)\s*\S", alone=True),
    _Rule("instruction", _LEAD + r"(?:keep|bear|have) in mind(?:\s*[:,–—]\s*|\s+)(?:that\b)?" + _WHAT + r"\S", alone=True),
    _Rule("instruction", _LEAD + r"(?:take|make|keep|leave) (?:a |another )?(?:quick |mental |short )?note(?: of (?:this|the following))?(?:\s*[:,–—]\s*|\s+that\b|\s+of (?:the fact|this))\s*\S?"),
    _Rule("instruction", _LEAD + r"(?:write|jot|note|put) (?:this |it |that |the following )?down(?: for (?:me|later))?(?:\s*[:,–—]\s*|\s+that\b)\s*\S"),
    _Rule("instruction", _LEAD + r"(?:add|save|store|write|put|commit|keep|record) (?:this |it |that |the following )?(?:to|in|into) (?:your |the )?(?:long[- ]term )?(?:memory|notes|mind|daily note)\b(?:\s*[:,–—]\s*|\s+that\b)\s*\S"),
    _Rule("instruction", r"(?:for (?:your|the) (?:memory|notes)|memo|note)\s*[:–—]\s*\S|for future reference\s*[,:–—]\s*\S", alone=True),
    # how things are to be done from now on: English
    _Rule("instruction", r"(?:from (?:now|here|today|this day) (?:on|onwards?|forward)|going forward|moving forward|henceforth|in (?:the )?future|as of (?:now|today)|starting (?:now|today))\b\s*[,:–—]?\s*(?!(?:what|how|who|is|are|will)\b)\S",
          r"^in (?:the )?future\W+(?:it|there|this|that|cars?|people|robots?|ai|we may|they)\b"),
    _Rule("instruction", rf"(?:{_VERBS}|don't|don’t|do not|always|never|stop)\b.*\b(?:from (?:now|today) on(?:wards?)?|going forward|moving forward|henceforth|in (?:the )?future)\W*$"),
    _Rule("instruction", rf"(?:you (?:should|must|may|can) |i (?:always|never) want you to |i want you to (?:always |never ))?(?:always|never(?: ever)?|don't ever|don’t ever|do not ever) (?:{_VERBS})\b(?! (?:mind|ever)\b)", r"^never (?:be|do|tell) (?:that|this|it)\b|^never mind"),
    _Rule("instruction", r"i (?:always|never) want (?!to know\b|to see (?:it|this)\b)\w+"),
    _Rule("instruction", r"(?:i (?:do not|don't|don’t) want(?: you)? to |i (?:do not|don't|don’t) want |please |)(?:do not|don't|don’t|stop|no more)?\s*(?:\w+ing\b)?.*\b(?:ever again|again|any ?more|ever)\W*$",
          r"^(?!(?:please )?(?:i (?:do not|don't|don’t) want|do not|don't|don’t|stop\b|no more))|^(?:please )?(?:do not|don't|don’t) (?:do|try|say|run|start|open|touch) (?:it|this|that)\b|^i don't\s+(?!want)"),
    _Rule("instruction", r"(?:whenever|every time|any time|each time) (?:i|you|we)\b.+[, ](?:use|run|ask|answer|reply|write|do|open|show|give|tell|please|start|call|add|make|then|mean|i mean|keep|check|send|always|you should|you must|don't|never)\b",
          r"\b(?:fails?|crash\w*|error|breaks?|freezes?|why|wrong)\b"),
    _Rule("instruction", r"when(?:ever)? i (?:say|ask|write|mention|type)\b.+,.+\w"),
    _Rule("instruction", r"(?-i:[Cc]all me [A-Z][\w'-]+)(?: [A-Z][\w'-]+)?\s*[.!]*$|(?:(?:my name is|i go by) \w[\w' -]{0,40}[.!]*$)|(?:call me \w+ (?:please|instead|and not \w+|not \w+)\W*$)"),
    # preferences: English
    _Rule("preference", rf"(?:i|we)(?:'m|’m)? {_MUCH}{_PREFERS}\b\s+(?:(?:it|to see) when\b|when\b|(?!{_THIS})\S)", r"^(?:i|we) (?:would|'d)\b.*\blike\b"),
    _Rule("preference", rf"(?:i|we) {_MUCH}{_PREFERS} (?:it|that|this) (?:when|if|that)\b"),
    _Rule("preference", r"i(?:'m|’m) (?:not )?(?:a (?:big |huge )?fan of|fond of|allergic to|intolerant to|(?:a )?(?:vegetarian|vegan|left-handed|colou?r-?blind))\b(?!\s+(?:it|this|that)\W*$)"),
    _Rule("preference", r"i am (?:a )?(?:vegetarian|vegan|left-handed|colou?r-?blind)\b"),
    _Rule("preference", rf"(?:i|we) would (?:always |much )?(?:prefer|rather you)\b\s+(?!{_THIS})\S|(?:i|we)(?:'d|’d) (?:always |much )?(?:prefer|rather you)\b\s+(?!{_THIS})\S"),
    _Rule("preference", r"(?:my (?:absolute |all-time )?(?:favou?rite|preferred|preference)|what i (?:like|hate|love|prefer)(?: most| best)?)\b.*\b(?:is|are|would be)\b\s+\S"),
    # decisions: English
    _Rule("decision", rf"{_DECIDERS}(?:'ve|’ve| have| has)?(?: now| finally| just| already| jointly| together| both| all|, after .{{1,40}},)* (?:decided|agreed|resolved|opted|chosen|settled)\b(?:\s*[:,–—])?\s+(?:to|that|on|against|for|not|upon|we|i)\b"),
    _Rule("decision", rf"{_DECIDERS}(?:'ve|’ve| have)? (?:settled on|agreed on|made up (?:my|our) minds?|made (?:a|the|our|my) (?:final )?decision|picked|chose|chosen|opted for) \S.*(?:\bover\b|\bfor\b|\binstead\b|\bas\b|\brather than\b|\bto\b|:|\bthat\b|\bon\b|$)"),
    _Rule("decision", r"(?:we|i)(?: are|'re|’re| am|'m|’m|'ll|’ll| will)(?: now| all| definitely| both)? (?:going (?:with|to (?:stay with|stick with|switch to|go with|drop))|go with|stick(?:ing)? with|stay(?:ing)? with|switch(?:ing)? (?:over )?to|drop(?:ping)?|move to|moving to) (?!(?:it|this|that|the (?:first|second|third|last))\b)\S"),
    _Rule("decision", r"let(?:'s|’s| us) (?:go with|stick with|settle on|stay with|agree on) (?!(?:it|this|that|the (?:first|second|third|last|former|latter))\b)\S{2,}"),
    _Rule("decision", r"(?:the |our |my |final )*decision(?: is| was| has been|:| made:)\s+\S|(?:it is|it's|it has been|it was) decided\b|after (?:.{1,60}), (?:we|i)(?:'ve| have)? (?:decided|agreed|settled|chose)\b|decided\s*:\s*\S"),
    # lessons: English
    _Rule("lesson", r"(?:the |my |our |a |another |one |an? (?:important|hard|good) |today's |key |main |big )*(?:lessons?(?: learned| learnt| here| from (?:this|today|that)(?: \w+)?)*|takeaways?|insights?|moral)(?: here| today| of (?:this|the story|today))?\s*(?:(?:is|was|are)\s*[:,–—]?|[:–—])\s*\S"),
    _Rule("lesson", r"(?:today |just now |this week |yesterday )?(?:i|we)(?:'ve|’ve| have)?(?: just| now| finally| also| again)* (?:learned|learnt)(?: today| again| from this| the hard way)*(?:\s*[:,–—]|\s+(?:that|the hard way|how important|not to|to (?:always|never)|a lesson))\s*\S"),
    _Rule("lesson", r"(?:it )?turn(?:s|ed) out(?: that|,)?\s+\S|TIL\b\s*[:,]?\s*\S|(?:the |that )?(?:root cause|actual cause|real (?:cause|problem|reason)|culprit)(?: of .{1,60}?)? (?:was|is|turned out|turns out)\b\s+\S", r"\bplease\b|\b(?:can|could) you\b"),
    _Rule("lesson", r"(?:while |after |when |by )?(?:hours of |the |today's |this |some )*(?:debugging|troubleshooting|investigating|testing|profiling)\b.{0,60}?\b(?:i|we|showed?|revealed?|taught|found|discovered|learned|it)\b.+", r"\bplease\b|\b(?:can|could) you\b|^(?:debugging|testing) (?:is|the)\b"),
    _Rule("lesson", r"(?:today |just now )?(?:i|we)(?:'ve|’ve| have)?(?: just| now| finally| also)* (?:found out|discovered|reali[sz]ed|figured out)(?: today)?\s+(?:that|why|the (?:bug|problem|cause|hard way|reason))\b\s*\S", r"\bplease\b|\b(?:can|could) you\b|\bhelp\b|\bfix (?:it|this|that)\b|\b(?:add|find|restore|change|remove) (?:it|them|one)\b"),
    # explicit: Chinese
    _Rule("instruction", r"(?:帮我|替我|给我|你要?|你得|你需要|你必须|一定要|务必要?|千万要?|可要|要|都)*(?:记住|牢记|谨记|切记|记好|记着|记下来?|铭记)(?!密码(?:功能|框|按钮)|我(?:功能|登录))(?:了)?[\s，,：:、]*\S", r"到(?:文件|表格|\S+\.\w+)|(?:记住|记下来?)(?:怎么|如何|为什么|什么|哪)"),
    _Rule("instruction", r"(?:帮我|替我|给我|你)*(?:记一下|记录一下|记一笔|做个?(?:笔记|备忘)|记个(?:笔记|备忘|事)|写(?:进|入|到)(?:你的|长期)?(?:记忆|笔记|备忘)|存(?:进|入|到)(?:你的|长期)?(?:记忆|笔记)|加(?:进|入|到)(?:你的)?(?:记忆|笔记)|把(?:这个|这条|下面的?|以下|这件事).{0,6}(?:记下来|记住|写下来|记到笔记里|写进(?:记忆|笔记)))(?:里|中)?[\s，,：:、]*\S?", r"文件|日志|表格|目录|\.\w{2,4}(?!\w)|(?:内存|CPU|温度|时间|结果|输出|耗时|大小)"),
    _Rule("instruction", r"(?:备忘|备注|笔记|memo|note)\s*[：:]\s*\S", alone=True),
    _Rule("todo", r"(?:帮我|你|可|千万|到时候?|一定)*(?:别忘了?|不要忘(?:了|记)|别忘记|勿忘|不能忘(?:了|记)?|记得)(?!(?:上次|那[个年天次]|当时|以前|之前|小时候|刚才|你|我们?(?:上次|以前|之前|曾|说过|聊过)|昨天))[\s，,：:]*\S", r"记得(?:怎么|如何|什么|哪)", alone=True),
    # how things are to be done from now on: Chinese
    _Rule("instruction", r"(?:你|我们?|咱们?)?(?:以后|今后|往后|从现在(?:开始|起)|从今(?:天|以后|往后)?(?:以后|往后)?(?:起|开始)?|从此(?:以后)?)[\s，,：:]*(?!再说|再看|再聊|再谈|会|想|打算|有机会|有空|有时间|怎么|如何|可能|的|是)\s*\S", r"(?:怎么|如何|什么|哪些|多少|为什么|能不能|会不会)"),
    _Rule("instruction", r"(?!.{0,30}(?:帮我|告诉|转告|通知|生成|打开|查|找|发给|写一[封篇份个]|写个))[^，,：:]{1,20}以后[，,]?(?:都|一律|统一|请|不要|不许|别|就用|只能?用|只|必须|千万|改用|改成)\s*\S", r"(?:怎么|如何|什么|哪些|多少|为什么|报错|失败)"),
    _Rule("instruction", r"(?:你)?(?:永远|绝对|千万|无论如何|任何时候|从来|始终|总是|一律)(?:都)?(?:不要|别|不能|不许|不准|不得|要|用|先|禁止|必须|请)\s*\S"),
    _Rule("instruction", r"(?:你)?每次.{1,30}?(?:都要|都先|都用|都得|都请|先|必须|之前要|前要|之后要|后要|就要|一定要|不要|别)\s*\S", r"报错|失败|出错|崩溃|怎么|为什么"),
    _Rule("instruction", r"(?:再也(?:不要|别|不许|不能)|不要再|别再|不许再|禁止再)(?!说了|试了|等了)\s*\S{2,}"),
    _Rule("instruction", r"(?:你)?(?:就|可以|直接|请)?(?:叫我|称呼我(?:为)?|管我叫)(?!一声|一下|起床|去|来|过|回)\s*\S{1,12}[。！!~]*$|我(?:的名字)?叫[^，。,.什么啥]{1,12}[。！!]*$"),
    _Rule("instruction", r"(?:我希望|我要求?|希望|请)你?(?:以后|今后|永远|始终|总是|每次|一直)\s*\S{2,}|当我(?:说|问|提到|让你).{1,30}(?:时|的时候)[，,]?\s*\S+"),
    # preferences: Chinese
    _Rule("preference", r"(?:我|我们|咱|本人|个人|我个人)(?:这个人|这人|个人|本人|真的|真|其实|一直|一向|平时|向来|从小|特别|非常|十分|很|最|比较|更|更加|不太|不怎么|超级?|还是|也|就|是|都|通常|一般|实在|完全|确实|挺|蛮|有点|不|并不|都不|只|素来)*(?:讨厌|喜欢|偏好|偏爱|厌恶|受不了|受够了|爱用|爱吃|爱喝|爱看|爱听|不爱|习惯于?|倾向于?|反感|钟爱|热爱|看不惯|忍不了|忌口|烦(?!你|请))(?!(?:这|那|它|你|他|她|第[一二三四1-9]个|刚才|上面|前一个|后一个|前者|后者)(?![样种类]))(?:[^了吗。]|$)\s*\S", r"喜欢(?:这个|那个|它|你)|习惯了$"),
    _Rule("preference", r"(?:我|我们|本人)(?:平时|一向|从小|一直|现在|都|通常|一般)*(?:从不|从来不|不吃|不喝|只用|只吃|只喝|只看|只穿|绝不|戒了)\s*\S", r"(?:这个|那个)(?:了)?$"),
    _Rule("preference", r"我(?:妈|爸)?对.{1,20}(?:过敏|反感|不感兴趣|很敏感|没兴趣)|我(?:是)?(?:素食主义者|吃素|左撇子|色盲|乳糖不耐)"),
    _Rule("preference", r"(?:比起|相比|跟|和|与|相较于).{1,30}我(?:更|还是|宁愿|宁可|比较)\s*\S|我(?:宁愿|宁可|更愿意)\s*\S{2,}|我(?:个人)?(?:最喜欢|最爱|最讨厌|偏好|喜欢)的.{1,20}(?:是|有)\s*\S|\S{1,20}\s*我(?:真的|很|最|超|特别|非常|挺)*(?:讨厌|喜欢|受不了|不喜欢)[。！!~]*$|我的(?:偏好|喜好|习惯|最爱)(?:是|：|:)\s*\S"),
    # decisions: Chinese
    _Rule("decision", r"(?:(?:经过|通过|讨论).{1,20}[，,])?(?:我|我们|咱们?|咱俩|团队|大家|项目组|小组|会议|会上)?(?:们)?(?:已经?|最终|最后|刚刚?|今天|昨天|现在|终于|一致|开会|讨论后|商量后|商量好|经过讨论|会上|也|都)*(?:决定|敲定|拍板|商定|选定|议定|达成一致|一致同意|说好|约定|定下来|定了)(?:了|好了|下来)?[\s，,：:]*(?!不了|权|性|因素|怎|吗|$|。|是否|要不要)\s*\S", r"(?:帮我|怎么|如何)决定|决定(?:不了|怎么|如何|哪)"),
    _Rule("decision", r"(?:最终|最后|我们的|这次的?)?(?:决定|结论|方案)(?:是|[：:])\s*\S{2,}|(?:我们|咱们|项目|新项目|我)就(?:用|选|定|采用).{1,30}了[。！!]*$|(?:我们|咱们|团队)(?:最终|最后|还是)?(?:选择了?|改用|采用|选用)\s*\S{2,}"),
    # lessons: Chinese
    _Rule("lesson", r"(?:(?:这次|这回|今天|刚才|刚刚|昨天|本次|这个|此次|上次)\S{0,8}?)?(?:的)?(?:最大的|重要的|深刻的|血的|一个|一条|惨痛的)*(?:经验教训|教训|经验|心得|体会|收获|启示|坑|踩坑(?:记录)?|踩了(?:个|一个)坑)(?:就)?(?:是|：|:|，|,)\s*\S", r"^经验(?:丰富|不足)"),
    _Rule("lesson", r"(?:这次|这回|今天|刚才|刚刚|昨天|本次|此次|上次)?(?:的)?(?:我|我们)?(?:在)?(?:通过|经过)?.{0,8}?(?:调试|排查|部署|上线|测试|事故|复盘|故障|踩坑|迁移|重构|经历|项目|定位)(?:时|中|后|过程中|下来|里|了半天|完)*[，,]?(?:终于|才|我|我们|让我)*(?:发现|学到|明白|证明|说明|得出|意识到|知道)(?:了)?\s*\S", r"帮我|帮忙|怎么|能不能|请你|看看|修一下"),
    _Rule("lesson", r"(?:我|我们|这次|今天|刚才|刚刚|终于|这才|才)+(?:学到|学会|发现|明白|意识到|搞清楚|弄明白|搞懂|总结出)(?:了)?[\s，,：:]*(?:原来|一点|一个道理|一件事)?[：:，,]?\s*\S{3,}", r"帮我|帮忙|怎么|能不能|请|看看|一下|不见了"),
    _Rule("lesson", r"(?:终于)?(?:发现|查明|查到|搞清楚)了?.{2,30}的?(?:原因|根源)(?:是|在于)\s*\S|原来.{2,40}(?:是因为|才是|才能|才行|的原因|导致|造成|引起)|(?:根本原因|根因|真正的?原因|问题的?根源|罪魁祸首)(?:就)?(?:是|在于|：|:|出在)\s*\S|(?:这次|这件事|这)(?:让我|教会我?|告诉我们?|提醒我们?|说明)\s*\S{3,}|(?:吸取|记取).{0,6}教训[，,：:]\S"),
)  # fmt: skip
_LATER = (  # within a sentence whose first clause is a task: only what can mean nothing else
    r"(?:[,;，；、]\s*(?:and |also |but |please |then |by the way |并且?|同时|另外|顺便|还有|然后|也)*|\s+and (?:please |also )*)"
    r"(?=(?:remember|memori[sz]e)\s*(?::|,|that\b|this\b)|from now on\b|(?:请|帮我)?(?:记住|牢记|切记)|(?:以后|今后|从现在(?:开始|起))[都请不别一统])"
)
_CARRIES = (  # tasks that carry somebody's words
    r"^(?:\W*(?:please|pls|can you|could you|would you|now|then|first|next)\s+)*(?:write|send|tell|email|mail|say|text|reply|respond|translate|echo|print|create|rename|append"
    r"|add|post|draft|tweet|message|rewrite|rephrase|summari[sz]e|proofread|correct|read|type|paste|insert|put|save|make|generate|compose|publish|search|grep|find|replace|count|explain|is|what)\b"
    r"|^(?:请|帮我|帮忙|麻烦|给我|你|能不能|可以)*(?:把.{1,30})?(?:写|发|告诉|转告|回复|翻译|打印|生成|通知|创建|新建|修改|润色|总结|搜索|查找|替换|朗读|输出|起草|编辑|念|统计|给.{1,12}(?:发|写|回))"
)


@dataclass(frozen=True, slots=True)
class Remembered:
    """One thing to write down: its kind, the words as said (secrets hidden), whether the request is nothing else."""

    kind: Kind
    text: str
    is_whole: bool


class _Found(NamedTuple):
    kind: Kind
    start: int
    end: int


def importance(text: str, who: str) -> int:
    """How important something said is, 1 to 10: what the owner wants kept, what will hold for long, thanks and greetings."""
    kinds = {each.kind for each in find(text)} if who == "owner" else set()
    if kinds:
        return max(IMPORTANCE[kind] for kind in kinds)
    return (
        LEAST
        if re.fullmatch(_TRIVIAL, text[: MAX_TRIVIAL_CHARS + 1], re.IGNORECASE)
        and len(text) <= MAX_TRIVIAL_CHARS
        else USUAL
    )


def find(text: str, redact: Callable[[str], str] | None = None) -> list[Remembered]:
    """Return what a request says that should be written down at once; nothing for most. `redact`
    hides what the run knows to be secret (default: what looks it). Raises nothing."""
    if not _HINT.search(text[:MAX_CHARS]):
        return []
    text = text[:MAX_CHARS]
    masked = re.sub(
        _QUOTED, lambda match: "\x01" * len(match[0]), text, flags=re.DOTALL | re.MULTILINE
    )
    found, has_task = [], False
    for start, end in _sentences(masked):
        sentence = masked[start:end]
        if re.fullmatch(_TRIVIAL, sentence, re.I):
            continue
        one = _statement(sentence, start, has_task)
        if one is None:
            has_task = True
            if (later := _later(sentence, start)) is not None:
                found.append(later)
            if _has_colon(sentence):
                break  # what follows is what the task is about
            continue
        rest = _has_colon(sentence) and one.kind in ("instruction", "todo")
        found.append(one._replace(end=len(text)) if rest else one)
        if rest:
            break
    return [
        Remembered(one.kind, _as_said(text[one.start : one.end], redact), not has_task)
        for one in found
    ]


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence starts and ends; its outer space is left out."""
    for count, match in enumerate(re.finditer(_SENTENCE, text)):
        if count == MAX_SENTENCES:
            return
        start, end = match.span()
        while start < end and text[start] in " \t\r\n-*•":
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if start < end:
            yield start, end


def _statement(sentence: str, start: int, has_task: bool) -> _Found | None:
    """Return what a sentence is by the way it begins. `has_task`: a task was said before."""
    filler = re.match(_FILLER, sentence, re.I)
    said = sentence[filler.end() :] if filler else sentence
    is_question = re.search(_QUESTION, sentence, re.I) is not None
    for rule in _RULES:
        if (
            (rule.alone and has_task)
            or not re.match(rule.begins, said, re.I)
            or re.search(rule.unless, said, re.I)
        ):
            continue
        if is_question and not re.match(
            r"(?:can|could|will|would) you\b(?=.*\b(?:that|this)\b|.*:)", said, re.I
        ):
            continue
        if re.match(_ASKS, said, re.I) and not re.match(_CAN_YOU_ASK, said, re.I):
            continue
        return _Found(rule.kind, start, start + len(sentence))
    return None


_CAN_YOU_ASK = r"(?:can|could|will|would) you\b|do not\b|when(?:ever)? i\b|do (?:remember|keep|note)\b|what i (?:like|hate|love|prefer)"


def _later(sentence: str, start: int) -> _Found | None:
    """Return what is said behind the first clause of a task: ", and remember that …"."""
    if re.match(_CARRIES, sentence, re.I) or re.search(_QUESTION, sentence, re.I):
        return None
    match = re.search(_LATER, sentence, re.I)
    return _Found("instruction", start + match.end(), start + len(sentence)) if match else None


def _has_colon(sentence: str) -> bool:
    """True when what follows a colon is said of it: none of a time, an address, or a path."""
    return (
        re.search(r"[：]|:(?=\s|\x01|$)|:(?=[^\d\s/\\])(?<!\w\w\w\w\w\w\w\w\w\w\w\w:)", sentence)
        is not None
    )


def _as_said(text: str, redact: Callable[[str], str] | None) -> str:
    """The words without what must not be kept: credentials and the numbers of accounts."""
    from memory.facts.forbidden import ACCOUNTS, CREDENTIAL, is_account, mask
    from safety.secrets import HIDDEN, Redactor

    said = (redact or Redactor({}))(text.strip())
    said = CREDENTIAL.sub(
        lambda match: (
            match[0].replace(match["value"], HIDDEN) if HIDDEN not in match[0] else match[0]
        ),
        said,
    )
    return ACCOUNTS.sub(lambda match: mask(match[0]) if is_account(match[0]) else match[0], said)
