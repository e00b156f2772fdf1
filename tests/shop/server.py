"""The desk of the shop as an MCP server over stdio: `python -m tests.shop.server FILE`. Errors are
texts, as such desks say them."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server import MCPServer

Book = dict[str, Any]


def desk(file: Path) -> MCPServer:
    """Return the server."""
    from mcp.server import MCPServer

    server = MCPServer("desk")

    def book() -> Book:
        return dict(json.loads(file.read_text("utf-8")))

    def kept(known: Book, told: Any) -> str:
        file.write_text(json.dumps(known), "utf-8")
        return json.dumps(told)

    _readers(server, book)
    _writers(server, book, kept)
    return server


def _readers(server: MCPServer, book: Any) -> None:
    @server.tool(structured_output=False)
    def find_user_id_by_email(email: str) -> str:
        """Find the id of a customer by an address."""
        found = [key for key, user in book()["users"].items() if user["email"] == email.lower()]
        return found[0] if found else "Error: user not found"

    @server.tool(structured_output=False)
    def find_user_id_by_name_zip(first_name: str, last_name: str, zip: str) -> str:
        """Find the id of a customer by name and zip code."""
        for key, user in book()["users"].items():
            name = user["name"]
            is_called = (name["first_name"], name["last_name"]) == (first_name, last_name)
            if is_called and user["address"]["zip"] == zip:
                return str(key)
        return "Error: user not found"

    for kind, one in (("users", "user"), ("orders", "order"), ("products", "product")):
        _getter(server, book, kind, one)


def _getter(server: MCPServer, book: Any, kind: str, one: str) -> None:
    def get(**args: Any) -> str:
        found = book()[kind].get(args[f"{one}_id"])
        return json.dumps(found) if found else f"Error: {one} not found"

    source = f"def get_{one}_details({one}_id: str) -> str:\n    return get({one}_id={one}_id)\n"
    scope: dict[str, Any] = {"get": get}
    exec(source, scope)
    server.tool(description=f"Get the details of a {one}.", structured_output=False)(
        scope[f"get_{one}_details"]
    )


def _change(book: Any, kept: Any, order_id: str, status: str, wrong: str, /, **fields: Any) -> str:
    """Set fields of an order that is in this state."""
    known = book()
    order = known["orders"].get(order_id)
    if order is None or order["status"] != status:
        return f"Error: non-{status} order cannot be {wrong}"
    order.update(fields)
    return str(kept(known, order))


def _writers(server: MCPServer, book: Any, kept: Any) -> None:
    change = partial(_change, book, kept)

    @server.tool(structured_output=False)
    def cancel_pending_order(order_id: str, reason: str) -> str:
        """Cancel an order."""
        if reason not in ("no longer needed", "ordered by mistake"):
            return "Error: invalid reason"
        told: dict[str, Any] = {"status": "cancelled", "cancel_reason": reason}
        return change(order_id, "pending", "cancelled", **told)

    @server.tool(structured_output=False)
    def return_delivered_order_items(
        order_id: str, item_ids: list[str], payment_method_id: str
    ) -> str:
        """Return items of an order."""
        told: dict[str, Any] = {"status": "return requested", "return_items": item_ids}
        told["return_payment_method_id"] = payment_method_id
        return change(order_id, "delivered", "returned", **told)

    @server.tool(structured_output=False)
    def exchange_delivered_order_items(
        order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
    ) -> str:
        """Exchange items of an order."""
        told: dict[str, Any] = {"exchange_items": item_ids, "exchange_new_items": new_item_ids}
        told |= {"exchange_payment_method_id": payment_method_id, "status": "exchange requested"}
        return change(order_id, "delivered", "exchanged", **told)

    @server.tool(structured_output=False)
    def modify_pending_order_payment(order_id: str, payment_method_id: str) -> str:
        """Pay an order in another way."""
        order = book()["orders"].get(order_id, {"payment_history": [{}]})
        first = order["payment_history"][0]
        history = [*order["payment_history"], first | {"payment_method_id": payment_method_id}]
        return change(order_id, "pending", "modified", payment_history=history)

    @server.tool(structured_output=False)
    def modify_user_address(
        user_id: str, address1: str, address2: str, city: str, state: str, country: str, zip: str
    ) -> str:
        """Change where a customer lives."""
        known = book()
        user = known["users"].get(user_id)
        if user is None:
            return "Error: user not found"
        user["address"] = {"address1": address1, "address2": address2, "city": city}
        user["address"] |= {"state": state, "zip": zip, "country": country}
        return str(kept(known, user))

    @server.tool(structured_output=False)
    def modify_pending_order_items(
        order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
    ) -> str:
        """Change items of an order that was not sent yet."""
        known = book()
        items = known["orders"].get(order_id, {"items": []})["items"]
        for old, new in zip(item_ids, new_item_ids, strict=True):
            item = next(each for each in items if each["item_id"] == old)
            variant = known["products"][item["product_id"]]["variants"][new]
            item |= {key: variant[key] for key in ("item_id", "options", "price")}
        told: dict[str, Any] = {"status": "pending (item modified)", "items": items}
        return change(order_id, "pending", "modified", **told)


if __name__ == "__main__":
    desk(Path(sys.argv[1])).run()
