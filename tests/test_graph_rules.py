"""Check what plain words say of people and things, English and Chinese, without a model; and what
they do not say."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from memory.graph.people import meant, roles_in, speaker
from memory.graph.rules import mentions, statements
from memory.graph.shapes import LESS, OWNER, entity, key_of
from memory.journal.turns import Turn


def said(text: str, who: str = "owner", session: str = "main") -> set[tuple[str, str, str, str]]:
    turn = Turn("t", session, who, text, datetime(2026, 2, 1, tzinfo=UTC))
    return {
        (each.subject.name, each.predicate, each.label or each.emotion, each.object.name)
        for each in statements(1, turn)
    }


CLEAR = (
    ("I love hiking in the mountains.", ("owner", "PREFERS", "", "hiking")),
    ("I really enjoy long train rides, by the way.", ("owner", "PREFERS", "", "long train rides")),
    ("I prefer tea over coffee.", ("owner", "PREFERS", "", "tea")),
    ("I'm a big fan of Nintendo games!", ("owner", "PREFERS", "", "Nintendo games")),
    ("My favourite colour is dark green.", ("owner", "PREFERS", "favourite colour", "dark green")),
    ("I can't stand loud open offices.", ("owner", "DISLIKES", "", "loud open offices")),
    ("I don't like coriander, sorry.", ("owner", "DISLIKES", "", "coriander")),
    ("I am allergic to peanuts.", ("owner", "DISLIKES", "allergic to", "peanuts")),
    ("Anna hates flying.", ("Anna", "DISLIKES", "", "flying")),
    ("My sister doesn't like rain.", ("My sister", "DISLIKES", "", "rain")),
    ("My sister's name is Anna.", ("owner", "RELATES_TO", "sister", "Anna")),
    ("my mom Carol came by", ("owner", "RELATES_TO", "mother", "Carol")),
    ("Bob is my boss.", ("owner", "RELATES_TO", "boss", "Bob")),
    ("Bob's wife is Carol.", ("Bob", "RELATES_TO", "wife", "Carol")),
    ("I have a dog named Rex.", ("owner", "RELATES_TO", "dog", "Rex")),
    ("I work at Siemens.", ("owner", "RELATES_TO", "works at", "Siemens")),
    ("Anna lives in Berlin.", ("Anna", "RELATES_TO", "lives in", "Berlin")),
    ("I joined a choir last week.", ("owner", "RELATES_TO", "joined", "choir")),
    ("My goal is to run a marathon in under four hours.", ("owner", "CARES_ABOUT", "goal", "run a marathon in under four hours")),
    ("I promised Anna to water the plants.", ("owner", "CARES_ABOUT", "promise", "water the plants")),
    ("I care a lot about privacy.", ("owner", "CARES_ABOUT", "", "privacy")),
    ("I love my sister so much.", ("owner", "CARES_ABOUT", "", "my sister")),
    ("Thunderstorms always make me anxious.", ("owner", "DISLIKES", "anxious", "Thunderstorms")),
    ("The outage was caused by a full disk.", ("outage", "CAUSED_BY", "", "full disk")),
    ("我喜欢吃辣。", ("owner", "PREFERS", "", "吃辣")),
    ("我最喜欢的颜色是绿色。", ("owner", "PREFERS", "颜色", "绿色")),
    ("我一直都很喜欢爵士乐", ("owner", "PREFERS", "", "爵士乐")),
    ("我不喜欢香菜，谢谢", ("owner", "DISLIKES", "", "香菜")),
    ("我受不了噪音。", ("owner", "DISLIKES", "", "噪音")),
    ("我对花生过敏。", ("owner", "DISLIKES", "allergic to", "花生")),
    ("我妹妹叫小红。", ("owner", "RELATES_TO", "sister", "小红")),
    ("小红是我妹妹。", ("owner", "RELATES_TO", "sister", "小红")),
    ("我妹妹讨厌下雨天。", ("我妹妹", "DISLIKES", "", "下雨天")),
    ("王芳喜欢喝咖啡。", ("王芳", "PREFERS", "", "喝咖啡")),
    ("我养了一只猫叫咪咪。", ("owner", "RELATES_TO", "cat", "咪咪")),
    ("我住在杭州。", ("owner", "RELATES_TO", "lives in", "杭州")),
    ("我在阿里巴巴工作。", ("owner", "RELATES_TO", "works at", "阿里巴巴")),
    ("我的目标是跑完马拉松。", ("owner", "CARES_ABOUT", "goal", "跑完马拉松")),
    ("我答应妈妈每周打电话。", ("owner", "CARES_ABOUT", "promise", "每周打电话")),
    ("打雷总是让我紧张。", ("owner", "DISLIKES", "紧张", "打雷")),
    ("这次故障是由磁盘满引起的。", ("故障", "CAUSED_BY", "", "磁盘满")),
)  # fmt: skip


@pytest.mark.parametrize(("text", "statement"), CLEAR, ids=[text for text, _ in CLEAR])
def test_plain_words_are_understood(text: str, statement: tuple[str, str, str, str]) -> None:
    assert statement in said(text)


LIFE: tuple[tuple[str, tuple[str, str, str, str]], ...] = (
    ("I'd rather take the train than drive.", ("owner", "PREFERS", "less", "drive")),
    ("I'd choose jazz over pop any day.", ("owner", "PREFERS", "", "jazz")),
    ("Nothing beats a hot bath.", ("owner", "PREFERS", "", "hot bath")),
    ("I've got a soft spot for old radios.", ("owner", "PREFERS", "", "old radios")),
    ("My kids adore pancakes.", ("My kids", "PREFERS", "", "pancakes")),
    ("I avoid gluten whenever I can.", ("owner", "DISLIKES", "avoids", "gluten")),
    ("I try to stay away from sugar.", ("owner", "DISLIKES", "avoids", "sugar")),
    ("I never eat pork.", ("owner", "DISLIKES", "does not eat", "pork")),
    ("I never drink coffee after noon.", ("owner", "DISLIKES", "does not drink", "coffee")),
    ("Heights scare me.", ("owner", "DISLIKES", "", "Heights")),
    ("I have a fear of flying.", ("owner", "DISLIKES", "afraid of", "flying")),
    ("I get nervous around large crowds.", ("owner", "DISLIKES", "afraid of", "large crowds")),
    ("Loud chewing drives me crazy.", ("owner", "DISLIKES", "", "Loud chewing")),
    ("I'm vegetarian.", ("owner", "RELATES_TO", "is", "vegetarian")),
    ("My mother has high blood pressure.", ("My mother", "RELATES_TO", "has", "high blood pressure")),
    ("I was diagnosed with celiac disease last year.", ("owner", "RELATES_TO", "has", "celiac disease")),
    ("We have a cabin in Norway.", ("owner", "RELATES_TO", "has", "cabin in Norway")),
    ("I own a red Volvo.", ("owner", "RELATES_TO", "has", "red Volvo")),
    ("I play the cello.", ("owner", "RELATES_TO", "plays", "cello")),
    ("I moved to Lisbon in March.", ("owner", "RELATES_TO", "moved to", "Lisbon")),
    ("My parents live in Lyon.", ("My parents", "RELATES_TO", "lives in", "Lyon")),
    ("My husband is a nurse.", ("My husband", "RELATES_TO", "works as", "nurse")),
    ("Tom and I got engaged.", ("owner", "RELATES_TO", "engaged to", "Tom")),
    ("My dentist is Dr. Weber.", ("owner", "RELATES_TO", "doctor", "Dr Weber")),
    ("I've always wanted to see the northern lights.", ("owner", "CARES_ABOUT", "goal", "see the northern lights")),
    ("I promised Mia a new bike.", ("owner", "CARES_ABOUT", "promise", "new bike")),
    ("The delay was due to a missing part.", ("delay", "CAUSED_BY", "", "missing part")),
    ("我恐高。", ("owner", "DISLIKES", "afraid of", "高")),
    ("我有点怕黑。", ("owner", "DISLIKES", "afraid of", "黑")),
    ("我妈妈晕车。", ("我妈妈", "DISLIKES", "gets sick in", "车")),
    ("我从来不吃猪肉。", ("owner", "DISLIKES", "does not eat", "猪肉")),
    ("我尽量避免吃糖。", ("owner", "DISLIKES", "", "糖")),
    ("我海鲜过敏。", ("owner", "DISLIKES", "allergic to", "海鲜")),
    ("我爸爸有高血压。", ("我爸爸", "RELATES_TO", "has", "高血压")),
    ("我去年被诊断出胃溃疡。", ("owner", "RELATES_TO", "has", "胃溃疡")),
    ("我是素食者。", ("owner", "RELATES_TO", "is", "素食者")),
    ("我宁愿坐火车也不坐飞机。", ("owner", "PREFERS", "less", "坐飞机")),
    ("与其看电影，我更愿意看书。", ("owner", "PREFERS", "", "看书")),
    ("我对古典音乐情有独钟。", ("owner", "PREFERS", "", "古典音乐")),
    ("我受够了加班。", ("owner", "DISLIKES", "", "加班")),
    ("堵车让我很烦。", ("owner", "DISLIKES", "", "堵车")),
    ("我家有两只猫。", ("owner", "RELATES_TO", "has", "猫")),
    ("我开一辆特斯拉。", ("owner", "RELATES_TO", "drives", "特斯拉")),
    ("我在成都长大。", ("owner", "RELATES_TO", "grew up in", "成都")),
    ("我老家是湖南。", ("owner", "RELATES_TO", "from", "湖南")),
    ("我父母住在苏州。", ("我父母", "RELATES_TO", "lives in", "苏州")),
    ("我老婆是律师。", ("我老婆", "RELATES_TO", "works as", "律师")),
    ("我和李娜结婚了。", ("owner", "RELATES_TO", "married to", "李娜")),
    ("我最好的朋友是王强。", ("owner", "RELATES_TO", "friend", "王强")),
    ("我的花园对我很重要。", ("owner", "CARES_ABOUT", "", "花园")),
)  # fmt: skip
NOT_OF_LIFE = (
    "I have a meeting at three.",
    "I have a question about the invoice.",
    "I have a bad cold.",
    "I have a car to wash.",
    "I can't eat right now.",
    "We don't eat out much.",
    "I avoid answering that for now.",
    "I'm afraid I can't come.",
    "I'd rather not say.",
    "I'd rather you came later.",
    "I'd rather die than go there.",
    "I'm tired of waiting.",
    "I drive a hard bargain.",
    "I play along.",
    "I was born in 1980.",
    "I'm learning a lot.",
    "Max is a good driver.",
    "The test was due to run at nine.",
    "Nothing beats it.",
    "我怕是来不了了。",
    "我怕你等太久。",
    "我怕麻烦你。",
    "我有一个问题。",
    "我有一条建议。",
    "我有一台旧打印机坏了。",
    "我避免不了。",
    "我不吃了，饱了。",
    "我不吃亏。",
    "我拉肚子了。",
    "我在学校。",
    "我是来问路的。",
    "我当然知道。",
    "我和他结婚了。",
    "我搬到楼上了。",
    "我宁愿不说。",
    "这件事让我很烦。",
    "我海鲜过敏吗？",
)


@pytest.mark.parametrize(("text", "statement"), LIFE, ids=[text for text, _ in LIFE])
def test_what_people_avoid_fear_have_and_do_is_understood(
    text: str, statement: tuple[str, str, str, str]
) -> None:
    assert statement in said(text)


@pytest.mark.parametrize("text", NOT_OF_LIFE)
def test_words_that_only_sound_like_it_say_nothing_of_a_life(text: str) -> None:
    assert said(text) == set()


LIKED = (
    ('I prefer tea to coffee.', {('owner', 'PREFERS', 'tea')}),
    ('I like tea better than coffee.', {('owner', 'PREFERS', 'tea')}),
    ('Given the choice I prefer the train to flying.', {('owner', 'PREFERS', 'train')}),
    ('I much prefer dark chocolate to milk chocolate.', {('owner', 'PREFERS', 'dark chocolate')}),
    ('My brother prefers cats to dogs.', {('My brother', 'PREFERS', 'cats')}),
    ('I love Bach and hate techno.', {('owner', 'DISLIKES', 'techno'), ('owner', 'PREFERS', 'Bach')}),
    ('I like apples, pears and plums.', {('owner', 'PREFERS', 'apples'), ('owner', 'PREFERS', 'pears'), ('owner', 'PREFERS', 'plums')}),
    ('I enjoy reading and swimming.', {('owner', 'PREFERS', 'reading'), ('owner', 'PREFERS', 'swimming')}),
    ("I don't like onions or garlic.", {('owner', 'DISLIKES', 'garlic'), ('owner', 'DISLIKES', 'onions')}),
    ('I neither like football nor tennis.', {('owner', 'DISLIKES', 'football'), ('owner', 'DISLIKES', 'tennis')}),
    ('I am not a fan of spicy food.', {('owner', 'DISLIKES', 'spicy food')}),
    ('Mushrooms are my favourite food.', {('owner', 'PREFERS', 'Mushrooms')}),
    ('My favorite season is autumn.', {('owner', 'PREFERS', 'autumn')}),
    ('I am really into modular synths.', {('owner', 'PREFERS', 'modular synths')}),
    ('I am allergic to cats and pollen.', {('owner', 'DISLIKES', 'cats'), ('owner', 'DISLIKES', 'pollen')}),
    ('My wife Clara loves opera.', {('Clara', 'PREFERS', 'opera'), ('owner', 'RELATES_TO', 'Clara')}),
    ('Clara hates long meetings.', {('Clara', 'DISLIKES', 'long meetings')}),
    ("My daughter's name is Emma and she plays the cello.", {('owner', 'RELATES_TO', 'Emma')}),
    ('I work for Bosch.', {('owner', 'RELATES_TO', 'Bosch')}),
    ('I live in Lyon with my cat Minou.', {('owner', 'RELATES_TO', 'Lyon'), ('owner', 'RELATES_TO', 'Minou')}),
    ("I'm from Porto.", {('owner', 'RELATES_TO', 'Porto')}),
    ('I want to learn Italian this year.', {('owner', 'CARES_ABOUT', 'learn Italian this year')}),
    ('I promised my mother to call every Sunday.', {('owner', 'CARES_ABOUT', 'call every Sunday')}),
    ('Privacy matters a lot to me.', {('owner', 'CARES_ABOUT', 'Privacy')}),
    ("I worry about my father's health.", {('owner', 'CARES_ABOUT', "father's health")}),
    ('比起咖啡我更喜欢茶。', {('owner', 'PREFERS', '茶')}),
    ('比起开车，我更喜欢骑车。', {('owner', 'PREFERS', '骑车')}),
    ('相比咖啡，我更爱喝茶。', {('owner', 'PREFERS', '喝茶')}),
    ('我喜欢茶胜过咖啡。', {('owner', 'PREFERS', '茶')}),
    ('我喜欢茶多过咖啡。', {('owner', 'PREFERS', '茶')}),
    ('和咖啡相比，我更喜欢茶。', {('owner', 'PREFERS', '茶')}),
    ('我弟弟比起狗更喜欢猫。', {('我弟弟', 'PREFERS', '猫')}),
    ('我喜欢巴赫，讨厌电子乐。', {('owner', 'DISLIKES', '电子乐'), ('owner', 'PREFERS', '巴赫')}),
    ('我喜欢苹果、梨和李子。', {('owner', 'PREFERS', '李子'), ('owner', 'PREFERS', '梨'), ('owner', 'PREFERS', '苹果')}),
    ('我不喜欢洋葱和大蒜。', {('owner', 'DISLIKES', '大蒜'), ('owner', 'DISLIKES', '洋葱')}),
    ('我既不喜欢足球也不喜欢网球。', {('owner', 'DISLIKES', '网球'), ('owner', 'DISLIKES', '足球')}),
    ('我受不了被打断。', {('owner', 'DISLIKES', '被打断')}),
    ('我最喜欢的季节是秋天。', {('owner', 'PREFERS', '秋天')}),
    ('秋天是我最喜欢的季节。', {('owner', 'PREFERS', '秋天')}),
    ('我对猫和花粉过敏。', {('owner', 'DISLIKES', '猫'), ('owner', 'DISLIKES', '花粉')}),
    ('我妻子小兰喜欢歌剧。', {('owner', 'RELATES_TO', '小兰'), ('小兰', 'PREFERS', '歌剧')}),
    ('小兰讨厌开长会。', {('小兰', 'DISLIKES', '开长会')}),
    ('我女儿叫小梅，她拉大提琴。', {('owner', 'RELATES_TO', '小梅')}),
    ('我在华为上班。', {('owner', 'RELATES_TO', '华为')}),
    ('我住在里昂。', {('owner', 'RELATES_TO', '里昂')}),
    ('我是四川人。', {('owner', 'RELATES_TO', '四川')}),
    ('我的猫叫咪咪。', {('owner', 'RELATES_TO', '咪咪')}),
    ('我想学会意大利语。', {('owner', 'CARES_ABOUT', '学会意大利语')}),
    ('我答应妈妈每个星期天打电话。', {('owner', 'CARES_ABOUT', '每个星期天打电话')}),
    ('我很在乎隐私。', {('owner', 'CARES_ABOUT', '隐私')}),
    ('我担心爸爸的身体。', {('owner', 'CARES_ABOUT', '爸爸的身体')}),
    ('我从小就爱看科幻小说。', {('owner', 'PREFERS', '看科幻小说')}),
    ('I prefer trains over planes for short trips.', {('owner', 'PREFERS', 'trains')}),
    ('I like swimming more than running.', {('owner', 'PREFERS', 'swimming')}),
    ('My sister likes rabbits better than cats.', {('My sister', 'PREFERS', 'rabbits')}),
    ('Anna prefers written notes to phone calls.', {('Anna', 'PREFERS', 'written notes')}),
    ('I really like olives, capers and anchovies.', {('owner', 'PREFERS', 'anchovies'), ('owner', 'PREFERS', 'capers'), ('owner', 'PREFERS', 'olives')}),
    ('I enjoy cooking but I hate cleaning.', {('owner', 'DISLIKES', 'cleaning'), ('owner', 'PREFERS', 'cooking')}),
    ("I don't like horror films or thrillers.", {('owner', 'DISLIKES', 'horror films'), ('owner', 'DISLIKES', 'thrillers')}),
    ('I love rock and roll.', {('owner', 'PREFERS', 'rock and roll')}),
    ('Saffron is my favourite spice.', {('owner', 'PREFERS', 'Saffron')}),
    ("I'm keen on gardening.", {('owner', 'PREFERS', 'gardening')}),
    ('My husband Paul works at Airbus.', {('Paul', 'RELATES_TO', 'Airbus'), ('owner', 'RELATES_TO', 'Paul')}),
    ("I'm terrified of spiders.", {('owner', 'DISLIKES', 'spiders')}),
    ('Family means everything to me.', {('owner', 'CARES_ABOUT', 'Family')}),
    ('My dream is to open a small bookshop.', {('owner', 'CARES_ABOUT', 'open a small bookshop')}),
    ('比起飞机，我更喜欢火车。', {('owner', 'PREFERS', '火车')}),
    ('跟跑步相比我更爱游泳。', {('owner', 'PREFERS', '游泳')}),
    ('我妹妹喜欢兔子多过猫。', {('我妹妹', 'PREFERS', '兔子')}),
    ('王芳比起打电话更喜欢写信。', {('王芳', 'PREFERS', '写信')}),
    ('我喜欢橄榄、番茄和奶酪。', {('owner', 'PREFERS', '奶酪'), ('owner', 'PREFERS', '橄榄'), ('owner', 'PREFERS', '番茄')}),
    ('我喜欢做饭，但讨厌打扫。', {('owner', 'DISLIKES', '打扫'), ('owner', 'PREFERS', '做饭')}),
    ('我不太喜欢恐怖片和惊悚片。', {('owner', 'DISLIKES', '恐怖片'), ('owner', 'DISLIKES', '惊悚片')}),
    ('我喜欢和平。', {('owner', 'PREFERS', '和平')}),
    ('藏红花是我最喜欢的香料。', {('owner', 'PREFERS', '藏红花')}),
    ('我热爱园艺。', {('owner', 'PREFERS', '园艺')}),
    ('我很害怕蜘蛛。', {('owner', 'DISLIKES', '蜘蛛')}),
    ('我特别重视家庭。', {('owner', 'CARES_ABOUT', '家庭')}),
    ('我的梦想是开一家小书店。', {('owner', 'CARES_ABOUT', '开一家小书店')}),
    ('我儿子叫乐乐，喜欢恐龙。', {('owner', 'RELATES_TO', '乐乐')}),
)  # fmt: skip


@pytest.mark.parametrize(("text", "meant"), LIKED, ids=[text for text, _ in LIKED])
def test_everyday_sentences_say_this_and_no_more(
    text: str, meant: set[tuple[str, str, str]]
) -> None:
    """Say by its label what is liked less than something else, and look at it below."""
    assert {
        (subject, predicate, object)
        for subject, predicate, label, object in said(text)
        if label != LESS
    } == meant


@pytest.mark.parametrize(
    ("text", "who", "better", "less"),
    [
        ("I prefer tea to coffee.", "owner", "tea", "coffee"),
        ("I like swimming more than running.", "owner", "swimming", "running"),
        ("Anna prefers written notes to phone calls.", "Anna", "written notes", "phone calls"),
        ("比起咖啡我更喜欢茶。", "owner", "茶", "咖啡"),
        ("我喜欢茶胜过咖啡。", "owner", "茶", "咖啡"),
        ("我弟弟比起狗更喜欢猫。", "我弟弟", "猫", "狗"),
    ],
)
def test_what_is_liked_better_and_what_less_are_two_edges(
    text: str, who: str, better: str, less: str
) -> None:
    assert said(text) == {(who, "PREFERS", "", better), (who, "PREFERS", LESS, less)}


SILENT = (
    "I work at a bakery.",
    "I'm so annoyed right now.",
    "I hate this queue today.",
    "I feel like pizza tonight.",
    "I'm in a bad mood and hate everybody.",
    "Do you prefer tea or coffee?",
    "Would you like some tea",
    "What does my sister like?",
    "I don't hate Mondays.",
    "I don't dislike jazz.",
    "It's not that I love rain.",
    "I no longer like sushi.",
    "I never said I like sushi.",
    "I wouldn't say I love opera.",
    "If I liked running, I would buy shoes.",
    "Suppose I hated tea.",
    "I might like climbing.",
    "I think I would enjoy sailing.",
    "I'd love a summary of this file.",
    "I would like you to sort these.",
    "I'd prefer the second option.",
    "I like your answer.",
    "I love that you are so quick.",
    'She said "I love tea".',
    "Anna said that she hates tea.",
    "According to the article, Germans love bread.",
    "People love free things.",
    "He likes tea.",
    "They say Bob loves golf.",
    "Translate: I love my dog.",
    "Please prefer short answers to long ones.",
    "The users prefer dark mode.",
    "我现在好烦。",
    "我今天讨厌排队。",
    "今晚想吃披萨。",
    "我心情不好，谁都讨厌。",
    "你更喜欢茶还是咖啡？",
    "你喜欢茶还是咖啡",
    "我妹妹喜欢什么？",
    "我不讨厌星期一。",
    "我并不讨厌爵士乐。",
    "不是我喜欢下雨。",
    "我不再喜欢寿司了。",
    "我没说过我喜欢寿司。",
    "我不敢说我喜欢歌剧。",
    "要是我喜欢跑步，我就买鞋了。",
    "假设我讨厌茶。",
    "我可能会喜欢攀岩。",
    "我想我会喜欢帆船。",
    "我希望你总结一下这个文件。",
    "我喜欢你的回答。",
    "我喜欢这个方案。",
    "她说：“我喜欢茶。”",
    "小红说她讨厌茶。",
    "文章说德国人喜欢面包。",
    "大家都喜欢免费的东西。",
    "他喜欢茶。",
    "听说老王喜欢高尔夫。",
    "翻译：我爱我的狗。",
    "请用短句，不要长句。",
    "用户更喜欢深色模式。",
    "我爱你。",
    "We love our garden and we hate snails.",
    "I like that colour.",
    "I like it better than before.",
    "I'd like tea better than coffee right now.",
    "He prefers tea to coffee.",
    "My sister thinks I love opera.",
    "I can't say I like opera.",
    "Anna thinks Bob hates golf.",
    "In the film Anna loves Bob.",
    "Write an email saying I love the plan.",
    "I hope you like it.",
    "Let me know if you prefer PDF to Word.",
    "I do not hate mornings.",
    "I would prefer trains to planes if they were cheaper.",
    "Which do I prefer, tea or coffee?",
    "I loved that restaurant yesterday.",
    "我喜欢这种颜色。",
    "我现在更喜欢茶，不想喝咖啡。",
    "他比起咖啡更喜欢茶。",
    "我妹妹觉得我喜欢歌剧。",
    "我谈不上喜欢歌剧。",
    "安娜觉得老王讨厌高尔夫。",
    "电影里小红喜欢小明。",
    "帮我写一封邮件说我喜欢这个计划。",
    "希望你喜欢。",
    "你要是更喜欢PDF就告诉我。",
    "我并不讨厌早上。",
    "如果便宜的话，比起飞机我更喜欢火车。",
    "我更喜欢茶还是咖啡呢？",
    "我昨天很喜欢那家餐厅。",
    "老师说小明不喜欢数学。",
    "Do you like tea?",
    "I hate this today.",
    "I am so tired and I hate meetings right now.",
    "I'd like to know the time.",
    "I like it when you answer briefly.",
    "I love it!",
    "I love you",
    "I like how it looks",
    "If I loved tea, I would say so.",
    "I used to love tea.",
    "The report says `I love tea`.",
    'Write a text that says "I love tea and my sister is Anna".',
    "> I love tea",
    "Sort the files by size, please.",
    "Thanks a lot, that was great.",
    "你喜欢什么？",
    "我今天很讨厌开会。",
    "如果我喜欢茶，我会说的。",
    "请写一句“我喜欢茶”。",
    "我喜欢你。",
    "谢谢，辛苦了",
    "",
)


@pytest.mark.parametrize("text", SILENT)
def test_moods_questions_and_words_of_others_say_nothing(text: str) -> None:
    assert said(text) == set()


def test_what_the_agent_says_is_no_evidence() -> None:
    assert said("I love tea. My sister is Anna.", who="agent") == set()


def test_whoever_speaks_in_a_group_is_not_the_owner() -> None:
    assert said("I love tea.", session="shared:team") == {("shared:team", "PREFERS", "", "tea")}
    assert said("I love tea.", who="Carol", session="shared:team") == {
        ("Carol", "PREFERS", "", "tea")
    }
    assert speaker(Turn("t", "shared:x", "owner", "", datetime.now(UTC))) != OWNER


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Running", "running"),
        ("the dogs", "dog"),
        ("Müsli", "müsli"),
        ("  green   tea.", "Green Tea"),
        ("my GARDEN", "garden"),
        ("“爵士乐”", "爵士乐"),
        ("ＡＢＣ", "abc"),
    ],
)
def test_spellings_of_one_thing_are_one(one: str, other: str) -> None:
    first, second = entity(one), entity(other)
    assert first and second and first.key == second.key == key_of(one)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "…",
        "the",
        "/etc/passwd",
        "~/.ssh/id_rsa",
        "https://x.example/a",
        "bob@x.example",
        "C:\\Users",
        "x" * 90,
    ],
)
def test_paths_addresses_and_nothing_are_no_entities(text: str) -> None:
    assert entity(text) is None


def test_people_are_meant_by_what_they_are_to_somebody() -> None:
    keys = {
        getattr(meant(words), "party", None)
        for words in (
            "my sister",
            "My Sis",
            "我妹妹",
            "我的姐姐",
            "my younger sister",
            "my sisters",
        )
    }
    assert {party and party.key for party in keys} == {"@User:owner:sister"}
    bobs = meant("Bob's sister")
    assert bobs and bobs.of == entity("Bob") and bobs.role == "sister"
    assert meant("I") == meant("我") == meant("owner") and meant("主人")
    assert list(roles_in("What would my sister and Bob's boss say to 我妈妈?")) == [
        "my sister",
        "Bob's boss",
        "我妈妈",
    ]


def test_names_are_mentioned_and_paths_are_not() -> None:
    turns = [
        (
            1,
            Turn(
                "a",
                "main",
                "owner",
                "Ask Anna about /etc/hosts and GitHub, and my boss too.",
                datetime.now(UTC),
            ),
        ),
        (2, Turn("b", "main", "agent", "I asked Zoe.", datetime.now(UTC))),
        (3, Turn("c", "main", "Carol", "Then Anna came on Monday.", datetime.now(UTC))),
    ]
    assert {(party.name, number) for party, number in mentions(turns, 20)} == {
        ("Anna", 3), ("GitHub", 1), ("my boss", 1), ("Carol", 3),
    }  # fmt: skip
    assert [party.name for party, _ in mentions(turns, 1)] == ["Anna"]


@pytest.mark.parametrize(
    "text",
    [
        "My sister " * 2000,
        "A" * 6000,
        "a." * 3000,
        "I love " * 900,
        "我喜欢" * 2000,
        "my " * 2000,
        "Bob's " * 1000,
        "makes me " * 700 + "happy",
        "小" * 6000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    said("I love tea.")  # compiles
    seconds = []
    for _ in range(3):
        started = time.process_time()
        said(text)
        list(roles_in(text))
        seconds.append(time.process_time() - started)
    assert min(seconds) < 0.25
