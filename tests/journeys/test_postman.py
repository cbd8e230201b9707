"""The collection is played by newman as a reader does it: downloaded with its environment, in its order, twice, all green."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

from tests import npm
from tests.house.test_postman import run_of

from .play import Play

_PACKAGE = Path(__file__).parents[1] / "oracles" / "newman"
_SECONDS = 300


async def played(play: Play, folder: Path, *more: str) -> dict[str, Any]:
    """What newman reports of a run."""
    for name, path in (("collection", "/postman.json"), ("environment", "/sandbox/postman-environment.json")):
        answer = await play.ask("GET", play.stage.base_url + path)
        assert answer.status == 200, answer.body
        (folder / f"{name}.json").write_bytes(answer.body)
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    node = shutil.which("node")
    assert node is not None
    newman = npm.installed(_PACKAGE) / "node_modules" / "newman" / "bin" / "newman.js"
    running = await asyncio.create_subprocess_exec(
        node, str(newman), "run", "collection.json", "-e", "environment.json", "--color", "off",
        "--reporters", "cli,json", "--reporter-json-export", str(report), "--reporter-cli-no-success-assertions", *more,
        cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await asyncio.wait_for(running.communicate(), _SECONDS)
    assert report.exists(), said.decode()
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))["run"]
    (folder / "said.txt").write_bytes(said)
    return found


def failures(run: dict[str, Any]) -> list[str]:
    return [f"{one['source']['name']}: {one['error']['name']}: {one['error']['message']}" for one in run["failures"]]


async def test_it_plays_green_and_green_again(play: Play, tmp_path: Path) -> None:
    npm.installed(_PACKAGE)
    for _ in range(2):
        run = await played(play, tmp_path)
        assert failures(run) == []
        # newman tells of a request once for each that its scripts have made, too.
        sent = list(dict.fromkeys(one["item"]["id"] for one in run["executions"] if "response" in one))
        assert sent == run_of(json.loads((tmp_path / "collection.json").read_text(encoding="utf-8")))
        assert run["stats"]["assertions"]["total"] > 2 * len(sent)
