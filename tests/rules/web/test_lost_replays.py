"""A storm sees a request that was forgotten: said again under its key, it finds its own code taken."""

import msgspec
from tests.in_one import in_one_test
from tests.journeys.play import Answer
from tests.world.whole.crowd import is_lost


@in_one_test(
    ("status", "field", "issue", "lost"),
    [
        (409, "order.externalId", "DUPLICATE", True),
        (409, "externalId", "DUPLICATE", True),
        (409, "amount", "DUPLICATE", False),
        (409, "idempotency-key", "REUSED", False),
        (422, "externalId", "DUPLICATE", False),
    ],
)
def test_its_own_code_in_its_way_is_a_lost_replay(status: int, field: str, issue: str, *, lost: bool) -> None:
    body = msgspec.json.encode({"details": [{"field": field, "issue": issue, "description": ""}]})
    assert is_lost(Answer(status, {}, body)) is lost
