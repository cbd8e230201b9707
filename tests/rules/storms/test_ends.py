"""That a storm asks of every kind of object whether it came to rest."""

from tests.world.whole.ends import EXPLAINED, NEVER_AT_AN_END, STATES

from lastro.ops.machines import MACHINES


def test_every_object_is_looked_at_or_excused() -> None:
    assert {machine.name for machine in MACHINES} == STATES.keys() | NEVER_AT_AN_END.keys()
    assert not STATES.keys() & NEVER_AT_AN_END.keys()
    assert all(NEVER_AT_AN_END.values())


def test_an_end_is_a_state_that_the_object_can_have() -> None:
    known = {
        machine.name: {s for (before, _), after in machine.moves.items() for s in (before, after)} for machine in MACHINES
    }
    assert not {(table, state) for table, (_, ends) in STATES.items() for state in ends - known[table]}
    assert not {(table, state) for table, state in EXPLAINED if state not in known[table]}
