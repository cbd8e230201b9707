"""Which trace a task belongs to, what it leaves there, and what it leaves nowhere."""

from itertools import count
from uuid import UUID

import pytest

from lastro.observability.spans import TaskSpan
from lastro.standards.traces import Span, read

OLD, NEW = UUID("01a205d5-e92a-7098-8011-dc4be024be9e"), UUID("01a205d6-0000-7000-8022-dc4be024be9e")


def trail(one_in: int = 1, caller: str | None = None) -> TaskSpan:
    ticks, bytes_ = count(1), count(1)
    return TaskSpan(lambda: next(ticks), lambda n: bytes([next(bytes_) % 256]) * n, one_in, caller)


def ended(left: TaskSpan) -> list[Span]:
    return left.end("PUT /order", "server", {})


def test_who_makes_an_object_is_the_root_of_its_trace() -> None:
    left = trail()
    with left.step("SELECT door_open", "client", {"db.system.name": "postgresql"}) as step:
        step.add("lastro.id", "1")
    left.wrote({OLD}, set())
    own, read_before = ended(left)
    assert (own.trace_id, own.span_id, own.parent_id) == (OLD.bytes, OLD.bytes[8:], None)
    assert (read_before.trace_id, read_before.parent_id) == (OLD.bytes, own.span_id), "what came before belongs to it too"
    assert read_before.attributes == {"db.system.name": "postgresql", "lastro.id": "1"}
    assert own.began < read_before.began < read_before.ended < own.ended


def test_who_moves_it_hangs_below_the_root() -> None:
    left = trail()
    left.wrote(set(), {OLD})
    (own,) = ended(left)
    assert (own.trace_id, own.parent_id) == (OLD.bytes, OLD.bytes[8:])
    assert own.span_id != OLD.bytes[8:]


@pytest.mark.parametrize(("made", "moved"), [({NEW}, {OLD}), (set(), {OLD, NEW}), ({OLD, NEW}, set())])
def test_of_several_objects_the_oldest_counts_and_the_others_are_linked(made: set[UUID], moved: set[UUID]) -> None:
    left = trail()
    left.wrote(made, moved)
    (own,) = ended(left)
    assert own.trace_id == OLD.bytes
    assert [(link.trace_id, link.span_id) for link in own.links] == [(NEW.bytes, NEW.bytes[8:])]


def test_what_it_was_about_from_the_beginning_stays() -> None:
    left = trail()
    left.bind(NEW)
    left.wrote({OLD}, set())
    (own,) = ended(left)
    assert (own.trace_id, own.parent_id, own.links[0].trace_id) == (NEW.bytes, NEW.bytes[8:], OLD.bytes)


def test_a_task_about_nothing_has_a_trace_of_its_own() -> None:
    (own,) = ended(trail())
    assert (own.trace_id, own.span_id, own.parent_id, list(own.links)) == (b"\1" * 16, b"\1" * 8, None, [])


def test_a_callers_trace_is_linked_to_and_not_followed() -> None:
    header = f"00-{'ab' * 16}-{'cd' * 8}-01"
    (own,) = ended(trail(caller=header))
    assert own.trace_id != bytes.fromhex("ab" * 16)
    assert list(own.links) == [read(header)]
    (own,) = ended(trail(caller="nonsense"))
    assert list(own.links) == []


def test_who_was_told_of_the_trace_before_it_was_known_is_found() -> None:
    left = trail()
    with left.step("GET network", "client", {}) as asked:
        told = read(asked.traceparent)
    left.wrote({OLD}, set())
    own, _ = ended(left)
    assert told is not None
    assert told.trace_id != OLD.bytes
    assert [link.trace_id for link in own.links] == [told.trace_id]


def test_what_is_told_afterwards_is_the_objects_trace() -> None:
    left = trail()
    left.bind(OLD)
    with left.step("POST network", "client", {}) as asked:
        told = read(asked.traceparent)
    own, step = ended(left)
    assert told == (OLD.bytes, step.span_id, True)
    assert list(own.links) == []


def test_what_fails_says_its_kind_and_nothing_else() -> None:
    left = trail()
    with pytest.raises(ValueError, match="52998224725"), left.step("POST network", "client", {}):
        raise ValueError("52998224725")
    _, step = ended(left)
    assert (step.is_failed, step.attributes) == (True, {"error.type": "ValueError"})


def test_what_is_not_kept_leaves_nothing() -> None:
    last = OLD.bytes[-7:]
    assert int.from_bytes(last, "big") * 1000 >= 1 << 56
    left = trail(one_in=1000)
    left.bind(OLD)
    with left.step("POST network", "client", {}) as asked:
        assert asked.traceparent.endswith("-00")
    assert ended(left) == []


def test_what_has_not_ended_or_is_too_much_is_not_told() -> None:
    left = trail()
    for _ in range(300):
        with left.step("x", "client", {}):
            pass
    assert len(ended(left)) == 1 + 128
    left = trail()
    with left.step("x", "client", {}):
        assert len(ended(left)) == 1
    assert left.is_over
