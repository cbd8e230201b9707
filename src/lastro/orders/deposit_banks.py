"""GET /v1/orders/deposit/banks: where a DEPOSIT order can have its account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.api_kit.routes import Answer, Doc, Route, render
from lastro.core.runner import Act, Done

if TYPE_CHECKING:
    from lastro.api_kit.routes import Incoming
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.orders.transfers import Transfers


class DepositBank(Answer, frozen=True, kw_only=True):
    """A bank at which orders have account numbers."""

    slug: Annotated[str, msgspec.Meta(description="What `order.bank` calls it.", examples=["banco-pagador"])]
    name: str
    code: Annotated[str, msgspec.Meta(description="Its COMPE number of three digits.", examples=["991"])]
    ispb: Annotated[str, msgspec.Meta(description="The institution's id of 8 characters.", examples=["99999020"])]
    default: Annotated[bool, msgspec.Meta(description="Whether it is taken where `order.bank` is left out.")]


class DepositBanks(Answer, frozen=True, kw_only=True):
    """The banks, the default one first."""

    data: list[DepositBank]


DOC = Doc(
    "List the banks for deposits",
    "The banks at which a DEPOSIT order can have its account: `order.bank` names one of them, the default one is taken"
    " where it names none. Empty where DEPOSIT is not configured.",
    None, DepositBanks, (), None,
    {
        "data": [
            {
                "slug": "banco-pagador", "name": "BANCO DO PAGADOR SIMULADO", "code": "991", "ispb": "99999020",
                "default": True,
            },
        ]
    },
)  # fmt: skip


@dataclass(frozen=True)
class ListDepositBanks(Act[None]):
    """Lists the configured deposit banks. Nothing is read."""

    transfers: Transfers

    async def read(self, session: Session, context: RequestContext) -> None:
        """Reads nothing."""

    def decide(self, known: None, context: RequestContext) -> Done:
        """Shows them."""
        del known, context
        banks = [
            DepositBank(slug=bank.slug, name=bank.name, code=bank.code, ispb=bank.ispb, default=place == 0)
            for place, bank in enumerate(self.transfers.banks)
        ]
        return Done(None, render(DepositBanks(data=banks)))


def deposit_bank_routes(transfers: Transfers) -> tuple[Route, ...]:
    """Returns the operation."""

    def listed(incoming: Incoming) -> ListDepositBanks:
        del incoming  # there is no choice
        return ListDepositBanks(transfers)

    return (Route("GET", "/v1/orders/deposit/banks", "list_deposit_banks", "orders:read", listed, DOC),)
