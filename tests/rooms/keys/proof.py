"""A proof and a claim that were asked for, for tests that need a row of one."""

from datetime import datetime, timedelta

from tests.cast import Cast, Seller
from tests.rooms.keys.claiming import claim_news

from lastro.core.runner import RequestContext
from lastro.core.write import Write
from lastro.keys import VALIDATIONS
from lastro.keys.claims.actions.writing import born
from lastro.rails.port import code_message


def asked_proof(cast: Cast, seller: Seller, at: datetime) -> Write:
    """Of an e-mail address, whose code is to be sent and is not confirmed."""
    made = cast.id()
    values = {
        "id": made, "account_id": seller.account_id, "type": "EMAIL", "key": "ana@example.com", "request_id": cast.id(),
        "sealed_by": "k", "sent_at": at, "expires_at": at + timedelta(minutes=10), "created_at": at, "updated_at": at,
    }  # fmt: skip
    order = code_message(cast.id(), made, 1, at)
    return Write(seller.company_id, rows=VALIDATIONS.born(values, at), messages=(order,))


def asked_claim(cast: Cast, seller: Seller, at: datetime) -> Write:
    """Of the holder's document, which is at another bank."""
    news = claim_news("11222333000181", "CNPJ", account=seller.account_number, at=at, resolution_at=at)
    return born(news, seller.account_id, RequestContext(seller.company_id, at, cast.chance))[1]
