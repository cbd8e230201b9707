"""`lastro demo`: plays journeys against the running sandbox and shows each step, and what moved in the ledger."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import aiohttp

from lastro.core.db import Database
from lastro.terminal.progress import silent
from lastro_sandbox.demo import bank, dispute, order, payout, subscriptions
from lastro_sandbox.demo.stage import Stage, Stuck

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from lastro.core.db import Dsn
    from lastro.terminal.progress import Tell

# The scenes, by the name that a person gives, in this order.
SCENES: Mapping[str, tuple[str, Callable[[Stage], Awaitable[bool]]]] = {
    "order": ("An order is paid by Pix", order.paid),
    "payout": ("Money is sent to a key", payout.sent),
    "subscription": ("Pix Automático, journey 2: authorize now, be charged later", subscriptions.authorized),
    "first-charge": ("Pix Automático, journey 3: pay and authorize in one act", subscriptions.paid_at_once),
    "bank": ("An order is paid at the company's own bank, by API Pix", bank.paid),
    "bank-subscription": ("Pix Automático at the company's own bank: two charges, in two weeks", bank.subscribed),
    "dispute": ("A payout is contested at the directory, and its money comes back", dispute.won),
}


async def demo(
    sandbox: Mapping[str, Any], audit: Dsn, say: Callable[[str], object], scenes: Sequence[str] = tuple(SCENES),
    progress: Tell = silent,
) -> int:  # fmt: skip
    """Plays these scenes; returns 0 when every step of each was seen.

    KeyError for a scene that there is not. progress: is called with the scene, each time when somebody waits for its next
    step.
    """
    chosen = [SCENES[name] for name in scenes]
    database = Database(audit, size=1)
    timeout = aiohttp.ClientTimeout(total=30)
    try:
        async with aiohttp.ClientSession(timeout=timeout, trust_env=False) as http:
            stage = Stage(sandbox, database, http, say)
            await stage.open()
            went_well = True
            for number, (title, play) in enumerate(chosen, 1):
                stage.goes_on = partial(progress, number, len(chosen), title)
                stage.title(title)
                went_well &= await play(stage)
            return 0 if went_well else 1
    except aiohttp.ClientConnectionError:
        say(f"{sandbox['baseUrl']} does not answer: start the sandbox with make run.")
        return 1
    except Stuck as stuck:
        say(str(stuck))
        return 1
    finally:
        await database.close()
