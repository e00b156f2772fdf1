"""The database of the shop: customers, orders, products; with traps that a careless look-up falls
into.

Traps: an order's address has a `state` that is no status; a product has a variant that is like
another but for one option; two customers share a name; an order holds the same product twice in
other colours; ids that look like times (20240131).
"""

from typing import Any

PEOPLE = [  # first name, last name, zip, city, state, payment kinds
    ("Mira", "Okafor", "60614", "Chicago", "IL", ("paypal", "gift_card")),
    ("Jonas", "Lindqvist", "73301", "Austin", "TX", ("credit_card",)),
    ("Aiko", "Tanaka", "98101", "Seattle", "WA", ("gift_card", "credit_card", "paypal")),
    ("Pedro", "Sousa", "33101", "Miami", "FL", ("paypal", "credit_card")),
    ("Lena", "Vogt", "10001", "New York", "NY", ("credit_card", "gift_card")),
    ("Samir", "Haddad", "75201", "Dallas", "TX", ("gift_card", "paypal")),
    ("Mira", "Okafor", "94105", "San Francisco", "CA", ("credit_card", "paypal")),
    ("Chloe", "O'Brien", "02108", "Boston", "MA", ("paypal", "gift_card", "credit_card")),
]
OPTIONS: dict[str, dict[str, list[str]]] = {
    "Desk Lamp": {"color": ["black", "white", "silver"], "brightness": ["low", "high"]},
    "Water Bottle": {"capacity": ["500ml", "750ml", "1000ml"], "color": ["red", "blue", "green"]},
    "Backpack": {"size": ["small", "large"], "color": ["grey", "navy", "green"]},
    "Headphones": {"type": ["in-ear", "over-ear"], "color": ["black", "white", "blue"]},
    "Office Chair": {"material": ["leather", "mesh"], "color": ["black", "grey", "red"]},
}


def database() -> dict[str, Any]:
    """Return the database as it is at the start."""
    products = {_product_id(n): _product(n, name) for n, name in enumerate(OPTIONS)}
    users = {}
    orders: dict[str, Any] = {}
    for n, (first, last, code, city, state, kinds) in enumerate(PEOPLE):
        user = f"{first}_{last.replace(chr(39), '')}_{4100 + 37 * n}".lower()
        methods = {f"{kind}_{7000 + 13 * n + k}": {"source": kind, "id": f"{kind}_{7000 + 13 * n + k}"} for k, kind in enumerate(kinds)}  # fmt: skip
        address = {
            "address1": f"{100 + n} Main Street",
            "address2": f"Suite {20 + n}",
            "city": city,
            "state": state,
            "zip": code,
            "country": "USA",
        }
        own = []
        for k in range(1 + n % 3 + (n < 2)):
            number = f"#W{20240131 + 7919 * (5 * n + k)}"
            own.append(number)
            orders[number] = _order(number, user, address, n, k, list(methods), products)
        users[user] = {
            "user_id": user,
            "name": {"first_name": first, "last_name": last},
            "address": dict(address),
            "email": f"{first}.{last.replace(chr(39), '')}{n}@example.com".lower(),
            "payment_methods": methods,
            "orders": own,
        }
    return {"users": users, "orders": orders, "products": products}


def _product_id(n: int) -> str:
    return str(6086499569 + 1111111 * n)


def _product(n: int, name: str) -> dict[str, Any]:
    (one, these), (two, those) = OPTIONS[name].items()
    variants = {}
    for k, (a, b) in enumerate((a, b) for a in these for b in those):
        item = str(9523456873 + 100_000_007 * n + 1_000_003 * k)
        variants[item] = {
            "item_id": item,
            "options": {one: a, two: b},
            "available": (n + k) % 7 != 3,
            "price": round(20.5 + 13 * n + 1.25 * k, 2),
        }
    return {"name": name, "product_id": _product_id(n), "variants": variants}


def _order(
    number: str,
    user: str,
    address: dict[str, Any],
    n: int,
    k: int,
    methods: list[str],
    products: dict[str, Any],
) -> dict[str, Any]:
    names = list(OPTIONS)
    chosen = [names[(n + k) % 5], names[(n + 2 * k + 2) % 5]][: 1 + (n + k) % 2 or 1]
    items = [_item(products, name, n + 2 * k) for name in dict.fromkeys(chosen)]
    if n == 4:  # the same product once more, in another colour
        items.append(_item(products, chosen[0], n + 2 * k + 1))
    return {
        "order_id": number,
        "user_id": user,
        "address": dict(address),
        "items": items,
        "status": "delivered" if k % 2 else "pending",
        "fulfillments": [],
        "payment_history": [
            {
                "transaction_type": "payment",
                "amount": round(sum(item["price"] for item in items), 2),
                "payment_method_id": methods[(n + k) % len(methods)],
            }
        ],
    }


def _item(products: dict[str, Any], name: str, at: int) -> dict[str, Any]:
    product = next(each for each in products.values() if each["name"] == name)
    variants = list(product["variants"].values())
    variant = variants[at % len(variants)]
    own = {key: variant[key] for key in ("item_id", "price", "options")}
    return {"name": name, "product_id": product["product_id"], **own}
