"""pacs.004 by the words of its documents, played against the simulator alone: given, when, then."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from lastro_sim.clock import DAY

from ..stage import Institution, Sim
from ..test_returns import give_back, paid, return_id

MINUTE = 60_000_000


@dataclass(frozen=True)
class Row:
    """given: how long ago 10.00 settled, and what of it went back; when: the pacs.004; then: its end, by code or ACSC."""

    source: str
    then: str
    after: int = 0
    given: tuple[str, ...] = ()
    when: dict[str, Any] = field(default_factory=dict)


ROWS = {
    # API Pix 2.9.0, "devolução": "O prazo para devolução é de 90 dias" from the settlement of the Pix.
    "90 days less a minute": Row("API Pix 2.9.0, Devolucao", "ACSC", after=90 * DAY - MINUTE),
    "90 days and a minute": Row("API Pix 2.9.0, Devolucao; pacs.002 1.17, DT05", "DT05", after=90 * DAY + MINUTE),
    # "a soma dos valores das devoluções" never exceeds the value of the Pix.
    "the rest to the cent": Row("API Pix 2.9.0, PixDevolucaoInvalida", "ACSC", given=("4.00",), when={"amount": "6.00"}),
    "a cent above the rest": Row("API Pix 2.9.0, PixDevolucaoInvalida", "AM09", given=("4.00",), when={"amount": "6.01"}),
    # pacs.002 1.17: "AG13", a return cannot be returned (bacen/pix-api issue 115).
    "a return of a return": Row("bacen/pix-api issue 115", "AG13", when={"endToEndId": return_id(7)}),
    "of a payment that nobody knows": Row("pacs.002 1.17, ED05", "ED05", when={"endToEndId": "E" + "0" * 31}),
    "nothing": Row("pacs.002 1.17, AM01", "AM01", when={"amount": "0.00"}),
    # DevolucaoNatureza RETIRADA: of a Pix Saque or of the change of a Pix Troco; a common Pix has neither.
    "of a withdrawal that was none": Row("API Pix 2.9.0, DevolucaoNatureza", "SL02", when={"reason": "SL02"}),
    **{
        f"reason {reason}": Row("API Pix 2.9.0, DevolucaoNatureza", "ACSC", when={"reason": reason})
        for reason in ("MD06", "BE08", "FR01")
    },
}


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{name} [{row.source}]") for name, row in ROWS.items()])
async def test_a_return_ends_as_the_documents_say(sim: Sim, lastro: Institution, row: Row) -> None:
    of = await paid(sim)
    for number, amount in enumerate(row.given, start=10):
        assert (await give_back(lastro, of, number, amount))["status"] == "ACSC"
    if row.after:
        await sim.ask("PUT", "/clock", {"offsetMicroseconds": row.after})
    asked = {"endToEndId": of, "amount": "1.00", **row.when}
    end = await give_back(lastro, asked.pop("endToEndId"), 1, asked.pop("amount"), **asked)
    assert end.get("code", end["status"]) == row.then


@pytest.mark.parametrize("again", [{}, {"amount": "2.00"}, {"reason": "FR01"}])
async def test_a_returns_id_is_answered_again_for_the_same_and_refused_for_another(
    sim: Sim, lastro: Institution, again: dict[str, Any]
) -> None:
    """bacen/pix-api issue 277: the same request gives the same result; its id of another one is a violation (2.9.0)."""
    of = await paid(sim)
    assert (await give_back(lastro, of, 1, "1.00"))["status"] == "ACSC"
    fields = {"returnId": return_id(1), "endToEndId": of, "amount": "1.00", "reason": "MD06", **again}
    assert (await sim.send(lastro.message("pacs.004", **fields))).status_code == 201
    (given,) = (await sim.payment(of))["returns"]
    assert given["amount"] == "1.00"
