"""Tell which network addresses the agent may ask: public ones, and those of the owner's own net
that `safety.private_hosts` names.

What counts is the number that a name comes to, not its spelling: a look-up has turned 0x7f.1,
2130706433 and localhost. into the same 127.0.0.1 before it is asked about here. Source: IANA's
registries of special-purpose addresses.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from functools import cache
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from config import Message, Worded
from text import pattern
from text.sections import sections

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_UNICAST = ipaddress.ip_network("2000::/3")  # all that is global of version 6
_NAT64 = ipaddress.ip_network("64:ff9b::/96")  # a public IPv4 address behind a translator: RFC 6052

_LOCALHOST = pattern(r"(?:.*\.)?localhost(?:\.localdomain)?|ip6-(?:localhost|loopback)")


class PrivateAddress(Worded):
    """A host leads to an address that is not public, and the owner has not named it. The text says
    which and what to set."""


def is_public(address: Address) -> bool:
    """Return True for what anybody on the internet may reach under this address."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return is_public(address.ipv4_mapped)
        if address in _NAT64:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if address not in _UNICAST:
            return False
    return not any(address in each for each in _special())


@cache
def _special() -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Return the networks that are not for everybody."""
    return [ipaddress.ip_network(each) for each in sections("safety/hosts.txt")["special"].split()]


class Reach(NamedTuple):
    """Tell what may be asked. `named` is what the config allows beside public addresses: hosts,
    addresses or networks, each perhaps with a port (nas.local, 192.168.1.10:5000, 10.0.0.0/8)."""

    named: tuple[str, ...] = ()

    def find(self, host: str, port: int) -> list[Address]:
        """Return where `host` leads, looked up once. Raises PrivateAddress if any of it is not to
        be asked, socket.gaierror."""
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        found = list(dict.fromkeys(ipaddress.ip_address(str(row[4][0])) for row in rows))
        for address in found:
            if not is_public(_plain(address)) and not self._names(host, address, port):
                raise PrivateAddress(Message("error.web.private", host=host, address=address))
        return found

    def private(self, url: str) -> str:
        """Return the host of `url` if that says itself, without a look-up, that it is not to be
        asked; else ""."""
        try:
            parts = urlsplit(url if "://" in url else f"https://{url}")
            host = parts.hostname or ""
            port = parts.port or {"https": 443}.get(parts.scheme, 80)
            plain = unicodedata.normalize("NFKC", unquote(host)).replace("\u3002", ".").rstrip(".")
            address = _spelled(plain)
        except (OSError, ValueError):
            return ""  # no address, or a name: where that leads is known when it is asked
        return "" if is_public(_plain(address)) or self._names(plain, address, port) else host

    def _names(self, host: str, address: Address, port: int) -> bool:
        wanted = host.lower().rstrip(".").strip("[]")
        for text in self.named:
            place, only_port = _split(text)
            if only_port not in (None, port):
                continue
            if place.lower().rstrip(".") == wanted:
                return True
            try:
                network = ipaddress.ip_network(place, strict=False)
            except ValueError:
                continue
            plain = _plain(address)
            if plain.version == network.version and plain in network:
                return True
        return False


def _spelled(host: str) -> Address:
    """Return the address that `host` writes, in any of the ways that a look-up takes. Raises
    OSError, ValueError for a name."""
    if _LOCALHOST.fullmatch(host):
        return ipaddress.ip_address("127.0.0.1")
    if ":" in host:
        return ipaddress.ip_address(host)
    return ipaddress.IPv4Address(socket.inet_aton(host))


def _plain(address: Address) -> Address:
    """Return it without the zone of a link (fe80::1%eth0), and an IPv4 address as one."""
    if isinstance(address, ipaddress.IPv6Address):
        return address.ipv4_mapped or ipaddress.IPv6Address(int(address))
    return address


def _split(text: str) -> tuple[str, int | None]:
    """`host:port`, `[::1]:8080`, or a host, address or network alone."""
    if found := re.fullmatch(r"\[([^\]]+)\](?::(\d{1,5}))?|([^:\s]+):(\d{1,5})", text.strip()):
        port = found[2] or found[4]
        return found[1] or found[3], int(port) if port else None
    return text.strip(), None
