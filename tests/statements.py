"""Tells which statements of lastro each test of the rooms has sent, where `.ci/run` wants to know it.

STATEMENTS_TOLD names a folder. Each process of pytest writes a file there, with a line for each test when it has ended:
its function, its seconds, and a hash of each statement. `.ci/one_test_each.py` reads them.
"""

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastro.core import session
from lastro.core.session import Session

if TYPE_CHECKING:
    from types import FrameType

FOLDER = os.environ.get("STATEMENTS_TOLD")
_TESTS = str(Path(__file__).parent)
_SESSIONS = session.__file__
_sent: set[str] = set()


def listen() -> None:
    """Notes each statement of each session from here on, but for those that a test words itself."""
    fetched = Session.fetch

    async def noted(self: Session, sql: str, *arguments: Any) -> Any:
        asks: FrameType | None = sys._getframe(1)
        while asks is not None and asks.f_code.co_filename == _SESSIONS:
            asks = asks.f_back
        if asks is None or not asks.f_code.co_filename.startswith(_TESTS):
            _sent.add(sql)
        return await fetched(self, sql, *arguments)

    Session.fetch = noted  # type: ignore[method-assign]


def name_of(sql: str) -> str:
    """A hash of a statement, since some are pages long."""
    return hashlib.sha256(sql.encode()).hexdigest()[:16]


@contextmanager
def told(test: str, folder: Path) -> Iterator[None]:
    """Writes what is sent in here. test: its node id; cases of one function are one."""
    _sent.clear()
    began = time.monotonic()
    yield
    line = {
        "test": test.partition("[")[0],
        "seconds": time.monotonic() - began,
        "statements": sorted(map(name_of, _sent)),
    }
    with (folder / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


if FOLDER:
    listen()
