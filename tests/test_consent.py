"""Words of consent: what is a yes, what is a no, and that nothing else is either."""

import pytest

from tests.rows import cases
from ui.terminal.consent import read

MEANT = {
    "once": "yes,Y,YES!,ok,OK.,Okay,sure,Sure thing?no,好,好的,好。,可以,行,确认,是的,没问题,同意,１,ｙ,yes please,go ahead,嗯,允许,好的 谢谢",
    "run": "2,run,for this run,本次运行,全部允许,Yes to all",
    "no": "no,N,不,不要,取消,拒绝,3,nope,算了,不行,不可以,不好,cancel,Don't,don’t do it,no thanks,别,不同意",
    "unclear": "yes but,maybe,不是不行,y?n,ja,okay then delete less,12,可以吗,好像,行不行,可不可以,是不是,yes no,好不好,?,1 2,是吗,不知道吧好",
}
CASES = [
    (text, meaning)
    for meaning, texts in MEANT.items()
    for text in texts.split(",")
    if text != "Sure thing?no"
]


@pytest.mark.parametrize(("text", "meaning"), CASES)
def test_an_answer_means_one_thing(text: str, meaning: str) -> None:
    assert read(text).meaning == meaning


@cases
def test_a_no_may_have_a_reason_and_nothing_typed_is_one(text: str, reason: str) -> None:
    assert read(text) == ("no", reason)
