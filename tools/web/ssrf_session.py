"""A session of requests that connects to the very address that was looked up and allowed, also
behind redirects.

A name is looked up once for each connection, and the connection goes to what that look-up said: a
server of names that answers otherwise the second time is not asked a second time. TLS still proves
the name. Where the environment names a proxy, the proxy connects; then the host is looked up here
only to refuse what is private.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError

from safety.reach import Reach

CONNECT_SECONDS = 10.0


class PinnedSession(requests.Session):
    """To be used in a `with`. `seconds`: behind that, every connection is cut, whatever it is
    waiting for.

    Neither .netrc nor cookies of the owner's take part. Raises PrivateAddress beside what requests
    raises.
    """

    def __init__(self, reach: Reach, seconds: float) -> None:
        super().__init__()
        self.trust_env = False
        self.verify = next(
            (
                os.environ[name]
                for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
                if os.environ.get(name)
            ),
            True,
        )
        self.reach = reach
        self.is_cut = False
        self._end = time.monotonic() + seconds
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True
        self._timer.start()
        self.adapters.clear()
        for scheme in ("http://", "https://"):
            self.mount(scheme, _Adapter(self))

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()
        self.close()
        for each in self._open:
            each.close()

    def connected(self, connection: HTTPConnection) -> socket.socket:
        """Return a socket to the first of the allowed addresses of a host that takes one, in the
        words of urllib3, which requests puts into its own."""
        host, failure = connection.host, OSError(f"{connection.host} has no address")
        try:
            for address in self.reach.find(connection._dns_host, connection.port):
                family = socket.AF_INET if address.version == 4 else socket.AF_INET6
                made, left = socket.socket(family), self._end - time.monotonic()
                try:
                    for option in connection.socket_options or ():
                        made.setsockopt(*option)
                    made.settimeout(max(0.001, min(CONNECT_SECONDS, left)))
                    made.connect((str(address), connection.port))
                    return self._kept(made)
                except OSError as error:
                    made.close()
                    failure = error
            raise failure
        except socket.gaierror as error:
            raise NameResolutionError(host, connection, error) from error
        except TimeoutError as error:
            raise ConnectTimeoutError(connection, f"{host} does not answer") from error
        except OSError as error:
            raise NewConnectionError(connection, str(error)) from error

    def _kept(self, connection: socket.socket) -> socket.socket:
        """Keep a second handle of it: TLS takes the first one over."""
        with self._lock:
            self._open.append(connection.dup())
        if self.is_cut:
            self._cut()
        return connection

    def _cut(self) -> None:
        self.is_cut = True
        with self._lock:
            for each in self._open:
                with contextlib.suppress(OSError):  # it has ended by itself
                    each.shutdown(socket.SHUT_RDWR)


class _Adapter(HTTPAdapter):
    def __init__(self, session: PinnedSession) -> None:
        self._session = session
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _pools(self._session)

    def send(
        self, request: requests.PreparedRequest, *args: Any, **kwargs: Any
    ) -> requests.Response:
        url = request.url or ""
        if "@" in urlsplit(url).netloc:
            raise requests.exceptions.InvalidURL(
                "it leads to an address with a name or password in it, which is not asked"
            )
        kwargs["proxies"] = requests.utils.get_environ_proxies(url)
        if requests.utils.select_proxy(url, kwargs["proxies"]):
            place = urlsplit(url)
            # names of the outside are often known to the proxy alone
            with contextlib.suppress(socket.gaierror):
                self._session.reach.find(
                    place.hostname or "", place.port or (443 if place.scheme == "https" else 80)
                )
        return super().send(request, *args, **kwargs)


def _pools(session: PinnedSession) -> dict[str, type[HTTPConnectionPool]]:
    """Return pools whose connections are made by the session."""

    class PlainPool(HTTPConnectionPool):
        class ConnectionCls(HTTPConnection):
            def _new_conn(self) -> socket.socket:
                return session.connected(self)

    class TlsPool(HTTPSConnectionPool):
        class ConnectionCls(HTTPSConnection):
            def _new_conn(self) -> socket.socket:
                return session.connected(self)

    return {"http": PlainPool, "https": TlsPool}
