"""What the institution on the stage sends of its own: payments and transfers."""

from datetime import UTC, datetime, timedelta
from typing import Any

from lastro_sim.settings import LASTRO_ISPB

from .stage import Institution, Message, Sim

PAYER = {
    "name": "Loja da Ana Ltda", "document": {"type": "CNPJ", "number": "11222333000181"},
    "ispb": "99999010", "branch": "0001", "account": "00000019", "accountType": "TRAN",
}  # fmt: skip
FABIO = {
    "document": {"type": "CPF", "number": "24681357928"},
    "ispb": "99999030", "branch": "0001", "account": "300003", "accountType": "CACC",
}  # fmt: skip
GRAFICA = {
    "document": {"type": "CNPJ", "number": "99999030000110"},
    "ispb": "99999030", "branch": "0001", "account": "300002", "accountType": "CACC",
}  # fmt: skip
LOOK_UP = {"PI-RequestingParticipant": "99999010", "PI-PayerId": "11222333000181", "PI-EndToEndId": "E" * 32}
OPEN = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)  # Monday, 10:00 in Brasilia


_BEGUN = datetime.now(UTC)  # the network refuses an id that is dated half a day off


def payout(lastro: Institution, number: int = 1, **changes: Any) -> Message:
    fields: dict[str, Any] = {
        "endToEndId": f"E99999010{_BEGUN:%Y%m%d%H%M}{number:011d}",
        "amount": "25.00",
        "acceptedAt": "2026-11-21T00:52:00.000Z",
        "localInstrument": "DICT",
        "purpose": "IPAY",
        "payer": PAYER,
        "receiver": FABIO,
    }
    return lastro.message("pacs.008", **(fields | changes))


async def ended(lastro: Institution, message: Message) -> Message:
    sent = await lastro.sim.send(message)
    assert sent.status_code == 201, sent.text
    return await lastro.final(message["endToEndId"])


def ted(number: int = 1, **changes: Any) -> Message:
    party = {"branch": "1", "accountType": "CC"}
    fields: dict[str, Any] = {
        "msgId": f"M{number:031d}", "type": "STR0008", "createdAt": "2026-11-23T13:00:00Z", "numCtrlIf": f"P{number:019d}",
        "amount": "10.50", "purpose": "10",
        "debtor": party | {"name": PAYER["name"], "document": PAYER["document"], "account": "19", "accountType": "PG"},
        "creditor": party | {"name": "Fabio", "document": FABIO["document"], "account": "300003", "ispb": "99999030"},
    }  # fmt: skip
    return fields | changes


async def send_ted(sim: Sim, message: Message) -> Any:
    return await sim.ask("POST", f"/str/v1/msgs/{LASTRO_ISPB}", message)


async def set_clock(sim: Sim, at: datetime) -> None:
    """Business time stands at `at` and runs on."""
    offset = (at - datetime.now(UTC)) // timedelta(microseconds=1)
    moved = await sim.ask("PUT", "/clock", {"offsetMicroseconds": offset})
    assert moved.status_code == 200, moved.text
