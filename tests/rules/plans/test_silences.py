"""For how long addresses are silent, whose silence that is, and how many of them are remembered."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import Mock
from uuid import UUID

import pytest

from lastro.core.errors import Kind, Refused
from lastro.payouts import Unasked, Ways
from lastro.plans import unresponsive_hosts
from lastro.plans.unresponsive_hosts import Silences
from lastro.rails.port import NoCharge, Transient

PLAN, NOW = UUID(int=1), datetime(2026, 11, 23, 12, tzinfo=UTC)
HERE, BESIDE, ELSEWHERE = "Banco.example/qr/v2/x", "banco.example/qr/v2/y", "outro.example/qr/v2/x"


def silent(location: str | None) -> Unasked:
    return Unasked(Kind.UNAVAILABLE, location=location)


def given_up(heard: Silences, location: str | None, minutes: int, plan: UUID = PLAN) -> bool:
    """Whether a line that leads there is refused, so long after NOW."""
    return isinstance(heard.judge(silent(location), plan, NOW + timedelta(minutes=minutes)), Refused)


def test_an_address_is_given_up_after_an_hour_and_a_directory_never() -> None:
    heard = Silences()
    assert [given_up(heard, HERE, minutes) for minutes in (0, 59, 61, 62)] == [False, False, True, True]
    assert not given_up(heard, None, 0)
    assert not given_up(heard, None, 24 * 60)


def test_who_comes_later_to_a_silent_host_waits_no_hour_of_its_own() -> None:
    heard = Silences()
    assert not given_up(heard, HERE, 0)
    assert given_up(heard, BESIDE, 61)
    assert not given_up(heard, ELSEWHERE, 61)
    assert not given_up(heard, BESIDE, 61, UUID(int=2)), "each plan hears for itself"


def test_one_address_that_is_dead_on_a_host_that_lives_has_its_own_hour() -> None:
    heard = Silences()
    for minutes in range(0, 60, 5):
        assert not given_up(heard, HERE, minutes)
        heard.answered(PLAN, BESIDE)
    assert not given_up(heard, "banco.example/qr/v2/z", 61), "its host has spoken since"
    heard.answered(PLAN, BESIDE)
    assert given_up(heard, HERE, 62)


def test_who_speaks_begins_anew() -> None:
    heard = Silences()
    assert not given_up(heard, HERE, 0)
    heard.answered(PLAN, HERE)
    assert not given_up(heard, HERE, 61)
    assert not given_up(heard, BESIDE, 61)


@dataclass
class Charges:
    says: Any

    async def read(self, _location: str, _now: datetime) -> NoCharge:
        if isinstance(self.says, Exception):
            raise self.says
        assert isinstance(self.says, NoCharge)
        return self.says


@pytest.mark.parametrize(("says", "is_over"), [(NoCharge("EXPIRED", "is expired"), False), (Transient("away"), True)])
async def test_a_bad_answer_is_one_too(says: Any, is_over: bool) -> None:
    heard = Silences()
    assert not given_up(heard, HERE, 0)
    ways = heard.listening(Ways(Mock(), Mock(), Charges(says), Mock()), PLAN)
    with suppress(Transient):
        assert await ways.charges.read(HERE, NOW) is says
    assert given_up(heard, BESIDE, 61) == is_over


def test_addresses_of_plans_that_nobody_ends_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unresponsive_hosts, "_MOST", 4)
    heard = Silences()
    for number in range(3):
        heard.judge(silent(f"{number}.example/qr"), PLAN, NOW)
    assert given_up(heard, "1.example/qr", 120)
    assert not given_up(heard, "0.example/qr", 120), "its hour begins anew"


def test_a_host_that_is_silent_still_is_not_forgotten_for_its_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unresponsive_hosts, "_MOST", 4)
    heard = Silences()
    for number in range(9):
        heard.judge(silent(f"banco.example/{number}"), PLAN, NOW + timedelta(minutes=number))
    assert given_up(heard, "banco.example/new", 61)
