"""The clients' examples, run as programs against a sandbox: what they print is what their readers will see."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tests import typescript
from tests.house.tree import ROOT

from .play import Play

PYTHON = ROOT / "clients/python"
PATIENCE_SECONDS = 120.0
ORDER = ["order INITIAL", "order PAID", "refused amount LIMIT_EXCEEDED", "refund PAID PARTIAL_REFUNDED", "listed 1"]
SUBSCRIPTION = ["subscription PENDING_AUTHORIZATION", "subscription ACCEPTED", "subscription CANCELED"]
PAYOUT = ["payout PENDING", "payout PAID", "receipt %PDF"]
CODE = ["code 000201", "order PAID 7.50", "order PAID 7.50"]
PLAN = ["plan READY 2", "line 1 VALID", "line 2 VALID"]
KEY = ["key RANDOM", "listed True"]
CHECKOUT = ["page True"]
CARD = ["order INITIAL 1008", "order PAID"]
TOLD = ["event ORDER-PAYIN.PAID", "event ORDER-PAYIN.REFUNDED"]


async def test_the_examples_in_python_do_what_they_say(play: Play) -> None:
    await _played(play, lambda name: (sys.executable, str(PYTHON / f"examples/{name}.py")))


async def test_the_examples_in_typescript_do_what_they_say(play: Play, tmp_path: Path) -> None:
    examples = (await asyncio.to_thread(typescript.compiled, tmp_path)) / "examples"
    await _played(play, lambda name: ("node", str(examples / f"{name}.js")))


async def _played(play: Play, command: Callable[[str], Sequence[str]]) -> None:
    """Runs all of them, the order's events going to the receiver among them."""
    environment = _environment(play)
    async with _receiving(command("webhook_receiver"), environment) as (url, told):
        order, subscription, payout = await asyncio.gather(
            _run(command("first_order"), {**environment, "NOTIFICATION_URL": url}),
            _run(command("subscription"), {**environment, "START_DATE": "2099-01-10"}),  # whatever day the sandbox has
            _run(command("payout"), environment),
        )
        assert (order, subscription, payout) == (ORDER, SUBSCRIPTION, PAYOUT)
        code, plan, key, checkout, card = await asyncio.gather(
            *(_run(command(name), environment) for name in ("static_code", "plan", "pix_key", "checkout", "card"))
        )
        assert (code, plan, _spelt(key), _spelt(checkout), card) == (CODE, PLAN, KEY, CHECKOUT, CARD)
        async with asyncio.timeout(PATIENCE_SECONDS):
            lines = [await anext(told) for _ in TOLD]
        assert sorted(line.rpartition(" ")[0] for line in lines) == sorted(TOLD)


def _spelt(lines: Sequence[str]) -> list[str]:
    """With the truth as Python prints it."""
    return [line.replace("true", "True") for line in lines]


def _environment(play: Play) -> dict[str, str]:
    """As `lastro sandbox env` says it, and where Python finds the client."""
    sandbox, account = play.stage.sandbox, play.account
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("LASTRO_")},
        "LASTRO_API_URL": play.stage.base_url, "LASTRO_CLIENT_ID": sandbox["clientId"],
        "LASTRO_CLIENT_SECRET": sandbox["clientSecret"], "LASTRO_WEBHOOK_SECRET": sandbox["webhookSecret"],
        "LASTRO_SIMULATOR_URL": play.stage.simulator_url, "LASTRO_ACCOUNT_ID": account["id"],
        "LASTRO_PIX_KEY": account["pixKey"], "PYTHONPATH": str(PYTHON / "src"), "NO_PROXY": "*",
    }  # fmt: skip


async def _run(command: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    running = await asyncio.create_subprocess_exec(
        *command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            said, complained = await running.communicate()
    except TimeoutError:
        running.kill()
        said, complained = await running.communicate()
    assert (running.returncode, complained) == (0, b""), (said, complained.decode())
    return said.decode().splitlines()


@asynccontextmanager
async def _receiving(
    command: Sequence[str], environment: Mapping[str, str]
) -> AsyncIterator[tuple[str, AsyncIterator[str]]]:
    """A receiver that runs: its URL, and the lines that it prints."""
    running = await asyncio.create_subprocess_exec(*command, env=environment, stdout=asyncio.subprocess.PIPE)
    assert running.stdout is not None
    lines = running.stdout

    async def told() -> AsyncIterator[str]:
        async for line in lines:
            yield line.decode().strip()

    try:
        printed = told()
        yield await anext(printed), printed
    finally:
        running.kill()
        await running.communicate()
