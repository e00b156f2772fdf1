"""Work out sums, units, days and times elsewhere. Reads only the clock; values come from the
environment."""

import ast
import json
import operator
import os
import re
import sys
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal, DecimalException, localcontext
from zoneinfo import ZoneInfo, available_timezones

WORDS = {
    "en": {
        "sum": "{sum} = {result}",
        "unit": "{amount} {unit} = {result} {to}",
        "now": "{weekday}, {day}, {time}",
        "there": "{place}: {time}, {weekday}, {day} ({zone})",
        "ahead": "{weekday}, {day}: in {days} days ({weeks} weeks and {rest} days)",
        "past": "{weekday}, {day}: {days} days ago",
        "today": "{weekday}, {day}: today",
        "between": "From {first} to {last}: {days} days ({weeks} weeks and {rest} days)",
        "no_place": "I know no time zone for {place}. Name a large city nearby.",
        "no_unit": "{unit} cannot be turned into {to}.",
        "no_sum": "I cannot work out {sum}.",
        "weekdays": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "date": "{0.day} {1} {0.year}",
    },
    "zh": {
        "sum": "{sum} = {result}",
        "unit": "{amount} {unit} = {result} {to}",
        "now": "{day}，{weekday}，{time}",
        "there": "{place}：{time}，{day}，{weekday}（{zone}）",
        "ahead": "{day}，{weekday}：还有 {days} 天（{weeks} 周 {rest} 天）",
        "past": "{day}，{weekday}：{days} 天前",
        "today": "{day}，{weekday}：就是今天",
        "between": "从 {first} 到 {last}：{days} 天（{weeks} 周 {rest} 天）",
        "no_place": "不知道 {place} 的时区，请说一个附近的大城市。",
        "no_unit": "{unit} 不能换算成 {to}。",
        "no_sum": "算不出 {sum}。",
        "weekdays": "星期一 星期二 星期三 星期四 星期五 星期六 星期日",
        "date": "{0.year}年{0.month}月{0.day}日",
    },
}
# A row: what is measured; then a factor to its first unit and the names of a unit.
UNITS = """
length: 1 m meter metre 米; 1000 km kilometer kilometre 公里 千米; 0.01 cm centimeter centimetre 厘米; 0.001 mm millimeter millimetre 毫米; 1609.344 mile 英里; 0.9144 yard yd 码; 0.3048 foot feet ft 英尺; 0.0254 inch inches 英寸; 1852 nautical_mile 海里; 500 里
mass: 1 kg kilogram kilo 公斤 千克; 0.001 g gram 克; 0.000001 mg milligram 毫克; 1000 ton tonne 吨; 0.45359237 pound lb 磅; 0.028349523125 ounce oz 盎司; 6.35029318 stone; 0.5 斤; 0.05 两
volume: 1 l liter litre 升; 0.001 ml milliliter millilitre 毫升; 3.785411784 gallon 加仑; 0.473176473 pint; 0.946352946 quart; 0.2365882365 cup; 0.01478676478125 tablespoon; 0.00492892159375 teaspoon
data: 1 byte 字节; 1000 kb kilobyte; 1000000 mb megabyte; 1000000000 gb gigabyte; 1000000000000 tb terabyte; 1024 kib; 1048576 mib; 1073741824 gib
time: 1 second 秒; 60 minute 分钟; 3600 hour 小时; 86400 day 天; 604800 week 周 星期
speed: 3.6 m/s; 1 km/h kmh kph; 1.609344 mph; 1.852 knot
area: 1 square_meter square_metre 平方米; 10000 hectare 公顷; 4046.8564224 acre 英亩; 0.09290304 square_foot square_feet 平方英尺; 1000000 square_kilometer 平方公里; 2589988.110336 square_mile; 666.6666666667 亩
"""
DEGREES = {
    "celsius": "celsius °c degrees_celsius c 摄氏度 度",
    "fahrenheit": "fahrenheit °f degrees_fahrenheit f 华氏度",
    "kelvin": "kelvin k",
}
# Places that the names of time zones do not say.
PLACES = """
America/New_York: washington boston philadelphia miami atlanta 纽约 华盛顿 波士顿
America/Los_Angeles: san_francisco seattle las_vegas san_diego california 旧金山 洛杉矶 西雅图
America/Chicago: dallas houston austin texas 芝加哥
America/Toronto: montreal ottawa 多伦多
America/Vancouver: 温哥华
America/Sao_Paulo: rio rio_de_janeiro brazil
Asia/Shanghai: beijing shenzhen guangzhou china 中国 北京 上海 深圳 广州
Asia/Hong_Kong: 香港
Asia/Taipei: taiwan 台北
Asia/Tokyo: japan osaka kyoto 日本 东京 大阪
Asia/Seoul: korea south_korea 韩国 首尔
Asia/Singapore: 新加坡
Asia/Kolkata: india delhi new_delhi mumbai bangalore calcutta 印度 孟买 新德里
Asia/Dubai: 迪拜
Asia/Bangkok: thailand 曼谷
Europe/London: england uk scotland britain edinburgh manchester 英国 伦敦
Europe/Paris: france lyon 法国 巴黎
Europe/Berlin: germany munich hamburg frankfurt cologne 德国 柏林 慕尼黑
Europe/Madrid: spain barcelona 马德里
Europe/Rome: italy milan 罗马
Europe/Zurich: switzerland geneva bern
Europe/Moscow: 莫斯科
Europe/Dublin: ireland
Europe/Lisbon: portugal
Europe/Vienna: austria
Africa/Johannesburg: south_africa cape_town
Africa/Cairo: egypt 开罗
Australia/Sydney: canberra 悉尼
Australia/Melbourne: 墨尔本
Pacific/Auckland: new_zealand wellington 奥克兰
Pacific/Honolulu: hawaii
"""
SPOKEN = (
    (r"square root of\s*([\d.]+)|([\d.]+)\s*的平方根", r"((\1\2)**0.5)"),
    (r"([\d.]+)\s*的平方", r"((\1)**2)"),
    (r"百分之\s*([\d.]+)", r"\1%"),
    (r"\s*per ?cent\b", "%"),
    (r"([\d.]+)\s*的\s*([\d.]+)%", r"(\1*\2/100)"),
    (r"([\d.]+)%\s*(?:of|的)\s*([\d.]+)", r"(\1/100*\2)"),
    (r"([\d.]+\s*/\s*[\d.]+)\s*(?:of|的)\s*([\d.]+)", r"(\1*\2)"),
    (r"([\d.]+)\s*([-+])\s*([\d.]+)%", r"(\1*(1\2\3/100))"),
    (r"([\d.]+)%", r"(\1/100)"),
    (r"\b(?:multiplied by|times|x)\b|×|乘以|乘", "*"),
    (r"\bdivided by\b|÷|除以", "/"),
    (r"\bplus\b|加上?", "+"),
    (r"\bminus\b|减去?", "-"),
    (r"\^", "**"),
)
Fold = Callable[[Decimal, Decimal], Decimal]
FOLDS: dict[type[ast.operator], Fold] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


class Unknown(ValueError):
    """Hold the key of a text that says why there is no answer."""


def worked_out(said: str) -> Decimal:
    """Return what a sum in words or signs comes to. Raises Unknown."""
    text = re.sub(r"(?<=\d),(?=\d{3})|\bthe\b", "", said.lower()).strip(" =")
    text = re.sub(r"(?<=\d)\s*x\s*(?=\d)", "*", text)
    for spoken, signs in SPOKEN:
        text = re.sub(spoken, signs, text)
    try:
        with localcontext(prec=30):
            return folded(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, DecimalException, RecursionError) as error:
        raise Unknown("no_sum") from error


def folded(node: ast.expr) -> Decimal:
    """Return the value of a formula. Raises Unknown for what is no arithmetic."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return Decimal(str(node.value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -folded(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in FOLDS:
        return FOLDS[type(node.op)](folded(node.left), folded(node.right))
    raise Unknown("no_sum")


def in_unit(amount: Decimal, unit: str, to: str) -> Decimal:
    """Return an amount in another unit. Raises Unknown where they measure different things."""
    if degree_of(unit) and degree_of(to):
        return degrees(amount, degree_of(unit), degree_of(to))
    for row in UNITS.strip().splitlines():
        factors = factors_of(row)
        if unit in factors and to in factors:
            return amount * factors[unit] / factors[to]
    raise Unknown("no_unit")


def factors_of(row: str) -> dict[str, Decimal]:
    """Return the factor of each name in a row of UNITS."""
    found: dict[str, Decimal] = {}
    for each in row.partition(":")[2].split(";"):
        factor, *names = each.split()
        found |= dict.fromkeys((name.replace("_", " ") for name in names), Decimal(factor))
    return found


def degree_of(unit: str) -> str:
    return next((name for name in DEGREES if unit.replace(" ", "_") in DEGREES[name].split()), "")


def degrees(amount: Decimal, unit: str, to: str) -> Decimal:
    celsius = {
        "celsius": amount,
        "fahrenheit": (amount - 32) * 5 / 9,
        "kelvin": amount - Decimal("273.15"),
    }[unit]
    return {
        "celsius": celsius,
        "fahrenheit": celsius * 9 / 5 + 32,
        "kelvin": celsius + Decimal("273.15"),
    }[to]


def zone_of(place: str) -> str:
    """Return the time zone of a city or a country. Raises Unknown."""
    said = place.strip().lower().replace(" ", "_").removeprefix("the_")
    for row in PLACES.strip().splitlines():
        zone, _, names = row.partition(": ")
        if said in names.split():
            return zone
    zones = sorted(available_timezones())
    found = next((zone for zone in zones if zone.lower().rpartition("/")[2] == said), "")
    if not found:
        raise Unknown("no_place")
    return found


def shown(number: Decimal) -> str:
    """Return a number as people write it, six digits behind the point at most."""
    rounded = round(number, 6 if abs(number) >= Decimal("0.001") else 12)
    text = f"{rounded:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def about(day: date, words: Mapping[str, str]) -> dict[str, str]:
    """Return a day and its weekday in words."""
    months = "January February March April May June July August September October November December"
    weekday = words["weekdays"].split()[day.weekday()]
    return {"weekday": weekday, "day": words["date"].format(day, months.split()[day.month - 1])}


def until(day: date, words: Mapping[str, str]) -> str:
    """Say how far away a day is."""
    days = (day - datetime.now().astimezone().date()).days
    kind = "today" if days == 0 else "ahead" if days > 0 else "past"
    weeks, rest = divmod(abs(days), 7)
    return words[kind].format(days=f"{abs(days):,}", weeks=weeks, rest=rest, **about(day, words))


def between(first: date, last: date, words: Mapping[str, str]) -> str:
    """Say how many days lie between two days."""
    days = abs((last - first).days)
    weeks, rest = divmod(days, 7)
    named = {"first": about(first, words)["day"], "last": about(last, words)["day"]}
    return words["between"].format(days=f"{days:,}", weeks=weeks, rest=rest, **named)


def answer(given: Mapping[str, str], words: Mapping[str, str]) -> str:
    """Return the answer to what is given. Raises Unknown."""
    if given.get("sum"):
        result = shown(worked_out(given["sum"]))
        return words["sum"].format(sum=given["sum"].strip(" ="), result=result)
    if given.get("unit"):
        amount = Decimal(given.get("amount", "1"))
        result = shown(in_unit(amount, given["unit"], given["to"]))
        amounts = {"amount": shown(amount), "result": result}
        return words["unit"].format(unit=given["unit"], to=given["to"], **amounts)
    if given.get("second_day"):
        days = (date.fromisoformat(given[name]) for name in ("day", "second_day"))
        return between(*days, words)
    if given.get("day"):
        day = date.fromisoformat(given["day"])
        while given.get("past") and day > datetime.now().astimezone().date():
            last = 28 if day.month == 2 else 31  # no 29 February in the year before
            day = day.replace(year=day.year - 1, day=min(day.day, last))
        return until(day, words)
    zone = zone_of(given["place"]) if given.get("place") else ""
    now = datetime.now(ZoneInfo(zone)) if zone else datetime.now().astimezone()
    said = {"time": f"{now:%H:%M}", "place": given.get("place", ""), "zone": zone}
    return words["there" if zone else "now"].format(**said, **about(now.date(), words))


def main(given: Mapping[str, str]) -> None:
    words = WORDS[given.get("lang", "en")]
    try:
        said, problem = answer(given, words), ""
    except Unknown as error:
        blanks = {name: given.get(name, "") for name in ("sum", "unit", "to", "place")}
        said, problem = "", words[str(error)].format(**blanks)
    json.dump({"said": said, "problem": problem}, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main(os.environ)
