"""Where the time of one request goes: the API process is sampled by py-spy while it is loaded, or profiled in ours."""

from __future__ import annotations

import asyncio
import cProfile
import pstats
import re
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bench.load import closed, filled, template
from bench.orders import CONNECTIONS, InProcess

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.house import House

# The first place that fits, from the innermost frame outwards, says what a sample was spent on.
_PLACES = (
    ("QR and PNG", r"standards/qrcode\.py|zxingcpp"),
    ("BR Code text", r"standards/brcode\.py"),
    ("database: driver", r"asyncpg/|core/db\.py"),
    ("database: statement", r"core/(commit|balance_debits|write|machine)\.py"),
    ("parse: token and body", r"api_kit/forms\.py|companies/tokens\.py|orders/(forms|rules|api)\.py|core/money\.py"),
    ("render", r"orders/rendering\.py|api_kit/routes\.py"),
    ("decide", r"orders/|core/ids\.py|standards/|accounts/|ledger/"),
    ("run: order of the steps", r"core/(runner|clock|failpoints|notify)\.py"),
    ("door", r"(api_kit/http|web/application)\.py"),
    ("Litestar", r"/litestar/"),
    ("uvicorn", r"/uvicorn/"),
    ("event loop", r"asyncio/|uvloop|lastro/(app|web)/|runpy"),
)
_FRAME = re.compile(r"^(?P<function>.+) \((?P<file>.+?)(?::\d+)?\)$")
_REQUESTS = 2000


async def of_one_request(house: House, seconds: float) -> dict[str, float]:
    """Shares of the API process's time, without what the database does in its own processes."""
    if _py_spy() is None:
        return await _profiled(house)
    texts = [template(p, house.settings.port) for p in house.payees]
    async with house.api() as api:
        await closed(house.home, house.settings.port, texts, CONNECTIONS, 1)
        file = house.home / "samples"
        sampler = await asyncio.create_subprocess_exec(
            str(_py_spy()), "record", "--format", "raw", "--full-filenames", "--rate", "250",
            "--duration", str(round(seconds) + 1), "--pid", str(api.pid), "--output", str(file),
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        await closed(house.home, house.settings.port, texts, CONNECTIONS, seconds + 2)
        await sampler.wait()
    found: Counter[str] = Counter()
    for line in file.read_text(encoding="utf-8").splitlines():
        stack, _, count = line.rpartition(" ")
        files = (m["file"] for frame in reversed(stack.split(";")) if (m := _FRAME.match(frame)))
        found[_place(files)] += int(count)
    return _shares(found)


def _py_spy() -> str | None:
    beside = Path(sys.executable).with_name("py-spy")
    return str(beside) if beside.exists() else shutil.which("py-spy")


async def _profiled(house: House) -> dict[str, float]:
    """Without py-spy: the application alone, in this process; a profile makes small functions look larger than they are."""
    app = await InProcess.build(house)
    requests = [
        filled(template(house.payees[n % len(house.payees)], house.settings.port), 7_000_000 + n) for n in range(_REQUESTS)
    ]
    for request in requests[:200]:
        await app.ask(request)
    profile = cProfile.Profile()
    profile.enable()
    for request in requests[200:]:
        await app.ask(request)
    profile.disable()
    await app.close()
    found: Counter[str] = Counter()
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined] # it is there, the stubs do not say so
    for (file, _, _), (_, _, own, _, callers) in stats.items():
        if file != "~":
            found[_place([file])] += round(own * 1e6)
            continue
        for caller, spent in callers.items():  # what is written in C counts for who called it
            found[_place([caller[0]])] += round(spent[2] * 1e6)
    return _shares(found)


def _place(files: Iterable[str]) -> str:
    for file in files:
        for name, pattern in _PLACES:
            if re.search(pattern, file):
                return name
    return "other"


def _shares(found: Counter[str]) -> dict[str, float]:
    total = sum(found.values()) or 1
    return {name: count / total for name, count in found.most_common()}
