"""Brings the name of a host into one spelling, so that what is judged is what is asked.

`EXAMPLE.org.`, `ex%61mple.org`, `bücher.example` and `0x7f.1` are ways to write a host that a
filter may miss. Here each has one form: lower case, no trailing dot, punycode, and an address as
its plain number. What has no such form is refused.
"""

from __future__ import annotations

import ipaddress
import re
import socket

from text import pattern

_NAME = pattern(r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62})*")
_NUMBER = pattern(r"(?:.*\.)?(?:\d+|0x[0-9a-f]*)")


class BadHost(ValueError):
    """A host or a port that has no clear spelling. The text says which."""


def host_of(text: str) -> str:
    """Return the one spelling of a host. Raises BadHost."""
    if ":" in text:
        return _version_6(text)
    try:
        name = text.lower().encode("idna").decode("ascii").lower().removesuffix(".")
    except UnicodeError as error:
        raise BadHost(f"not a host name: {text[:100]!a}") from error
    if not _NAME.fullmatch(name):
        raise BadHost(f"not a host name: {text[:100]!a}")
    if not _NUMBER.fullmatch(name):
        return name
    try:
        return str(ipaddress.IPv4Address(socket.inet_aton(name)))
    except OSError as error:
        raise BadHost(f"not an address: {text[:100]!a}") from error


def place_of(text: str, port: int | None = None) -> tuple[str, int]:
    """Return host and port of `host:port`, `[::1]:port`, or a host alone with `port` as its own.
    Raises BadHost."""
    found = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?", text)
    if found is None:
        raise BadHost(f"not a host and a port: {text[:100]!a}")
    number = int(found[2]) if found[2] else port
    if number is None or not 0 < number < 65_536:
        raise BadHost(f"no port from 1 to 65535: {text[:100]!a}")
    return host_of(found[1]), number


def _version_6(text: str) -> str:
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    try:
        address = ipaddress.IPv6Address(bare)
    except ValueError as error:
        raise BadHost(f"not an address: {text[:100]!a}") from error
    if address.scope_id:
        raise BadHost(f"an address of one link: {text[:100]!a}")
    return str(address.ipv4_mapped or address)
