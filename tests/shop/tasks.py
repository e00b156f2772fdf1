"""Tasks at the desk: for each kind what a customer asks for, the calls of a careful agent, and what
must come of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.driving import call
from tests.shop.data import database

Call = tuple[str, dict[str, Any]]


@dataclass
class Task:
    """One request with the calls that do it."""

    request: str
    calls: list[Call]
    answer: str
    write: Call

    def replies(self) -> list[Any]:
        """Return what a scripted model says."""
        return [*[call(f"desk.{tool}", **args) for tool, args in self.calls], self.answer]


def _call(tool: str, **args: Any) -> Call:
    return tool, args


def _details(kind: str, key: str) -> Call:
    return f"get_{kind}_details", {f"{kind}_id": key}


def _who(user: dict[str, Any], by_email: bool) -> tuple[str, Call]:
    name = user["name"]
    if by_email:
        return f"my email is {user['email']}", ("find_user_id_by_email", {"email": user["email"]})
    said = f"I am {name['first_name']} {name['last_name']} in {user['address']['zip']}"
    return said, ("find_user_id_by_name_zip", {**name, "zip": user["address"]["zip"]})


def _orders(known: dict[str, Any], status: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for user in known["users"].values():
        for number in user["orders"]:
            if known["orders"][number]["status"] == status:
                yield user, known["orders"][number]


def cancel() -> list[Task]:
    """Cancel an order by its number."""
    known, found = database(), []
    for n, (user, order) in enumerate(_orders(known, "pending")):
        reason = ("no longer needed", "ordered by mistake")[n % 2]
        said, who = _who(user, True)
        number = order["order_id"]
        write = _call("cancel_pending_order", order_id=number, reason=reason)
        calls = [who, _details("user", user["user_id"]), _details("order", number), write]
        request = f"Hi, {said}. Please cancel order {number}, {reason}."
        found.append(Task(request, calls, f"Order {number} is cancelled.", write))
    return found


def give_back() -> list[Task]:
    """Return one product of an order that is found among the customer's; the money goes to the way
    that is named."""
    known, found = database(), []
    for user, order in _orders(known, "delivered"):
        item = order["items"][0]
        same = [o for o in user["orders"] if any((i["name"] == item["name"] and i["item_id"] != item["item_id"]) or (i["name"] == item["name"] and o != order["order_id"]) for i in known["orders"][o]["items"])]  # fmt: skip
        if same:
            continue
        said, who = _who(user, False)
        method = list(user["payment_methods"].values())[-1]
        way = method["source"].replace("_", " ")
        read = user["orders"][: user["orders"].index(order["order_id"]) + 1]
        write = _call(
            "return_delivered_order_items",
            order_id=order["order_id"],
            item_ids=[item["item_id"]],
            payment_method_id=method["id"],
        )
        reads = [_details("user", user["user_id"]), *[_details("order", each) for each in read]]
        request = f"{said}. I want to return the {item['name']}, with the money to my {way}."
        answer = f"The {item['name']} of order {order['order_id']} can go back."
        found.append(Task(request, [who, *reads, write], answer, write))
    return found


def _variant(known: dict[str, Any], item: dict[str, Any]) -> tuple[dict[str, Any], str] | None:
    """Another variant of an item: the same but for the colour."""
    product = known["products"][item["product_id"]]
    for variant in product["variants"].values():
        own, other = item["options"], variant["options"]
        same = [key for key in own if own[key] == other[key]]
        is_other = other["color"] != own["color"] and len(same) == len(own) - 1
        if is_other and variant["available"]:
            return variant, other["color"]
    return None


def _swap(status: str, tool: str, asked: str, done: str) -> list[Task]:
    known, found = database(), []
    for user, order in _orders(known, status):
        item = order["items"][0]
        if sum(each["name"] == item["name"] for each in order["items"]) > 1:
            continue
        other = _variant(known, item)
        if other is None:
            continue
        variant, color = other
        said, who = _who(user, False)
        number = order["order_id"]
        method = order["payment_history"][0]["payment_method_id"]
        write = _call(
            tool,
            order_id=number,
            item_ids=[item["item_id"]],
            new_item_ids=[variant["item_id"]],
            payment_method_id=method,
        )
        order_is = _details("order", number)
        calls = [who, order_is, _details("product", item["product_id"]), write, order_is]
        request = f"{said}. {asked} the {item['name']} of my order {number} for a {color} one, else the same."
        answer = f"{done} the {item['name']} ({variant['item_id']})."
        found.append(Task(request, calls, answer, write))
    return found


def exchange() -> list[Task]:
    """Exchange an item of a delivered order for one in another colour."""
    return _swap("delivered", "exchange_delivered_order_items", "Please exchange", "Exchanged:")


def change_items() -> list[Task]:
    """Change an item of a pending order for one in another colour."""
    return _swap("pending", "modify_pending_order_items", "Swap", "Changed:")


def move() -> list[Task]:
    """Change a customer's address."""
    known, found = database(), []
    for n, user in enumerate(known["users"].values()):
        said, who = _who(user, True)
        new = {
            "address1": f"{31 + n} Cedar Road",
            "address2": f"Apt {n + 3}",
            "city": ("Denver", "Houston", "Portland", "Boulder")[n % 4],
            "state": ("CO", "TX", "OR", "CO")[n % 4],
            "zip": str(80201 + 113 * n),
        }
        write = _call("modify_user_address", user_id=user["user_id"], **new, country="USA")
        where = f"{new['address1']}, {new['address2']}, {new['city']}, {new['state']} {new['zip']}"
        user_is = _details("user", user["user_id"])
        request = f"Hello, {said}; I moved to {where}."
        answer = f"Your address is {new['address1']} in {new['city']} now."
        found.append(Task(request, [who, user_is, write, user_is], answer, write))
    return found


def pay_else() -> list[Task]:
    """Pay a pending order in another way."""
    known, found = database(), []
    for user, order in _orders(known, "pending"):
        now = order["payment_history"][0]["payment_method_id"]
        others = [each for each in user["payment_methods"].values() if each["id"] != now]
        if not others:
            continue
        said, who = _who(user, True)
        number = order["order_id"]
        method = others[0]
        write = _call(
            "modify_pending_order_payment", order_id=number, payment_method_id=method["id"]
        )
        way = method["source"].replace("_", " ")
        calls = [who, _details("user", user["user_id"]), _details("order", number), write]
        asked = f"I would like to pay order {number} with my {way} instead."
        answer = f"Order {number} is paid with your {way} now."
        found.append(Task(f"{said[0].upper()}{said[1:]}. {asked}", calls, answer, write))
    return found


KINDS: dict[str, Callable[[], list[Task]]] = {
    "cancel": cancel,
    "give-back": give_back,
    "exchange": exchange,
    "change-items": change_items,
    "move": move,
    "pay-else": pay_else,
}
