"""lastro bank webhook and rehearse: what changes something at a bank. Each says what it will do, and asks."""

from __future__ import annotations

import asyncio
import os
import secrets
import string
import sys
import time
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import UUID

from lastro.core.declined import CommandFailed
from lastro.core.money import Money, MoneyError
from lastro.rails.api_pix import Ambient, BankLine, BankWebhook, Rehearsal, SetUpWrongly, WebhookRefused
from lastro.rails.port import AnswerInvalid, IssueRefused, Permanent, Transient
from lastro.standards import qrcode
from lastro.standards.pix_keys import canonical
from lastro.terminal.asking import agreed
from lastro.terminal.printing import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Callable, Sequence

    from lastro.config.settings import Settings
    from lastro.rails.api_pix import BankPayment, Connection, RegisteredWebhook

Rows = tuple[list[dict[str, Any]], bool]
_LETTERS = string.ascii_letters + string.digits
_AWAY = (WebhookRefused, Transient)


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    hook = command(
        _webhook, "webhook", "Show where a bank tells of payments and subscriptions; register our address, or remove it."
    )
    hook.add_argument("name", help="of the connection, as LASTRO_BANKS_FILE names it")
    act = hook.add_mutually_exclusive_group()
    act.add_argument("--register", action="store_true", help="have the bank call our address for each key")
    act.add_argument("--remove", action="store_true", help="have it call no more; another system's address stays")
    tried = command(
        _rehearse, "rehearse", "Try the whole way with real money: a charge, a person who pays it, and its return."
    )
    tried.add_argument("name", help="of the connection, as LASTRO_BANKS_FILE names it")
    tried.add_argument("--amount", required=True, help="in reais, as in 0.01")
    tried.add_argument("--key", help="the Pix key that is paid; the connection's first where none is said")
    tried.add_argument("--picture", type=Path, metavar="FILE", help="write the QR code there, as PNG")
    for made in (hook, tried):
        made.add_argument("--yes", action="store_true", help="do it without asking")


def ambient() -> Ambient:
    """Returns this machine's time and randomness, for lines to banks."""
    return Ambient(time.monotonic, machine_now, lambda: str(UUID(bytes=os.urandom(16), version=4)))


def machine_now() -> datetime:
    """Returns the machine's time."""
    return datetime.now(UTC)


def chosen_of(settings: Settings, name: str | None) -> Sequence[Connection]:
    """Returns the connection of a name; None: all. Declined: there is none."""
    if not settings.connections:
        raise CommandFailed("There is no connection to a bank: LASTRO_BANKS_FILE names none.")
    chosen = [one for one in settings.connections if name in {None, one.name}]
    if not chosen:
        names = ", ".join(one.name for one in settings.connections)
        raise CommandFailed(f"There is no connection {name!r}; there are {names}.")
    return chosen


@asynccontextmanager
async def _line_to(connection: Connection) -> AsyncIterator[BankLine]:
    line = BankLine(connection, ambient(), is_quiet=True)
    try:
        yield line
    finally:
        await line.close()


async def _webhook(settings: Settings, given: argparse.Namespace) -> Rows:
    (connection,) = chosen_of(settings, given.name)
    if given.register and connection.webhook_url is None:
        raise CommandFailed(f"{connection.name} has no webhook in LASTRO_BANKS_FILE: set webhook and secret_file.")
    async with _line_to(connection) as line:
        hook = BankWebhook(line, connection.webhook_url)
        before = {name: await _looked(hook, name) for name in connection.webhooks}
        if not (given.register or given.remove):
            rows = [_row(connection, key, found) for key, found in before.items()]
            return rows, any(row["webhook"] == "unknown" for row in rows)
        wanted = "ours" if given.register else "none"
        moved = [key for key, found in before.items() if isinstance(found, str) or _is_changed(found, wanted)]
        _note(_plan(connection, before, moved, wanted))
        if moved and not (given.yes or agreed("Do it?")):
            _note("Nothing was changed: --yes changes it.")
            return [_row(connection, key, found) for key, found in before.items()], False
        rows, failed = [], False
        for key, found in before.items():
            now = await _changed(hook, key, wanted) if key in moved else found
            rows.append(_row(connection, key, now))
            failed |= isinstance(now, str) or (key in moved and now.whose != wanted)
        return rows, failed


def _is_changed(found: RegisteredWebhook, wanted: str) -> bool:
    return found.whose == "ours" if wanted == "none" else found.whose != "ours"


def _plan(
    connection: Connection, before: dict[str, RegisteredWebhook | str], moved: Sequence[str], wanted: str
) -> str:  # fmt: skip
    """Returns what will be done, webhook by webhook."""
    if not moved:
        return "Nothing is to be changed."
    lines = []
    for key in moved:
        found = before[key]
        at = "" if isinstance(found, str) or found.host is None else f" in place of that at {found.host}"
        if wanted == "ours":
            host = urlsplit(connection.webhook or "").netloc
            lines.append(f"{key}: {connection.name} will tell {host} of {_told_of(key)}{at}.")
        else:
            lines.append(f"{key}: {connection.name} will tell nobody of {_told_of(key)}; they are seen by polling alone.")
    return "\n".join(lines)


def _told_of(name: str) -> str:
    return {"webhookrec": "subscriptions", "webhookcobr": "subscriptions' charges"}.get(name, "payments")


async def _looked(hook: BankWebhook, key: str) -> RegisteredWebhook | str:
    """Returns the webhook of a key. A text: why it is not known."""
    try:
        return await hook.look(key)
    except _AWAY as away:
        return _why(away)


async def _changed(hook: BankWebhook, key: str, wanted: str) -> RegisteredWebhook | str:
    try:
        await (hook.register(key) if wanted == "ours" else hook.remove(key))
    except _AWAY as away:
        return _why(away)
    return await _looked(hook, key)


def _row(connection: Connection, key: str, found: RegisteredWebhook | str) -> dict[str, Any]:
    if isinstance(found, str):
        return {"connection": connection.name, "key": key, "webhook": "unknown", "host": None, "says": found}
    return {"connection": connection.name, "key": key, "webhook": found.whose, "host": found.host, "says": None}


def _why(away: Exception) -> str:
    if isinstance(away, SetUpWrongly):
        return f"{away.detail}: lastro bank check says what to do"
    return away.reason if isinstance(away, Transient | Permanent) else str(away)


async def _rehearse(settings: Settings, given: argparse.Namespace) -> Rows:
    (connection,) = chosen_of(settings, given.name)
    if not connection.keys:
        raise CommandFailed(f"{connection.name} has no key in LASTRO_BANKS_FILE: nothing can be paid there.")
    if not connection.gives_refunds:
        raise CommandFailed(
            f"{connection.name} gives nothing back (capabilities), and a rehearsal does so with what was paid."
        )
    amount, key = _amount(given.amount), canonical(given.key) if given.key else next(iter(connection.keys))
    if key not in connection.keys:
        raise CommandFailed(f"{connection.name} has no key {key[:80]!r}; it has {', '.join(connection.keys)}.")
    _note(
        f"A charge of BRL {amount} is made at {connection.name}, for {key} of company {connection.company}."
        " A person pays it within ten minutes, from another bank. The bank is then asked to give all of it back to the"
        " payer. What it takes for a Pix and for its return, your contract with it says. No order is made and nothing is"
        " booked: lastro foreign list shows the payment from then on, and it is to be left there."
    )
    if not (given.yes or agreed("Do it?")):
        _note("Nothing was done: --yes does it.")
        return [], False
    async with _line_to(connection) as line:
        name = "".join(secrets.choice(_LETTERS) for _ in range(15))
        return await _played(Rehearsal(line, name, machine_now, time.monotonic), connection, key, amount, given.picture)


class _Steps:
    """The steps of a rehearsal, each told to a person at once. has_failed: one of them has."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.rows: list[dict[str, Any]] = []

    def add(self, what: str, state: str, says: str) -> None:
        self.rows.append({"connection": self._name, "step": what, "state": state, "says": says})
        _note(f"{what}: {says}")

    @property
    def has_failed(self) -> bool:
        """True if a step has failed."""
        return any(row["state"] == "failed" for row in self.rows)


async def _played(tried: Rehearsal, connection: Connection, key: str, amount: Money, picture: Path | None) -> Rows:
    """Plays a rehearsal. An interruption ends the charge too, and gives back what was paid meanwhile."""
    steps = _Steps(connection.name)
    try:
        made = await tried.charge(key, amount)
    except IssueRefused as refused:
        why = "; ".join(why for _, why in refused.violations)
        steps.add("charge", "failed", f"the bank refuses it: {refused.code} {why}")
        return steps.rows, True
    except (AnswerInvalid, Permanent, Transient) as away:
        steps.add("charge", "failed", f"the bank makes none: {_why(away)}")
        return steps.rows, True
    steps.add("charge", "passed", f"{tried.txid}, until {made.expires_at:%H:%M} UTC; to be paid by the code")
    _note(made.code)
    try:
        if picture is not None:
            await asyncio.to_thread(_write_picture, picture, made.code)
        paid = await tried.payment()
    except (Permanent, Transient) as away:
        steps.add("payment", "failed", f"it is not known whether somebody paid: {_why(away)}. Look at the bank")
        return steps.rows, True
    except asyncio.CancelledError:
        _note("The rehearsal is stopped, and its charge is ended at the bank.")
        await _end_stopped(tried, steps)
        raise
    if paid is None:
        steps.add("payment", "failed", "nobody has paid, and the charge is ended")
        return steps.rows, True
    await _give_back(tried, paid, steps)
    return steps.rows, steps.has_failed


async def _end_stopped(tried: Rehearsal, steps: _Steps) -> None:
    """Ends the charge of a rehearsal that was stopped. A payment that came meanwhile is given back."""
    try:
        paid = await tried.end()
    except (Permanent, Transient) as away:
        says = f"it is not known whether {tried.txid} was paid, or can be: {_why(away)}. Look at the bank"
        steps.add("payment", "failed", says)
        return
    if paid is None:
        steps.add("payment", "failed", "nobody has paid, and the charge is ended")
        return
    await _give_back(tried, paid, steps)


async def _give_back(tried: Rehearsal, paid: BankPayment, steps: _Steps) -> None:
    """Has the bank give a payment back, and tells how that ended."""
    steps.add("payment", "passed", f"{paid.payment_id}, BRL {paid.amount}, {paid.at:%Y-%m-%d %H:%M:%S} UTC")
    try:
        ended = await tried.give_back(paid)
    except Permanent as refused:
        steps.add("return", "failed", f"the bank refuses it: {refused.code} {refused.reason}. Give it back at the bank")
        return
    except asyncio.CancelledError:
        steps.add("return", "failed", f"{tried.return_id}, stopped. Look at the bank what became of it")
        raise
    says = f"{tried.return_id}, {ended.status}" + (f" {ended.code}" if ended.code else "")
    if ended.is_done:
        steps.add("return", "passed", says)
    else:
        steps.add("return", "failed", f"{says}. Look at the bank what became of it")


def _write_picture(picture: Path, code: str) -> None:
    """Writes the QR code. A charge is there by now, so that a fault is told and ends nothing."""
    try:
        picture.write_bytes(qrcode.png(code))
    except OSError as wrong:
        _note(f"The picture was not written: {wrong.strerror}. The code above is the same.")


def _amount(text: str) -> Money:
    try:
        return Money.parse(text, "BRL")
    except MoneyError as wrong:
        raise CommandFailed(f"--amount must be an amount of reais such as 0.01, not {text[:40]!r}.") from wrong


def _note(text: str) -> None:
    """Tells a person what goes on, beside the answer of the command."""
    sys.stderr.write("".join(f"{printable(line)}\n" for line in text.splitlines()))
    sys.stderr.flush()
