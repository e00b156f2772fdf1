"""How a route comes by its server: `site: Here` as a parameter. Imported inside functions only."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from ui.web.site import Site


async def site_of(connection: HTTPConnection) -> Site:
    """The server that this request has come to."""
    site: Site = connection.app.state.site
    return site


Here = Annotated[Site, Depends(site_of)]
