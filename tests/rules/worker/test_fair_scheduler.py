"""Whose row is next: everybody's in turn, and nobody's behind those of another who is slow."""

from uuid import UUID

from lastro.worker.fair_scheduler import Shares

A, B, C = (UUID(int=n) for n in (1, 2, 3))


def rows(company_id: UUID, count: int) -> list[tuple[UUID, UUID]]:
    return [(company_id, UUID(int=company_id.int * 1000 + n)) for n in range(count)]


def taken(shares: Shares, count: int) -> list[UUID]:
    """Whose the next ones are."""
    found = [shares.take() for _ in range(count)]
    return [one[0] for one in found if one is not None]


def laid_out(*all_rows: tuple[UUID, UUID]) -> Shares:
    shares = Shares(4)
    shares.lay_out(all_rows)
    return shares


def test_places_are_shared_whoever_comes_first() -> None:
    shares = laid_out(*rows(A, 9), *rows(B, 9), *rows(C, 1))
    assert taken(shares, 4) == [A, B, C, A]
    shares.give_back(A, 3.0)
    assert taken(shares, 1) == [B], "both have one in hand, and B has had less time"


def test_who_is_alone_has_all_places_but_those_kept_for_others() -> None:
    shares = laid_out(*rows(A, 5))
    assert taken(shares, 6) == [A] * 4
    assert shares.has_more
    shares.give_back(A, 1.0)
    assert taken(shares, 6) == [A]
    assert not shares.has_more


def test_who_is_quick_gets_many_done_in_the_time_of_a_slow_row() -> None:
    """Two places, three companies: when A's row ends at last, the others have had less time than it."""
    shares = laid_out(*rows(A, 9), *rows(B, 99), *rows(C, 99))
    assert taken(shares, 2) == [A, B]
    shares.give_back(A, 3.0)
    seen = []
    for _ in range(20):
        (company_id,) = taken(shares, 1)
        seen.append(company_id)
        shares.give_back(company_id, 0.1)
    assert A not in seen
    assert seen.count(C) == 20, "B's is still in hand"


def test_a_companys_rows_keep_their_order() -> None:
    shares = laid_out(*rows(A, 3), *rows(B, 2))
    found = [shares.take() for _ in range(5)]
    assert [one for one in found if one is not None and one[0] == A] == rows(A, 3)


def test_another_process_begins_elsewhere_and_comes_to_every_row() -> None:
    shares = Shares(4)
    shares.lay_out([*rows(A, 5), *rows(B, 2)], begin=7)
    assert taken(shares, 2) == [A, B]
    left = [one for _ in range(6) if (one := shares.take()) is not None]
    a = rows(A, 5)
    assert [one for one in left if one[0] == A] == [a[3], a[4], a[0]]
    assert rows(B, 2)[0] in left


def test_what_is_in_hand_counts_when_rows_are_laid_out_anew() -> None:
    shares = laid_out(*rows(A, 2))
    assert taken(shares, 2) == [A, A]
    shares.lay_out([*rows(A, 9), *rows(B, 9)])
    assert taken(shares, 2) == [B, B]
    shares.give_back(A, 1.0)
    shares.give_back(A, 1.0)
    assert taken(shares, 1) == [A]


def test_what_ends_after_its_company_has_no_more_rows_is_given_back() -> None:
    shares = laid_out(*rows(A, 1), *rows(B, 1))
    assert taken(shares, 2) == [A, B]
    shares.lay_out([])
    shares.give_back(A, 1.0)
    shares.give_back(B, 1.0)
    assert shares.take() is None


def test_who_comes_anew_is_not_given_what_others_had_before() -> None:
    shares = laid_out(*rows(A, 1))
    for _ in range(2):
        assert taken(shares, 1) == [A]
        shares.give_back(A, 1000.0)
        shares.lay_out([*rows(A, 9), *rows(B, 9)])
    assert taken(shares, 1) == [B]
    shares.give_back(B, 1.0)
    assert taken(shares, 1) == [B], "he came when A had had 1,000 s, and A has had another 1,000"
