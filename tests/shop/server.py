"""The desk of the shop as an MCP server over stdio: `python -m tests.shop.server FILE`. Errors are
texts, as such desks say them."""

from __future__ import annotations

import json
import sys
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


def _writers(server: MCPServer, book: Any, kept: Any) -> None:
    @server.tool(structured_output=False)
    def cancel_pending_order(order_id: str, reason: str) -> str:
        """Cancel an order."""
        known = book()
        order = known["orders"].get(order_id)
        if order is None or order["status"] != "pending":
            return "Error: non-pending order cannot be cancelled"
        if reason not in ("no longer needed", "ordered by mistake"):
            return "Error: invalid reason"
        order["status"], order["cancel_reason"] = "cancelled", reason
        return str(kept(known, order))

    @server.tool(structured_output=False)
    def return_delivered_order_items(
        order_id: str, item_ids: list[str], payment_method_id: str
    ) -> str:
        """Return items of an order."""
        known = book()
        order = known["orders"].get(order_id)
        if order is None or order["status"] != "delivered":
            return "Error: non-delivered order cannot be returned"
        order["status"], order["return_items"] = "return requested", item_ids
        order["return_payment_method_id"] = payment_method_id
        return str(kept(known, order))

    @server.tool(structured_output=False)
    def exchange_delivered_order_items(
        order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
    ) -> str:
        """Exchange items of an order."""
        known = book()
        order = known["orders"].get(order_id)
        if order is None or order["status"] != "delivered" or len(item_ids) != len(new_item_ids):
            return "Error: non-delivered order cannot be exchanged"
        order["status"] = "exchange requested"
        order["exchange_items"], order["exchange_new_items"] = item_ids, new_item_ids
        order["exchange_payment_method_id"] = payment_method_id
        return str(kept(known, order))

    _modifiers(server, book, kept)


def _modifiers(server: MCPServer, book: Any, kept: Any) -> None:
    @server.tool(structured_output=False)
    def modify_pending_order_payment(order_id: str, payment_method_id: str) -> str:
        """Pay an order in another way."""
        known = book()
        order = known["orders"].get(order_id)
        if order is None or order["status"] != "pending":
            return "Error: non-pending order cannot be modified"
        order["payment_history"].append(
            {
                "transaction_type": "payment",
                "amount": order["payment_history"][0]["amount"],
                "payment_method_id": payment_method_id,
            }
        )
        return str(kept(known, order))

    @server.tool(structured_output=False)
    def modify_user_address(
        user_id: str, address1: str, address2: str, city: str, state: str, country: str, zip: str
    ) -> str:
        """Change where a customer lives."""
        known = book()
        user = known["users"].get(user_id)
        if user is None:
            return "Error: user not found"
        user["address"] = {
            "address1": address1,
            "address2": address2,
            "city": city,
            "state": state,
            "country": country,
            "zip": zip,
        }
        return str(kept(known, user))

    @server.tool(structured_output=False)
    def modify_pending_order_items(
        order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
    ) -> str:
        """Change items of an order that was not sent yet."""
        known = book()
        order = known["orders"].get(order_id)
        if order is None or order["status"] != "pending":
            return "Error: non-pending order cannot be modified"
        for old, new in zip(item_ids, new_item_ids, strict=True):
            item = next(each for each in order["items"] if each["item_id"] == old)
            variant = known["products"][item["product_id"]]["variants"][new]
            item["item_id"], item["options"] = new, variant["options"]
            item["price"] = variant["price"]
        order["status"] = "pending (item modified)"
        return str(kept(known, order))


if __name__ == "__main__":
    desk(Path(sys.argv[1])).run()
