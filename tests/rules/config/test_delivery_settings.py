"""What may be said about how deliveries are tried again."""

from datetime import timedelta

import pytest
from tests.in_one import in_one_test

from lastro.app.wiring import plan_of
from lastro.config.settings import read
from lastro.core.declined import StartRefused
from lastro.webhooks import MOST_JITTER, Plan


def test_where_nothing_is_said_it_is_the_contracts_plan() -> None:
    assert plan_of(read({})) == Plan()
    assert read({}).metrics_endpoints == 20


def test_what_may_be_said() -> None:
    made = read({
        "LASTRO_WEBHOOK_RETRY_SECONDS": "1, 30,604800 ,2", "LASTRO_WEBHOOK_RETRY_JITTER_PERCENT": "50",
        "LASTRO_METRICS_ENDPOINTS": "0",
    })  # fmt: skip
    assert plan_of(made) == Plan(tuple(timedelta(seconds=s) for s in (1, 30, 604_800, 2)), MOST_JITTER)
    assert plan_of(read({"LASTRO_WEBHOOK_RETRY_JITTER_PERCENT": "0"})).jitter == 0
    assert made.metrics_endpoints == 0


@in_one_test(
    ("name", "value"),
    [
        *(
            ("LASTRO_WEBHOOK_RETRY_SECONDS", value)
            for value in ("60", "1,2,3", "1,2,3,4,5", "1,2,3,", "0,1,2,3", "1,2,3,-4", "1,2,3,604801", "1m,10m,1h,6h",
                          "1,2,3,4.5", "1,2,3,٣", "1;2;3;4")
        ),
        *(("LASTRO_WEBHOOK_RETRY_JITTER_PERCENT", value) for value in ("51", "-1", "10%", "x", "٣", "5.5")),
        *(("LASTRO_METRICS_ENDPOINTS", value) for value in ("1001", "-1", "all")),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(name: str, value: str) -> None:
    with pytest.raises(StartRefused, match=name):
        read({name: value})
