"""What processes complain of while a storm blows breaks it, where no fault of the storm is a reason for it."""

import pytest
from tests.world.whole_storm import alarms


@pytest.mark.parametrize(
    ("said", "breaks"),
    [
        ("worker INBOX.CONTRADICTS pix.received", True),
        ("worker INBOX.CONTRADICTS card.chargeback", False),
        ("worker LAW.BROKEN", True),
        ("worker INBOX.LOOK_AT_THIS unknown", False),
        ("worker INBOX.WAITS claim.news", True),
        ("worker OUTBOX.STUCK return.send", True),
        ("worker webhooks.delivery_broke ['UniqueViolationError 23505 …", True),
        ("worker webhooks.delivery_broke ['DatabaseAway …", False),
        ("worker lane.task_broke ['KeyError …", True),
        ("worker lane.broke ['DatabaseAway …", False),
        ("worker outbox.refused what the network refuses", False),
    ],
)
def test_a_complaint_breaks_a_storm_that_has_no_fault_for_it(said: str, breaks: bool) -> None:
    assert alarms([said]) == ([said] if breaks else [])


def test_a_word_that_the_directory_was_told_to_refuse_is_no_alarm() -> None:
    refused = "worker INBOX.CONTRADICTS refused"
    assert alarms([refused]) == [refused]
    assert alarms([refused, "worker outbox.refused The directory refuses it"]) == []
