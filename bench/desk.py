"""A small order desk served over HTTP: customers, stock, orders, contacts, files to fetch; everything kept in memory.

    python bench/desk.py [PORT]                 serves an empty desk until its stdin closes

GET /customers?name=NAME    [{id, name, email, city}]      GET /products?name=NAME   [{sku, name, price}]
GET /stock/SKU              {sku, quantity}                GET /orders/ID            {id, customer, sku, quantity, status}
GET /orders?customer=ID     a list of these, oldest first  POST /orders              {customer, sku, quantity} → the order
POST /orders/ID/cancel      the order                      POST /contacts            {name, email} → it, with its id
GET /jobs/ID                {id, state, result}: "working" for the first looks, then "done"
GET /files/NAME             the text of a file

Whoever orders more than there is, or cancels what was shipped or cancelled, gets a 409; unknown things are a 404.
"""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Json = dict[str, Any]
FIRST_PORT, LAST_PORT = (
    8085,
    8185,
)  # a lasting address, as a service of the owner's has: not one chosen at random


@dataclass(slots=True)
class Books:
    """All that the desk knows. `looks` counts how often a job still says that it works."""

    customers: list[Json] = field(default_factory=list)
    products: list[Json] = field(default_factory=list)
    stock: dict[str, int] = field(default_factory=dict)
    orders: list[Json] = field(default_factory=list)
    contacts: list[Json] = field(default_factory=list)
    jobs: dict[str, Json] = field(default_factory=dict)
    looks: dict[str, int] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


class Refused(Exception):
    """A request that the desk does not serve: status and reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Desk:
    """The desk as a server in this process, from `with` to its end. `books` may be changed between requests."""

    def __init__(self, port: int | None = None) -> None:
        self.books = Books()
        self._lock = threading.Lock()
        self._server = _listening(port)
        self._server.desk = self
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Desk:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def state(self) -> Json:
        """What is in the books, as a copy; not how often a job was looked at."""
        with self._lock:
            return {name: value for name, value in asdict(self.books).items() if name != "looks"}

    def answer(self, method: str, target: str, body: bytes) -> Any:
        """What one request gets: JSON, or the text of a file. Raises Refused."""
        url = urlsplit(target)
        parts = [unquote(part) for part in url.path.strip("/").split("/")]
        asked = {name: values[0] for name, values in parse_qs(url.query).items()}
        with self._lock:
            if method == "GET":
                return self._read(parts, asked)
            return self._write(parts, _object(body))

    def _read(self, parts: list[str], asked: dict[str, str]) -> Any:
        books = self.books
        match parts:
            case ["customers"]:
                return [each for each in books.customers if _named(each, asked)]
            case ["products"]:
                return [each for each in books.products if _named(each, asked)]
            case ["stock", sku] if sku in books.stock:
                return {"sku": sku, "quantity": books.stock[sku]}
            case ["orders"]:
                return [
                    each
                    for each in books.orders
                    if asked.get("customer") in (None, each["customer"])
                ]
            case ["orders", number]:
                return self._order(number)
            case ["jobs", number] if number in books.jobs:
                books.looks[number] -= 1
                is_done = books.looks[number] < 0
                return books.jobs[number] if is_done else {"id": number, "state": "working"}
            case ["files", name] if name in books.files:
                return books.files[name]
        raise Refused(404, f"there is no {'/'.join(parts)}")

    def _write(self, parts: list[str], given: Json) -> Json:
        books = self.books
        match parts:
            case ["orders"]:
                return self._place(given)
            case ["orders", number, "cancel"]:
                order = self._order(number)
                if order["status"] != "open":
                    raise Refused(409, f"order {number} is {order['status']}")
                order["status"] = "cancelled"
                books.stock[order["sku"]] += order["quantity"]
                return order
            case ["contacts"] if {"name", "email"} <= given.keys():
                books.contacts.append({"id": f"K-{len(books.contacts) + 1:03}", **given})
                return books.contacts[-1]
        raise Refused(404, f"nothing takes a POST at {'/'.join(parts)}")

    def _place(self, given: Json) -> Json:
        customer, sku, quantity = (
            given.get("customer"),
            str(given.get("sku")),
            given.get("quantity"),
        )
        if (
            not any(each["id"] == customer for each in self.books.customers)
            or sku not in self.books.stock
        ):
            raise Refused(404, f"there is no customer {customer} or no product {sku}")
        if not isinstance(quantity, int) or quantity < 1:
            raise Refused(400, "quantity must be a whole number above 0")
        if self.books.stock[sku] < quantity:
            raise Refused(409, f"only {self.books.stock[sku]} of {sku} in stock")
        self.books.stock[sku] -= quantity
        order = {
            "id": f"A-{1001 + len(self.books.orders)}",
            "customer": customer,
            "sku": sku,
            "quantity": quantity,
        }
        self.books.orders.append(order | {"status": "open"})
        return self.books.orders[-1]

    def _order(self, number: str) -> Json:
        found = next((each for each in self.books.orders if each["id"] == number), None)
        if found is None:
            raise Refused(404, f"there is no order {number}")
        return found


def _named(each: Json, asked: dict[str, str]) -> bool:
    return asked.get("name", "").casefold() in str(each["name"]).casefold()


def _object(body: bytes) -> Json:
    try:
        given = json.loads(body or b"{}")
    except ValueError as error:
        raise Refused(400, f"not JSON: {error}") from error
    if not isinstance(given, dict):
        raise Refused(400, "a JSON object is due")
    return given


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    desk: Desk


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def _serve(self, method: str) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            status, found = 200, self.server.desk.answer(method, self.path, body)
        except Refused as refused:
            status, found = refused.status, {"error": str(refused)}
        kind = "text/plain" if isinstance(found, str) else "application/json"
        data = (found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)).encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _listening(port: int | None) -> _Server:
    for candidate in [port] if port is not None else range(FIRST_PORT, LAST_PORT):
        try:
            return _Server(("127.0.0.1", candidate), _Handler)
        except OSError as error:
            taken = error
    raise taken


def main(arguments: list[str]) -> None:
    with Desk(int(arguments[0]) if arguments else None) as desk:
        print(desk.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
