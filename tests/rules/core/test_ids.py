import os
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

import pytest

from lastro.core.ids import Chance, printed_so

AT = datetime(2026, 1, 2, 3, 4, 5, 678_901, UTC)


def test_an_id_is_a_uuid_7_of_its_instant() -> None:
    made = Chance(os.urandom).uuid(AT)
    assert made.version == 7
    assert made.variant == "specified in RFC 4122"
    assert made.int >> 80 == int(AT.timestamp() * 1000)


def test_ids_of_one_instant_sort_as_they_were_made_however_many() -> None:
    chance = Chance(os.urandom)
    ids = [chance.uuid(AT) for _ in range(20_000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)
    assert {i.version for i in ids} == {7}
    assert {i.variant for i in ids} == {"specified in RFC 4122"}


def test_ids_of_later_instants_sort_later() -> None:
    chance = Chance(os.urandom)
    ids = [chance.uuid(AT + timedelta(milliseconds=n)) for n in range(100)]
    assert ids == sorted(ids)


def test_two_sources_do_not_meet() -> None:
    made = {Chance(os.urandom).uuid(AT) for _ in range(5_000)}
    assert len(made) == 5_000


def test_the_same_randomness_makes_the_same_ids() -> None:
    one, other = (Chance(Random(7).randbytes) for _ in range(2))
    instants = [AT, AT, AT + timedelta(seconds=1), AT]
    assert [one.uuid(at) for at in instants] == [other.uuid(at) for at in instants]


def test_a_printed_id_is_found_as_any_other() -> None:
    """It is of the database driver's kind, and stands in one table with ids that are not."""
    made = UUID("01a21af4-e41c-7085-a7c9-43c65a0f89f9")
    read = printed_so(str(made))
    assert (read, hash(read), {made: 1}[read], {read: 1}[made], str(read)) == (made, hash(made), 1, 1, str(made))
    assert isinstance(read, UUID)
    with pytest.raises(ValueError, match="UUID"):
        printed_so("01a21af4")
