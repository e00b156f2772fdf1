"""Search the web, fetch a page as Markdown, or a file, from addresses that the gate allowed."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from tools.web.fetch import problem as problem
    from tools.web.fetch import web_fetch as web_fetch
    from tools.web.search import web_search as web_search
else:
    __getattr__ = lazy(__name__)
