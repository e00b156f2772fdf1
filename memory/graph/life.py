"""How people say what they avoid, fear, have, do and suffer from, and where they are from: more patterns for memory/graph/rules.py."""

from __future__ import annotations

from memory.graph.people import CHINESE
from memory.graph.sayings import MUCH, NAME, ROLE, WHAT, ZH_JOB, ZH_MUCH, ZH_NAME, ZH_WHO, rule

# what shows that something of this is at stake in a talk
AT_STAKE = (
    r"\b(?:avoid|stay(?:ing)? away|steer clear|scares?|terrif|phobia|nervous around|sick of|fed up|obsessed|soft spot|rather|suffer|diagnos|veg(?:an|etarian)|diabet|asthma|grew up|worried about)"
    r"|恐[高水飞]|晕[车船机血]|怕|从来?不[吃喝抽]|吃素|素食|忌口|避免|不耐受|患有|确诊|宁[愿可]|情有独钟|着迷|粉丝|受够|最烦|没兴趣|不感兴趣|长大|出生|老家|结婚|订婚|重要"
)
# and of which nothing can be said without one of these: common words
ABOUT_LIFE = (
    r"\b(?:keep away|eat|drink|smoke|freak|annoy|driv|bother|fear|horror|anxious|uneasy|tired of|bored|hooked|addict|weakness|thing for|beats|better than|choose|pick|have|has|had|['’]ve|own|play|based"
    r"|colou?r|left|coeliac|celiac|dyslexic|autistic|deaf|teetotal|pescatarian|asthmatic|epileptic|learn|stud(?:y|ie)|retire|concerned|due to|[a-z]*(?:er|or|ist|ian|nurse|vet|cook|chef|pilot|judge|student|mechanic|midwife|secretary|barista|architect)\b)"
    r"|不[吃喝抽碰]|左撇子|色盲|远离|戒|有|得了|诊断|查出|与其|迷|热衷|腻|厌倦|无感|很烦|开的?[是一]|弹|拉|吹|打|生于|搬|当|做|是|学|希望|我[更选要]"
)
_NEVER = r"(?:never|don['’]?t|do not|can['’]?t|cannot)"
_CALM = r"(?!(?:much|many|any|anything|more|now|today|a lot|enough|before|after|at|when|in|here|out|that|this|these|it|its|them|lunch|breakfast|dinner|all|yet|too|so|because|and|but|or|well|right|until|either|if|as|with|on|from|to|for|alone|together)\b)"
_FOOD = r"(?P<what>[\w-]+(?: (?!after|before|at|in|on|when|any|because|but|until|during|with|for|so|if|as|much|while)[\w-]+){0,2})"
_A = r"(?:an?|one|two|three|four|five|six|seven|eight|\d{1,2}|my own|some)"
_THING = (
    r"(?:cats?|dogs?|kittens?|pupp(?:y|ies)|horses?|parrots?|rabbits?|hamsters?|goldfish|chickens?|house|flat|apartment|cabin|cottage|car|bikes?|bicycles?|motorbike"
    r"|motorcycle|boat|van|truck|camper(?: van)?|piano|guitar|violin|cello|telescope|printer|laptop|camera|garden|allotment|farm|vineyard|shop|bakery|restaurant)"
)
_ILL = (
    r"(?:(?:mild |severe |chronic |bad |type [12] )?(?:asthma|diabetes|migraines?|epilepsy|adhd|autism|insomnia|hay fever|(?:high|low) blood pressure|hypertension|depression"
    r"|eczema|psoriasis|tinnitus|anemia|anaemia|vertigo|sciatica|gout|cancer|asperger['’]?s|parkinson['’]?s|alzheimer['’]?s|[a-z]+itis|[a-z]+osis|[a-z]+algia)"
    r"|(?:an? )?[a-z]+(?: [a-z]+)? (?:disease|disorder|syndrome|allergy|intolerance|condition)|a bad (?:back|knee|hip|shoulder))"
)
_TRAIT = r"(?:(?:a )?vegetarian|(?:a )?vegan|pescatarian|diabetic|asthmatic|epileptic|lactose[- ]intolerant|gluten[- ]intolerant|colou?r[- ]?blind|left[- ]handed|celiac|coeliac|dyslexic|autistic|deaf|teetotal|teetotall?er)"
_JOB = (
    r"(?:(?:(?!good|bad|great|big|fast|slow|terrible|nice|real|born|hard|better|poor|lousy|decent|careful)[a-z]+ ){0,2}(?:nurse|doctor|dentist|surgeon|vet|lawyer|judge|teacher|professor|lecturer|student|engineer|developer|programmer|designer|architect|carpenter|plumber"
    r"|electrician|mechanic|chef|cook|baker|butcher|waiter|waitress|barista|farmer|gardener|pilot|driver|sailor|soldier|police officer|firefighter|paramedic|pharmacist|therapist|psychologist"
    r"|accountant|consultant|economist|scientist|researcher|physicist|chemist|biologist|historian|journalist|writer|author|editor|translator|interpreter|librarian|musician|singer|painter|artist"
    r"|actor|actress|dancer|photographer|potter|tailor|hairdresser|barber|secretary|salesman|cashier|banker|manager|analyst|technician|electrician|plumber|builder|mason|roofer|welder|midwife|social worker|civil servant))"
)
_INSTRUMENT = r"(?:the [a-z]+|guitar|piano|violin|cello|drums|bass|chess|go|bridge|poker|golf|tennis|football|soccer|basketball|volleyball|hockey|rugby|cricket|badminton|squash|handball)"
_END = r"(?=[,;.!?]| and | but | since | for | in | with | on | at |$)"

_ZH_END = r"(?=[，。！？；,.!?;\s]|$|和|但|而|所以|因为|的时候)"
_ZH_X = r"(?P<what>[^，。！？；：,.!?;:\s“”（）()]{1,10}?)"
_ZH_ILL = r"(?P<what>(?:[轻重慢急]性|先天性)?(?:[^，。！？,.!?\s的个点空没是一]{0,5}(?:病|炎|症|癌|瘤|溃疡|哮喘)|高血压|低血压|高血糖|高血脂|痛风|贫血|失眠|偏头痛|近视|糖尿病))"
_ZH_MANY = r"(?:[一两二三四五六七八九十几]|\d{1,2})(?:[辆只台套架艘匹栋幢座]|条(?=[^，。！？,.!?\s]{0,6}[狗鱼船蛇])|把(?=[^，。！？,.!?\s]{0,6}(?:琴|吉他))|部(?=[^，。！？,.!?\s]{0,6}(?:手机|相机|车)))(?:[^，。！？,.!?\s]{0,6}的)?"
_ZH_SINCE = r"(?:(?:上个?[周月]|去年|今年|前年|最近|刚刚?|已经|后来|小时候|\d{4}年|从小)+)?"
_ZH_PLACE = r"(?P<what>[^，。！？；,.!?;\s的了在]{2,8}?)"

SAID_AS = {  # one label for what is said in several ways: screens have words for it
    **dict.fromkeys(["eat", "从来不吃", "从不吃", "不吃"], "does not eat"),
    **dict.fromkeys(["drink", "从来不喝", "从不喝", "不喝"], "does not drink"),
    **dict.fromkeys(["smoke", "从来不抽", "从不抽", "不抽"], "does not smoke"),
    **dict.fromkeys(
        ["avoid", "stay away from", "keep away from", "stay clear of", "steer clear of", "忌口"],
        "avoids",
    ),
    **dict.fromkeys(["恐", "怕", "afraid of", "scared of", "terrified of"], "afraid of"),
    **dict.fromkeys(["结婚", "领证", "married", "married to"], "married to"),
    **dict.fromkeys(["订婚", "engaged", "engaged to"], "engaged to"),
    **dict.fromkeys(["allergic to", "过敏"], "allergic to"),
    **dict.fromkeys(["intolerant to", "不耐受"], "intolerant to"),
    "晕": "gets sick in",
    "戒了": "gave up",
}

# fmt: off
LIFE = (
    # what is chosen before something else
    rule("PREFERS", r"\bI(?:['’]d| would)(?: much| far)? (?:rather|sooner) (?!not\b|you\b|he\b|she\b|they\b|we\b|it\b|that\b|I\b|die\b)(?P<what>[^,;:.!?()\n]{1,60}?) than (?P<less>[^,;:.!?()\n]+)", confidence=0.8),
    rule("PREFERS", r"\bI(?:['’]d| would)(?: always)? (?:choose|pick|take) (?P<what>[^,;:.!?()\n]{1,60}?) over (?P<less>[^,;:.!?()\n]+?)(?= any (?:day|time)\b|[,;:.!?]|$)", confidence=0.8),
    rule("PREFERS", rf"\b(?:I(?:['’]m| am)|(?P<who>{ROLE}|{NAME}) is) {MUCH}(?:obsessed with|hooked on|addicted to|mad about|nuts about) {WHAT}"),
    rule("PREFERS", rf"\bI(?:['’]ve got| have) a (?:real |big )?(?:soft spot|weakness|thing|passion) for {WHAT}"),
    rule("PREFERS", r"(?:^|[,;] )(?:Nothing beats|There is nothing better than|There['’]s nothing better than) (?P<what>[^,;:.!?()\n]+)"),
    rule("PREFERS", rf"\b(?P<who>my (?:parents|kids|children|sons|daughters|sisters|brothers|cats|dogs)) {MUCH}(?:love|like|enjoy|adore|prefer) {WHAT}"),
    rule("DISLIKES", rf"\b(?P<who>my (?:parents|kids|children|sons|daughters|sisters|brothers|cats|dogs)) {MUCH}(?:hate|dislike|detest|can['’]?t stand|don['’]?t like) {WHAT}"),
    rule("PREFERS", r"(?:^|[。！？，,])(?:我)?(?:宁愿|宁可|宁肯)(?!不|没)(?P<what>[^，。！？,.!?\s]{1,10}?)，?也(?:绝?不|决不)(?:愿意?|想|要|会|肯)?(?P<less>[^，。！？,.!?\s]{1,10})", confidence=0.8),
    rule("PREFERS", r"与其(?P<less>[^，。！？,.!?\s]{1,10}?)，?(?:我(?:还是|更|宁)*(?:愿意?|可|想|喜欢|倾向于)|不如)(?P<what>[^，。！？,.!?\s]{1,10})", confidence=0.8),
    rule("PREFERS", r"[^，。！？,.!?\s]{1,6}[和与跟][^，。！？,.!?\s]{1,6}(?:之间|里面?|当中)，?我(?:更?选择?|更?喜欢|要)(?P<what>[^，。！？,.!?\s]{1,6})"),
    rule("PREFERS", rf"{ZH_WHO}对{_ZH_X}(?:情有独钟|很?着迷|(?:很|特别|非常)感兴趣)"),
    rule("PREFERS", rf"{ZH_WHO}{ZH_MUCH}(?:沉迷于?|痴迷于?|迷上了?|热衷于?|(?<=[很特别非常最])迷){_ZH_X}{_ZH_END}"),
    rule("PREFERS", rf"{ZH_WHO}是(?!不是){_ZH_X}的(?:忠实|铁杆|超级)?(?:粉丝|歌迷|影迷|球迷|戏迷)"),
    # what is avoided, and never eaten or drunk
    rule("DISLIKES", rf"\bI {MUCH}(?:try to |tend to |have to |always |usually )?(?P<label>avoid|stay away from|keep away from|stay clear of|steer clear of) (?!answering|saying|being|having|doing|thinking|getting|it\b|that\b)(?P<what>[^,;:.!?()\n]+?)(?= whenever| where| if| as much| when| at all| because|[,;:.!?]|$)"),
    rule("DISLIKES", rf"\bI {_NEVER} (?P<label>eat|drink|smoke) {_CALM}{_FOOD}"),
    rule("DISLIKES", rf"(?:^|[，。,\s]){ZH_WHO}(?P<label>从来?不吃|从来?不喝|从来?不抽|不吃|不喝|不抽|忌口|戒了)(?!了|下|完|饭|药|早|午|晚|惯|起|得|到|动|消|香|过|亏|准){_ZH_X}{_ZH_END}"),
    rule("DISLIKES", rf"{ZH_WHO}(?:尽量|一直|总是?|都|会)*(?:避免|不碰|远离)(?!不了|了)(?:[吃喝碰看](?=\w))?{_ZH_X}{_ZH_END}"),
    rule("DISLIKES", rf"{ZH_WHO}(?P<what>[^，。！？,.!?\s对有没是会不]{{1,5}}?)(?P<label>过敏|不耐受)", confidence=0.85),
    # what is feared, and what wears somebody out
    rule("DISLIKES", r"(?:^|[,;] )(?P<what>(?!It\b|That\b|This\b|He\b|She\b|You\b|They\b)[A-Z][\w' -]{1,40}?) (?:really |always |still )?(?:scares?|terrif(?:y|ies)|frightens?|annoys?|freaks?|bothers?|disgusts?) me\b"),
    rule("DISLIKES", r"(?:^|[,;] )(?P<what>(?!It\b|That\b|This\b|He\b|She\b|You\b|They\b)[A-Z][\w' -]{1,40}?) (?:always |really )?(?:drives?|makes?) me (?:crazy|mad|nuts|insane|up the wall)\b"),
    rule("DISLIKES", rf"\b(?:I(?:['’]ve| have|['’]ve got)|(?P<who>{ROLE}|{NAME}) has) (?:a |an |always had a )?(?:terrible |deep |huge |big |mild )?(?:fear|phobia|dread|horror) of {WHAT}", "afraid of", 0.85),
    rule("DISLIKES", r"\bI (?:get|feel|am always) (?:very |really |so |quite )?(?:nervous|anxious|uneasy|panicky|uncomfortable) (?:around|in|near|about|with) (?P<what>[^,;:.!?()\n]+)", "afraid of"),
    rule("DISLIKES", rf"\bI(?:['’]m| am) {MUCH}(?:sick(?: and tired)? of|fed up with|tired of|bored of) (?!being\b|this\b|it\b|that\b|waiting\b){WHAT}"),
    rule("DISLIKES", rf"(?:^|[，。,\s但]){ZH_WHO}{ZH_MUCH}(?:有点|有些)?(?P<label>恐(?=[高水飞])|晕(?=[车船机血])|怕(?=[黑冷热生高水疼痛鬼狗猫蛇虫]{_ZH_END}))(?P<what>[高水飞车船机血黑冷热生疼痛鬼狗猫蛇虫])"),
    rule("DISLIKES", rf"(?:^|[，。,\s但]){ZH_WHO}(?:有点|有些|很|最|特别|非常|从小就?|一直)*(?P<label>怕)(?!是|不|没|你|我|他|她|它|来|什么|得|麻烦你|打扰)(?P<what>[^，。！？,.!?\s是你我他她会要不没了太]{{2,6}}){_ZH_END}"),
    rule("DISLIKES", rf"{ZH_WHO}(?:真的|已经|实在)*(?:受够了|最烦|烦透了|厌倦了?|腻了)(?!你|他|她|我)_X_{_ZH_END}".replace("_X_", _ZH_X)),
    rule("DISLIKES", rf"{ZH_WHO}对{_ZH_X}(?:没(?:什么|有)?兴趣|不感兴趣|无感|提不起兴趣)"),
    rule("DISLIKES", r"(?:^|[，。,])(?P<what>(?![我你他她它这那])[^，。！？,.!?\s]{2,10}?)让我(?:很|非常|特别|好|真)(?:烦|讨厌|崩溃|受不了)"),
    # health, and what somebody is
    rule("RELATES_TO", rf"\b(?:I {MUCH}(?:have|suffer from|live with)|(?P<who>{ROLE}|{NAME}) (?:has|suffers from|lives with)) (?P<what>{_ILL}){_END}", "has", 0.8, lasts=True),
    rule("RELATES_TO", rf"\b(?:I(?: was|['’]ve been| have been)|(?P<who>{ROLE}|{NAME}) (?:was|has been)) diagnosed with (?P<what>[^,;:.!?()\n]+?)(?= (?:last|in|at|when|two|three|a|this)\b|[,;:.!?]|$)", "has", 0.8, lasts=True),
    rule("RELATES_TO", rf"\b(?:I(?:['’]m| am)|(?P<who>{ROLE}|{NAME}) is) {MUCH}(?P<what>{_TRAIT})\b", "is", 0.8, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}{_ZH_SINCE}(?:一直|也|都)*(?:患有|患了|得了|得过|有|确诊为?了?|被?(?:诊断|查)出(?:患?有|了)?){_ZH_ILL}", "has", 0.8, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}(?:一直|从小|也|都)*(?:是个?)?(?P<what>吃素|素食者|素食主义者|左撇子|色盲|糖尿病人|糖尿病患者){_ZH_END}", "is", 0.8, lasts=True),
    # what belongs to somebody
    rule("RELATES_TO", rf"\b(?:(?:I|we) (?:also |now )?own|(?P<who>{ROLE}|{NAME}) owns) {_A} (?P<what>[^,;:.!?()\n]+)", "has", 0.8, lasts=True),
    rule("RELATES_TO", rf"\b(?:(?:I|we)(?:['’]ve got| have)(?: got)?|(?P<who>{ROLE}|{NAME}) has) {_A} (?P<what>(?:[\w-]+ ){{0,2}}{_THING}(?: in {NAME})?){_END}", "has", 0.7, lasts=True),
    rule("RELATES_TO", rf"\b(?:I drive|(?P<who>{ROLE}|{NAME}) drives) an? (?P<what>(?:[a-z-]+ )?(?:{NAME}|car|van|truck|taxi|bus|tram)){_END}", "drives", 0.8, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s])(?:{ZH_WHO}|我们?家)(?:里|现在)?(?:有|养了|养着){_ZH_MANY}(?P<what>[^，。！？,.!?\s叫坏丢想要没了]{{1,8}}?){_ZH_END}", "has", 0.7, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}在[^，。！？,.!?\s]{{2,8}}有{_ZH_MANY}(?P<what>[^，。！？,.!?\s]{{1,8}}?){_ZH_END}", "has", 0.7, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}(?:现在|平时)?开的?(?:是|一)[辆台](?P<what>[^，。！？,.!?\s]{{1,8}}?){_ZH_END}", "drives", 0.8, lasts=True),
    # what somebody does
    rule("RELATES_TO", rf"\b(?:I(?:['’]m| am)|(?P<who>{ROLE}|{NAME}) is) an? (?P<what>{_JOB}){_END}", "works as", 0.8, lasts=True),
    rule("RELATES_TO", rf"\b(?:I work|I(?:['’]m| am) working|(?P<who>{ROLE}|{NAME}) works) as an? (?P<what>[\w-]+(?: [\w-]+)?){_END}", "works as", 0.85, lasts=True),
    rule("RELATES_TO", rf"\b(?:I (?:also )?play|(?P<who>{ROLE}|{NAME}) plays) (?P<what>{_INSTRUMENT}){_END}", "plays", 0.8, lasts=True),
    rule("RELATES_TO", r"\bI(?:['’]m| am|['’]ve been| have been) (?:currently |now )?(?:learning|studying) (?P<what>(?!to\b|how\b|that\b|about\b|the hard\b|a lot\b|more\b|for\b)[^,;:.!?()\n]+?)(?= (?:for|since|at|with|these|right|now|because)\b|[,;:.!?]|$)", "learns", 0.7, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}(?:是(?:一[名个位])?|当|做)(?:一[名个位])?(?P<what>{ZH_JOB}){_ZH_END}", "works as", 0.8, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}(?:会|喜欢)?(?:弹|拉|吹|打)(?P<what>钢琴|吉他|古筝|琵琶|小提琴|大提琴|二胡|笛子|萨克斯|长笛|鼓|篮球|网球|乒乓球|羽毛球|太极拳?){_ZH_END}", "plays", 0.8, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}(?:正在|最近在|现在在|在)学(?:习)?(?!校|期)(?P<what>[^，。！？,.!?\s着]{{2,6}}?){_ZH_END}", "learns", 0.7, lasts=True),
    # where somebody is from
    rule("RELATES_TO", rf"\b(?:I|(?P<who>{ROLE}|{NAME})) (?:grew up|was raised) in (?P<what>{NAME})", "grew up in", 0.85, lasts=True),
    rule("RELATES_TO", rf"\b(?:I|(?P<who>{ROLE}|{NAME})) was born in (?P<what>{NAME})", "born in", 0.85, lasts=True),
    rule("RELATES_TO", rf"\b(?P<who>my (?:parents|kids|children|sons|daughters|sisters|brothers)) live in (?P<what>{NAME})", "lives in", 0.85, lasts=True),
    rule("RELATES_TO", rf"\bI(?:['’]m| am) based in (?P<what>{NAME})", "lives in", 0.85, lasts=True),
    rule("RELATES_TO", rf"\b(?:I|(?P<who>{ROLE}|{NAME}))(?:['’]ve| have| has)?(?: just| recently)? moved to (?P<what>{NAME})", "moved to", 0.8, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}{_ZH_SINCE}在{_ZH_PLACE}长大", "grew up in", 0.85, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}{_ZH_SINCE}(?:出生[在于]|生于|生在){_ZH_PLACE}{_ZH_END}", "born in", 0.85, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}的?老家(?:是|在){_ZH_PLACE}{_ZH_END}", "from", 0.85, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s]){ZH_WHO}{_ZH_SINCE}搬(?:到|去)了?(?!楼|这|那|隔壁|一起|新){_ZH_PLACE}了?{_ZH_END}", "moved to", 0.8, lasts=True),
    # to whom somebody belongs
    rule("RELATES_TO", rf"\b(?:I(?:['’]m| am)|(?P<who>{ROLE}|{NAME}) is) (?P<label>married to|engaged to) (?P<what>{NAME})", confidence=0.85, lasts=True),
    rule("RELATES_TO", rf"\b(?P<what>{NAME}) and I (?:got|are|have been) (?P<label>engaged|married)\b", confidence=0.8, lasts=True),
    rule("RELATES_TO", rf"(?:^|[，。,\s])我(?:去年|今年|上个?月|刚刚?)?[和跟与](?P<what>{ZH_NAME})(?P<label>结婚|订婚|领证)了", confidence=0.85, lasts=True),
    rule("RELATES_TO", rf"(?P<who>我)们?家?最(?:要?好)的(?P<label>{CHINESE})(?:叫做?|名叫|是)(?P<what>{ZH_NAME})(?=[，。！？,.!?\s]|$)", confidence=0.85, lasts=True),
    # what matters for long
    rule("CARES_ABOUT", r"\bI(?:['’]ve| have) always (?:wanted|dreamed|hoped) (?:to|of) (?P<what>[^,;:.!?()\n]+)", "goal", 0.8, lasts=True),
    rule("CARES_ABOUT", r"\bI(?:['’]d love| want| hope| would love| plan) to (?P<what>(?:visit|see|travel to|move to|climb|sail|retire|live|finish|own)\b[^,;:.!?()\n]*?)(?: some ?day| one day| before I die| eventually)", "goal", 0.7, lasts=True),
    rule("CARES_ABOUT", r"\bI (?:hope|plan|want|intend) to (?P<what>retire [^,;:.!?()\n]+)", "goal", 0.7, lasts=True),
    rule("CARES_ABOUT", rf"\bI(?:['’]m| am) {MUCH}(?:worried|concerned) about (?!it\b|that\b|this\b){WHAT}"),
    rule("CARES_ABOUT", rf"\bI(?:['’]ve| have)? promised (?:{ROLE}|{NAME}) (?P<what>(?:an?|the|some|two|three) [^,;:.!?()\n]+)", "promise", 0.8, lasts=True),
    rule("CARES_ABOUT", rf"(?:^|[，。,\s]){ZH_WHO}的(?P<what>[^，。！？,.!?\s]{{1,8}})对我(?:来说)?(?:很|非常|特别|最|真的)*重要"),
    rule("CARES_ABOUT", r"我(?:一直|从小就?)(?:都|很)*(?:想|梦想)(?:要)?(?P<what>去[^，。！？,.!?\s]+)", "goal", 0.7, lasts=True),
    rule("CARES_ABOUT", r"我(?:希望|计划|打算)(?:能|在)?(?P<what>[^，。！？,.!?\s]{0,6}退休)", "goal", 0.7, lasts=True),
    rule("CARES_ABOUT", r"我(?:一直)?梦想(?:着|能|有一天)?(?P<what>[^，。！？,.!?\s是]{2,12})", "goal", 0.8, lasts=True),
    # causes
    rule("CAUSED_BY", r"^\W*(?P<who>[^,;:.!?()\n]{3,60}?) (?:was|were) (?:all )?(?:due to|because of|down to) (?!(?:be|run|start|arrive|begin|end|leave|happen|go|come|take|open|close|expire|return|meet|see|finish)\b)(?P<what>[^,;:.!?()\n]+)", confidence=0.8, lasts=True),
)
# fmt: on
