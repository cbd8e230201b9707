from lastro.base.together import pause_after


def test_pauses_double_up_to_a_minute() -> None:
    assert [pause_after(n) for n in range(1, 9)] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert pause_after(10_000) == 60
