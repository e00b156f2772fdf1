"""The order desk: what is asked for by name has to be looked up by id, and what is ordered has to be there."""

from __future__ import annotations

import json
from typing import Any

from bench.rote_tasks.base import (
    Draw,
    Reply,
    State,
    Task,
    Values,
    World,
    bash,
    lists,
    say,
    say_output,
    says_number,
    use,
    words,
)
from bench.rote_tasks.web import FIRST, LAST, person

WARES = words("lamp desk chair shelf kettle blender router keyboard monitor tripod backpack helmet jacket notebook teapot stapler printer speaker")  # fmt: skip
KINDS = words("red small large oak steel travel office garden classic slim")


def ware(draw: Draw) -> str:
    return str(draw.fresh(lambda: f"{draw.rng.choice(KINDS)} {draw.rng.choice(WARES)}"))


def open_desk(world: World, *, name: str = "", product: str = "", least: int = 20) -> None:
    """Adds a customer and a product to the desk, others around them. Now and then another customer's name begins with
    the same letters: whoever takes the first that is found is wrong then."""
    books, rng = world.desk.books, world.rng
    names = [name] if name else []
    if name and rng.random() < 0.25:
        names = rng.sample([f"{name}mann", name], 2)
    for each in [
        *names,
        f"{rng.choice(FIRST)} Zz{rng.choice(LAST)}",
        f"{rng.choice(FIRST)} Yy{rng.choice(LAST)}",
    ]:
        number = f"C-{rng.randint(1000, 99999)}"
        mail = f"{each.split()[0].lower()}.{number[2:]}@mail.example"
        books.customers.append({"id": number, "name": each, "email": mail, "city": rng.choice(["Oslo", "Turin", "Porto"])})  # fmt: skip
    for each in [
        *([product] if product else []),
        f"blue {rng.choice(WARES)}",
        f"green {rng.choice(WARES)}",
    ]:
        sku = f"SKU-{rng.randint(10000, 99999)}"
        books.products.append({"sku": sku, "name": each, "price": rng.randint(5, 300)})
        books.stock[sku] = rng.randint(least, least + 60)


def customer(state: State, name: str) -> dict[str, Any]:
    return next(each for each in state["desk"]["customers"] if each["name"] == name)


def sku_of(state: State, product: str) -> str:
    return str(next(each["sku"] for each in state["desk"]["products"] if each["name"] == product))


def find(world: World, kind: str, name: str) -> Reply:
    return bash(f"curl -fsS -G {world.desk.url}/{kind} --data-urlencode 'name={name}'")


class CustomerMail(Task):
    name, kind = "desk-customer", "order desk"
    asks = (
        'what is the e-mail address of the customer "{name}" at the order desk?',
        'look up the e-mail of the order desk customer "{name}"',
        'which e-mail address does the order desk have for customer "{name}"?',
        'give me the order desk\'s e-mail address for the customer "{name}"',
        'find the e-mail address of customer "{name}" at the order desk',
    )
    asks_zh = ('订单台客户 "{name}" 的邮箱是什么？', '查一下订单台里客户 "{name}" 的邮箱地址')

    def draw(self, draw: Draw) -> Values:
        return {"name": person(draw)}

    def prepare(self, world: World, values: Values) -> None:
        open_desk(world, name=values["name"])

    def teach(self, world: World, values: Values) -> list[Reply]:
        number = next(
            each["id"] for each in world.desk.books.customers if each["name"] == values["name"]
        )
        script = f"curl -fsS -G {world.desk.url}/customers --data-urlencode 'name={values['name']}' | python3 -c 'import json, sys; print([c for c in json.load(sys.stdin) if c[\"name\"] == \"{values['name']}\"][0][\"email\"])'"  # fmt: skip
        assert number
        return [bash(script), say_output]

    def answers(self, before: State, values: Values, answer: str) -> bool:
        mails = [
            each["email"] for each in before["desk"]["customers"] if each["name"] != values["name"]
        ]
        return lists(answer, [customer(before, values["name"])["email"]], mails)


class Stock(Task):
    name, kind = "desk-stock", "order desk"
    asks = (
        'how many of "{product}" does the order desk have in stock?',
        'what is the order desk\'s stock of "{product}"?',
        'check how many "{product}" are in stock at the order desk',
        'how many pieces of "{product}" are left in stock at the order desk?',
        'tell me the stock of "{product}" at the order desk',
    )
    asks_zh = ('订单台的 "{product}" 还有多少库存？', '查一下订单台 "{product}" 的库存数量')

    def draw(self, draw: Draw) -> Values:
        return {"product": ware(draw)}

    def prepare(self, world: World, values: Values) -> None:
        open_desk(world, product=values["product"])

    def teach(self, world: World, values: Values) -> list[Reply]:
        sku = next(
            each["sku"] for each in world.desk.books.products if each["name"] == values["product"]
        )

        def told(outputs: list[str]) -> Any:
            return say(f"{json.loads(outputs[-1])['quantity']}")

        return [
            find(world, "products", values["product"]),
            bash(f"curl -fsS {world.desk.url}/stock/{sku}"),
            told,
        ]

    def answers(self, before: State, values: Values, answer: str) -> bool:
        sku = sku_of(before, values["product"])
        return says_number(answer.replace(sku, ""), before["desk"]["stock"][sku], values)


class PlaceOrder(Task):
    name, kind = "desk-order", "order desk"
    asks = (
        'order {quantity} of "{product}" for the customer "{name}" at the order desk',
        'place an order at the order desk: {quantity} of "{product}" for customer "{name}"',
        'customer "{name}" wants {quantity} of "{product}"; order them at the order desk',
        'at the order desk, order "{product}" for customer "{name}", {quantity} pieces',
        'please order {quantity} "{product}" at the order desk for the customer "{name}"',
    )
    asks_zh = ('在订单台为客户 "{name}" 订购 {quantity} 个 "{product}"', '给客户 "{name}" 在订单台下单 {quantity} 件 "{product}"')  # fmt: skip

    def draw(self, draw: Draw) -> Values:
        return {"quantity": draw.number(2, 19), "product": ware(draw), "name": person(draw)}

    def prepare(self, world: World, values: Values) -> None:
        open_desk(world, name=values["name"], product=values["product"])

    def teach(self, world: World, values: Values) -> list[Reply]:
        books, url = world.desk.books, world.desk.url
        number = next(each["id"] for each in books.customers if each["name"] == values["name"])
        sku = next(each["sku"] for each in books.products if each["name"] == values["product"])
        body = json.dumps({"customer": number, "sku": sku, "quantity": values["quantity"]})
        post = f"curl -fsS -X POST -H 'Content-Type: application/json' -d '{body}' {url}/orders"
        return [find(world, "customers", values["name"]), find(world, "products", values["product"]), bash(f"curl -fsS {url}/stock/{sku}"), bash(post), say("The order is placed.")]  # fmt: skip

    def after(self, before: State, values: Values) -> State:
        desk, sku = before["desk"], sku_of(before, values["product"])
        order = {
            "id": f"A-{1001 + len(desk['orders'])}",
            "customer": customer(before, values["name"])["id"],
            "sku": sku,
        }
        order |= {"quantity": values["quantity"], "status": "open"}
        stock = desk["stock"] | {sku: desk["stock"][sku] - values["quantity"]}
        return before | {"desk": desk | {"stock": stock, "orders": [*desk["orders"], order]}}


class CancelOrder(Task):
    name, kind = "desk-cancel", "order desk"
    asks = (
        "cancel the order {order} at the order desk",
        "please cancel order {order} (at|with) the order desk",
        "the order {order} at the order desk has to be cancelled",
        "call off order {order} at the order desk",
        "at the order desk, cancel {order}",
    )
    asks_zh = ("取消订单台的订单 {order}", "把订单台里的订单 {order} 取消掉")

    def draw(self, draw: Draw) -> Values:
        return {"order": f"A-{draw.number(1001, 1040)}"}

    def prepare(self, world: World, values: Values) -> None:
        if world.desk.books.orders:
            return
        open_desk(world, product="red anchor")
        sku, who = world.desk.books.products[0]["sku"], world.desk.books.customers[0]["id"]
        for number in range(40):
            world.desk.books.orders.append({"id": f"A-{1001 + number}", "customer": who, "sku": sku, "quantity": world.rng.randint(1, 9), "status": "open"})  # fmt: skip

    def teach(self, world: World, values: Values) -> list[Reply]:
        url = f"{world.desk.url}/orders/{values['order']}"
        return [
            bash(f"curl -fsS {url}"),
            bash(f"curl -fsS -X POST {url}/cancel"),
            say("The order is cancelled."),
        ]

    def after(self, before: State, values: Values) -> State:
        desk = before["desk"]
        mine = next(each for each in desk["orders"] if each["id"] == values["order"])
        orders = [
            each | {"status": "cancelled"} if each is mine else each for each in desk["orders"]
        ]
        stock = desk["stock"] | {mine["sku"]: desk["stock"][mine["sku"]] + mine["quantity"]}
        return before | {"desk": desk | {"orders": orders, "stock": stock}}


class NoteOrder(Task):
    name, kind = "desk-note", "order desk"
    asks = (
        "save the order {order} of the order desk to {file}",
        "write what the order desk knows about order {order} (to|into) {file}",
        "put order {order} from the order desk in {file}",
        "export order {order} of the order desk to {file}",
        "store the order desk's order {order} as {file}",
    )
    asks_zh = ("把订单台的订单 {order} 保存到 {file}", "将订单台订单 {order} 的内容写入 {file}")

    def draw(self, draw: Draw) -> Values:
        return {
            "order": f"A-{draw.number(1001, 1040)}",
            "file": draw.file(".json", "order receipt copy record slip"),
        }

    def prepare(self, world: World, values: Values) -> None:
        world.write(f"{values['file'].rpartition('/')[0]}/beside.md", "beside")
        if not world.desk.books.orders:
            for number in range(40):
                world.desk.books.orders.append({"id": f"A-{1001 + number}", "customer": f"C-{number}", "sku": "SKU-1", "quantity": world.rng.randint(1, 9), "status": "open"})  # fmt: skip

    def teach(self, world: World, values: Values) -> list[Reply]:
        file = str(world.path(values["file"]))

        def write(outputs: list[str]) -> Any:
            return use("file_write", path=file, content=outputs[-1] + "\n")

        return [
            bash(f"curl -fsS {world.desk.url}/orders/{values['order']}"),
            write,
            say("It is saved."),
        ]

    def after(self, before: State, values: Values) -> State:
        mine = next(each for each in before["desk"]["orders"] if each["id"] == values["order"])
        return before | {values["file"][2:]: mine}


DESK = (CustomerMail(), Stock(), PlaceOrder(), CancelOrder(), NoteOrder())
__all__ = ["DESK", "say_output"]
