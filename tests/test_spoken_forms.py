"""Requests in the passive: what they ask for is found, and what only speaks of it is not done."""

from __future__ import annotations

from pathlib import Path

import pytest

from learning.routing import choose
from learning.spoken_forms import in_active
from memory.sops.store import Sop
from tests.routing_cases import pair_sops

TAUGHT = (
    ("cancel order {number}", "external"),
    ("delete {file}", "local"),
    ("remove the empty folders in {folder}", "local"),
    ("pack {folder} into {target}", "local"),
    ("replace {old:quoted} with {new:quoted} in {file}", "local"),
    ("move all {ending:quoted} files from {folder} to {target}", "local"),
    ("stop the service {name:quoted}", "external"),
    ("rename {file} to {target}", "local"),
    ("delete files older than {days} days in {folder}", "local"),
)
ASKED = (
    ("order 1007 must be cancelled", 0),
    ("Order 1007 has to be cancelled, please.", 0),
    ("~/x.txt should be deleted", 1),
    ("the empty folders in ~/in should be removed", 2),
    ("all empty folders in ~/in need to be deleted.", 2),
    ("~/in should be packed into ~/out.zip", 3),
    ('"a" should be replaced with "b" in ~/x.txt', 4),
    ('all ".pdf" files from ~/in should be moved to ~/out', 5),
    ('the service "web" needs to be stopped', 6),
    ("~/x.txt should be renamed to ~/y.txt", 7),
    ("files older than 30 days in ~/in should be deleted", 8),
)
NEAR = (
    "order 1007 must not be cancelled", "order 1007 must never be cancelled", "should order 1007 be cancelled?", "it says order 1007 must be cancelled",
    "I was told order 1007 must be cancelled", "Bo thinks order 1007 must be cancelled", "I guess order 1007 should be cancelled", "order 1007 should be cancelled if it is late",
    "if it is late order 1007 should be cancelled", "order 1007 should be cancelled by friday", "order 1007 should be cancelled tomorrow", "order 1007 must be cancelled before order 1008 is shipped",
    "order 1007 should be cancelled already", "order 1007 should still be cancelled", "order 1007 should have been cancelled", "order 1007 was to be cancelled", "who said order 1007 should be cancelled",
    "which order should be cancelled", "order 1007 should be cancelled or changed", "order 1007 and order 1008 should be cancelled", "only order 1007 should be cancelled", "all but order 1007 should be cancelled",
    "order 1007 should be confirmed", "order 1007 should be recancelled", "offer 1007 should be cancelled", "the reason why order 1007 must be cancelled", "order 1007 should be cancelled and paid back",
    "nothing in ~/x.txt should be deleted", "~/x.txt should be deleted after 30 days", "the lines of ~/x.txt should be deleted", "the copy of ~/x.txt should be deleted", "~/x.txt should be deleted from the list",
    "~/x.txt should be undeleted", "~/x.txt may be deleted", "~/x.txt could be deleted", "~/x.txt will be deleted", "~/x.txt would be deleted", "~/x.txt should be deleted for good",
    "the empty files in ~/in should be removed", "the empty folders in ~/in should be listed", "the full folders in ~/in should be removed", "the folders in ~/in should be emptied", "the empty folders in ~/in should be kept",
    "~/out.zip should be unpacked into ~/in", "~/in should be packed into ~/out.zip every night", "~/in should be packed into ~/out.zip with a password", "~/in should be unpacked into ~/out.zip",
    'the first "a" should be replaced with "b" in ~/x.txt', '"a" should be replaced with "b" in the name of ~/x.txt', '"a" should be added to "b" in ~/x.txt', 'all ".pdf" files from ~/in should be copied to ~/out',
    'all ".pdf" folders from ~/in should be moved to ~/out', 'no ".pdf" files from ~/in should be moved to ~/out', 'the newest ".pdf" file from ~/in should be moved to ~/out', 'the service "web" needs to be restarted',
    'the service "web" should be stopped when it is idle', 'the timer of service "web" should be stopped', "~/x.txt should be renamed from ~/y.txt", "~/x.txt should be copied to ~/y.txt",
    "files newer than 30 days in ~/in should be deleted", "files older than 30 weeks in ~/in should be deleted", "folders older than 30 days in ~/in should be deleted", "the names of files older than 30 days in ~/in should be deleted",
    "files older than 30 days in ~/in should be deleted except the logs", "files older than 30 days in ~/in should be listed", "files older than 30 days in ~/in should be deleted from ~/out",
    "everything says that order 1007 must be cancelled", "my notes say ~/x.txt should be deleted", "remember that ~/x.txt should be deleted", "note: ~/x.txt should be deleted", "write down that order 1007 must be cancelled",
    "ask Bo whether ~/x.txt should be deleted", "tell Bo that order 1007 must be cancelled", "remind me that order 1007 must be cancelled", "explain why ~/x.txt should be deleted", "the mail that order 1007 must be cancelled",
    "pretend order 1007 must be cancelled", "check that order 1007 must be cancelled", "imagine ~/x.txt should be deleted", "find out how ~/x.txt should be renamed to ~/y.txt", "make sure ~/x.txt should be deleted",
    "list what should be deleted in ~/in", "~/x.txt is to be deleted in 2027", "maybe ~/x.txt should be deleted", "perhaps order 1007 should be cancelled", "in theory order 1007 should be cancelled",
    "apparently order 1007 must be cancelled", "order 1007 must be cancelled soon", "order 1007 must be cancelled again", "order 1007 must be cancelled twice", "order 1007 must be cancelled at the desk of Bo",
    "order 1007 must be cancelled first", "order 1007 must be cancelled instead", "order 1007 must be cancelled as well", "the cancelled order 1007 must be deleted", "order 1007 must be cancelled, I think",
    "order 1007 must be cancelled? ~/x.txt should be deleted", "~/x.txt should be deleted; order 1007 must be cancelled", '"order 1007" should be cancelled', "'~/x.txt should be deleted'",
    "an order like 1007 must be cancelled", "orders from 1007 on must be cancelled", "some files older than 30 days in ~/in should be deleted", "half the files older than 30 days in ~/in should be deleted",
)  # fmt: skip


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> list[Sop]:
    return pair_sops(
        tmp_path_factory.mktemp("sops"),
        [((wording,), effects, (), ()) for wording, effects in TAUGHT],
    )


def test_what_must_be_done_is_done(known: list[Sop]) -> None:
    found = [choose(request, known, Path("/w"), Path("/o")).match for request, _ in ASKED]
    assert [match and match.sop.name for match in found] == [
        f"pair-{number}" for _, number in ASKED
    ]


@pytest.mark.parametrize("request_", NEAR)
def test_what_only_speaks_of_it_is_not_done(request_: str, known: list[Sop]) -> None:
    match = choose(request_, known, Path("/w"), Path("/o")).match
    assert match is None, (match.wording, match.parameters, in_active(request_))
