"""What `make demo` plays: every scene of it is seen to its end on the running sandbox."""

import pytest

from lastro_sandbox.demo import SCENES, demo

from .play import Play


@pytest.mark.parametrize("scene", SCENES)
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


async def test_who_finds_no_sandbox_is_told_so(play: Play) -> None:
    said: list[str] = []
    nobody = {**play.stage.sandbox, "baseUrl": "http://127.0.0.1:1"}
    assert await demo(nobody, play.stage.dsn("lastro_audit"), lambda line: said.append(str(line))) == 1
    assert said == ["http://127.0.0.1:1 does not answer: start the sandbox with make run."]
