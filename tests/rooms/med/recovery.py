"""A recovery as its room writes it, for tests of other things."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from tests.cast import Cast, Seller

from lastro.core.ids import Chance
from lastro.core.money import Money
from lastro.core.runner import RequestContext
from lastro.core.write import Row, Write
from lastro.med.actions.writing import born
from lastro.med.model import MedObject
from lastro.med.states import way_to

_TRANSACTION = "E1234567820260131120000000aBcDeF"


def notice(chance: Chance, company_id: UUID, account_id: UUID, at: datetime) -> Write:
    """One about money that came to the account, of which nothing is blocked; its deadline is far."""
    nothing, due = Money(0, "BRL"), at + timedelta(days=7)
    one = MedObject(
        uuid4(), "OPEN", 1, "INFRINGEMENT_NOTIFICATION", "RECEIVER", account_id, _TRANSACTION, uuid4(), "SCAM", "REFUND_REQUEST",
        Money(1, "BRL"), nothing, nothing, None, None, (), None, due, due, at, at, at, defense_due_at=at + timedelta(days=3),
    )  # fmt: skip
    return born(one, way_to("INFRINGEMENT_NOTIFICATION", "OPEN"), RequestContext(company_id, at, chance), at)


def recovery(cast: Cast, company_id: UUID, account_id: UUID, at: datetime) -> Write:
    """One that was just opened."""
    nothing = Money(0, "BRL")
    one = MedObject(
        uuid4(), "CREATED", 1, "RECOVERY_VALUE", "PAYER", account_id, _TRANSACTION, None, "SCAM", None, Money(1, "BRL"), nothing,
        nothing, None, None, (), None, at, None, at, at, at,
    )  # fmt: skip
    return born(one, way_to("RECOVERY_VALUE", "CREATED"), RequestContext(company_id, at, cast.chance), at)


def disputed(cast: Cast, seller: Seller, at: datetime) -> Write:
    """A dispute with a document."""
    one = recovery(cast, seller.company_id, seller.account_id, at)
    values = {
        "id": cast.id(), "object_id": one.objects[0], "number": 1, "content_type": "image/png", "size": 1,
        "digest": bytes(32), "kept_digest": bytes(32), "created_at": at,
    }  # fmt: skip
    return one + Write(seller.company_id, rows=(Row("med_documents", values),))
