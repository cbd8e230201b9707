"""What `make demo` plays: every scene of it is seen to its end on the running sandbox."""

import asyncio
import os
import pty
import tempfile
from contextlib import suppress
from subprocess import DEVNULL

from tests import forked
from tests.in_one import in_one_test
from tests.watched import CLEARED

from lastro_sandbox.demo import SCENES, demo

from .play import Play
from .stage import Stage


@in_one_test("scene", [scene for scene in SCENES if scene != "bank"])  # tests/journeys/test_bank.py has that
async def test_a_scene_goes_well(play: Play, scene: str) -> None:
    said: list[str] = []
    assert (
        await demo(play.stage.sandbox, play.stage.dsn("lastro_audit"), lambda line: said.append(str(line)), [scene]) == 0
    ), said
    assert said[0] == f"\n── {SCENES[scene][0]} ──"
    assert said[1].startswith("1. ")
    assert "WRONG" not in "".join(said)
    for shown in (await play.act("/phone/authorizations", method="GET"))["data"]:
        if shown["status"] == "AUTHORIZED":  # it would be charged on a day of another test
            await play.act("/phone/cancel-subscription", {"idRec": shown["idRec"]})


def _watched(stage: Stage, *scenes: str) -> tuple[int, str, list[str]]:
    """`lastro demo` with a terminal on standard error: its status, its standard output, and each drawing of the line."""
    kept = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("LASTRO_")}
    ours, theirs = pty.openpty()
    with tempfile.TemporaryFile("w+") as out:
        process = forked.start(
            ("-m", "lastro.cli.main", "demo", *scenes), env=kept | {"TERM": "xterm", "LASTRO_HOME": str(stage.home)},
            stdin=DEVNULL, stdout=out.fileno(), stderr=theirs,
        )  # fmt: skip
        os.close(theirs)
        drawn = b""
        with suppress(OSError):  # how Linux says that the other end is closed
            while part := os.read(ours, 4096):
                drawn += part
        os.close(ours)
        status = process.wait()
        out.seek(0)
        return status, out.read(), drawn.decode().split(CLEARED)[1:]


async def test_a_terminal_shows_which_scene_plays_while_its_next_step_is_waited_for(play: Play) -> None:
    status, said, drawn = await asyncio.to_thread(_watched, play.stage, "order", "payout")
    assert status == 0, said
    titles = [f"── {SCENES[scene][0]} ──" for scene in ("order", "payout")]
    assert [line for line in said.splitlines() if line.startswith("── ")] == titles
    assert CLEARED not in said
    order, payout = (f"{number} of 2  {SCENES[scene][0]}" for number, scene in enumerate(("order", "payout"), 1))
    assert {line.rpartition("] ")[2] for line in drawn} == {order, payout, ""}
    steps = [line for line in said.splitlines() if line[:1].isdigit()]
    assert len([line for line in drawn if line]) == len(titles) + len(steps), "it is there again after each of them"
    assert drawn[-1] == "", "nothing of it stays"


async def test_who_finds_no_sandbox_is_told_so(play: Play) -> None:
    said: list[str] = []
    nobody = {**play.stage.sandbox, "baseUrl": "http://127.0.0.1:1"}
    assert await demo(nobody, play.stage.dsn("lastro_audit"), lambda line: said.append(str(line))) == 1
    assert said == ["http://127.0.0.1:1 does not answer: start the sandbox with make run."]
