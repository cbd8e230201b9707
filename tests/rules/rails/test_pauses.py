from lastro.core.concurrency import pause_after
from lastro.core.errors import DatabaseAway


def test_pauses_double_up_to_a_minute() -> None:
    assert [pause_after(n) for n in range(1, 9)] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert pause_after(10_000) == 60


def test_a_database_that_is_away_is_looked_for_every_few_seconds() -> None:
    away = DatabaseAway("gone")
    assert [pause_after(n, away) for n in range(1, 9)] == [1, 2, 4, 5, 5, 5, 5, 5]
    assert pause_after(7, RuntimeError("a bug")) == 60
