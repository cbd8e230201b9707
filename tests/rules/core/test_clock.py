from datetime import UTC, datetime, timedelta

from lastro.core.clock import BusinessClock

AT = datetime(2030, 1, 1, tzinfo=UTC)


class Machine:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_nothing_is_known_before_the_first_reading() -> None:
    assert BusinessClock(Machine()).now() is None


def test_a_reading_is_carried_on_for_a_second_and_no_longer() -> None:
    machine = Machine()
    clock = BusinessClock(machine)
    clock.learn(AT, 4)
    assert (clock.now(), clock.version) == (AT, 4)
    machine.seconds += 0.25
    assert clock.now() == AT + timedelta(seconds=0.25)
    machine.seconds += 0.75
    assert clock.now() == AT + timedelta(seconds=1)
    machine.seconds += 0.001
    assert clock.now() is None


def test_a_new_reading_counts_from_itself() -> None:
    machine = Machine()
    clock = BusinessClock(machine)
    clock.learn(AT, 1)
    machine.seconds += 5
    clock.learn(AT + timedelta(days=3), 2)
    assert (clock.now(), clock.version) == (AT + timedelta(days=3), 2)


def test_what_is_forgotten_is_read_again() -> None:
    clock = BusinessClock(Machine())
    clock.learn(AT, 1)
    clock.forget()
    assert clock.now() is None


def test_one_request_reads_again_before_the_others_have_to() -> None:
    machine = Machine()
    clock = BusinessClock(machine)
    clock.learn(AT, 1)
    machine.seconds += 0.7
    assert not clock.is_to_be_read_again()
    machine.seconds += 0.2
    assert [clock.is_to_be_read_again(), clock.is_to_be_read_again()] == [True, False]
    assert clock.now() is not None, "the others go on"
    clock.learn(AT + timedelta(seconds=1), 1)
    assert not clock.is_to_be_read_again()
    machine.seconds += 0.9
    assert clock.is_to_be_read_again(), "each reading grows old once"


def test_one_reading_of_several_counts_from_the_first() -> None:
    machine = Machine()
    clock = BusinessClock(machine)
    clock.learn(AT, 1)
    machine.seconds += 0.25
    clock.learn(AT, 1)
    assert clock.now() == AT + timedelta(seconds=0.25)
    clock.forget()
    clock.learn(AT, 1)
    assert clock.now() == AT
