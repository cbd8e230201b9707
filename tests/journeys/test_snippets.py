"""What the guides tell a reader to type, typed in one shell from the first line to the last, and what they say comes of it."""

import asyncio
import io
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image
from tests.conftest import lent
from tests.house.tree import ROOT

from .conftest import opened, playing
from .play import Play
from .stage import Stage

# In the order in which they are typed: the first one's shell has what the others use.
PLAYED = (
    "docs/guides/orders.md", "docs/guides/refunds.md", "docs/guides/checkout.md", "docs/guides/pix-keys.md",
    "docs/guides/static-codes.md", "docs/guides/statements.md", "docs/guides/opening.md", "docs/guides/payouts.md",
    "docs/guides/plans.md", "docs/guides/subscriptions.md", "docs/guides/transfers.md", "docs/guides/cards.md",
    "docs/guides/crypto.md", "docs/guides/vouchers.md", "docs/guides/slips.md", "docs/guides/first-minute.md",
)  # fmt: skip
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PATIENCE_SECONDS = 240.0
# What differs each time: ids, times, codes; amounts and states do not.
VARYING = re.compile(r"[0-9A-Za-z-]*\d[0-9A-Za-z:.-]{11,}|…")
# In place of waiting, a command of the shell asks for rest and gets a line when it has come.
RESTING = 'sleep() { echo >&"$ASK"; read -r _ <&"$TOLD"; }\n'


@dataclass
class Block:
    """What is typed at one place, and the lines that are said to come of it."""

    where: str
    typed: str
    expected: str | None


def blocks(path: str) -> list[Block]:
    """Those of a document that a reader of the sandbox can type; commands with ids of somebody else's are left to test_cli."""
    text = (ROOT / path).read_text(encoding="utf-8")
    fences = [(m[1], m[2], m.start()) for m in FENCE.finditer(text)]
    found = []
    for n, (language, typed, start) in enumerate(fences):
        if language != "sh" or re.match(r"lastro ", typed):
            continue
        following = fences[n + 1] if n + 1 < len(fences) else ("", "", 0)
        expected = following[1] if following[1].startswith("→") else None
        found.append(Block(f"{path}:{text[:start].count(chr(10)) + 1}", typed, expected))
    return found


def pattern(expected: str) -> re.Pattern[str]:
    """The lines as they may come: blanks do not count, what varies may be anything, and nothing else."""
    flat = re.sub(r"\s+", "", expected.replace("→ ", "\n"))
    parts = VARYING.split(flat)
    return re.compile(".*?".join(map(re.escape, parts)))


@pytest.fixture
def unused(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    """A sandbox that nobody has used, as a reader's is."""
    home = tmp_path / "home"
    home.mkdir()
    for database in lent(request, "clone", f"snippets_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"):
        yield from opened(home, database)


@pytest.fixture
async def play(unused: Stage) -> AsyncIterator[Play]:
    async with playing(unused) as made:
        yield made


async def test_what_a_reader_types_does_what_is_said(play: Play, tmp_path: Path) -> None:
    for name in ("front.jpg", "back.jpg"):
        (tmp_path / name).write_bytes(_picture())
    every = [block for path in PLAYED for block in blocks(path)]
    script = RESTING + "\n".join(f"echo '@@ {n}'; echo '@@ {n}' >&2\n{adapted(play, b.typed)}" for n, b in enumerate(every))
    out, err = await typed(play, script, tmp_path)
    said, complained = split(out), split(err)
    wrong = []
    for n, block in enumerate(every):
        got = said.get(n, "it was not reached")
        if complained.get(n, "").strip():
            wrong.append(f"{block.where} complains: {complained[n]}\n{got}")
        elif block.expected is None:
            wrong += [f"{block.where} is refused: {got}"] if '"error":' in got else []
        elif not pattern(block.expected).fullmatch(re.sub(r"\s+", "", got)):
            wrong.append(f"{block.where}\n--- said to be\n{block.expected}--- is\n{got}")
    assert not wrong, "\n".join(wrong)


def test_what_does_not_come_is_seen() -> None:
    assert pattern('→ {"id":"01a20103-2a27-734e-b97b-7351a1a91693","status":"PENDING"}\n→ PAID\n').fullmatch(
        '{"id":"01a20000-2a27-734e-b97b-7351a1a91693","status":"PENDING"}PAID'
    )
    for other in ('{"status":"PENDING"}', '{"id":"01a20000-2a27-734e-b97b-7351a1a91693","status":"PAID"}'):
        assert not pattern('→ {"id":"01a20103-2a27-734e-b97b-7351a1a91693","status":"PENDING"}\n').fullmatch(other)
    assert not pattern("→ 10.50\n").fullmatch("10.51")
    assert len(blocks("docs/guides/first-minute.md")) > 8


def adapted(play: Play, typed: str) -> str:
    """With the addresses and the programs of this sandbox."""
    ours, theirs = play.stage.base_url, play.stage.simulator_url
    for mine, stages in (
        (("http://127.0.0.1:8080", "localhost:8080"), ours),
        (("http://127.0.0.1:8090", "localhost:8090"), theirs),
    ):
        for address in mine:
            typed = typed.replace(address, stages)
    return typed.replace(".venv/bin/python", sys.executable).replace(
        ".venv/bin/lastro", f"{sys.executable} -m lastro.cli.main"
    )


async def typed(play: Play, script: str, folder: Path) -> tuple[str, str]:
    """What the shell says on its standard output and its standard error."""
    asked, ask = os.pipe()
    told, tell = os.pipe()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("LASTRO_")},
        "LASTRO_HOME": str(play.stage.home), "ASK": str(ask), "TOLD": str(told),
    }  # fmt: skip
    shell = await asyncio.create_subprocess_exec(
        "bash", "-s", cwd=folder, env=environment, pass_fds=(ask, told), stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    os.close(ask)
    os.close(told)

    async def answer() -> None:
        while await asyncio.to_thread(os.read, asked, 1):
            await play.rest()
            os.write(tell, b"\n")

    answering = asyncio.create_task(answer())
    try:
        out, err = await asyncio.wait_for(shell.communicate(script.encode()), PATIENCE_SECONDS)
    finally:
        if shell.returncode is None:
            shell.kill()
        await answering
        os.close(asked)
        os.close(tell)
    return out.decode(), err.decode()


def split(text: str) -> dict[int, str]:
    """What was said at each block."""
    parts = re.split(r"^@@ (\d+)$", text, flags=re.MULTILINE)
    return {int(number): said for number, said in zip(parts[1::2], parts[2::2], strict=True)}


def _picture() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (640, 400), "white").save(out, "JPEG")
    return out.getvalue()
