from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards import pix_ids

NOON = datetime(2026, 11, 21, 12, 34, 56, tzinfo=UTC)
ISPB = "99999010"
BYTES = bytes(range(24))
companies = st.integers(0, 62**5 - 1)
sequences = st.integers(0, 62**6 - 1)
entropy = st.binary(min_size=24, max_size=40)


@in_one_test(
    ("number", "length", "text"),
    [(0, 5, "00000"), (9, 1, "9"), (10, 1, "A"), (36, 1, "a"), (61, 1, "z"), (62, 2, "10"), (62**5 - 1, 5, "zzzzz")],
)
def test_base62(number: int, length: int, text: str) -> None:
    assert pix_ids.base62(number, length) == text
    assert pix_ids.from_base62(text) == number


@in_one_test(("number", "length"), [(-1, 5), (62**5, 5), (62, 1)])
def test_base62_refuses_what_does_not_fit(number: int, length: int) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        pix_ids.base62(number, length)


@in_one_test("text", ["", "a-b", "é", "a b", "\uff11"])
def test_base62_reads_no_other_character(text: str) -> None:
    with pytest.raises(ValueError, match="base-62"):
        pix_ids.from_base62(text)


@given(st.integers(0, 62**11 - 1))
def test_base62_round_trip(number: int) -> None:
    assert pix_ids.from_base62(pix_ids.base62(number, 11)) == number


@given(sequences)
def test_the_scramble_can_be_undone(sequence: int) -> None:
    number = pix_ids.scramble(sequence)
    assert 0 <= number < 62**6
    assert pix_ids.unscramble(number) == sequence
    assert pix_ids.scramble(pix_ids.unscramble(sequence)) == sequence


def test_the_scramble_of_neighbours_collides_nowhere_and_looks_unrelated() -> None:
    texts = [pix_ids.base62(pix_ids.scramble(sequence), 6) for sequence in range(50_000)]
    assert len(set(texts)) == len(texts)
    for place in range(6):
        # Of 50,000 even draws each of 62 characters takes about 806 (standard deviation 28) in every place.
        drawn = Counter(text[place] for text in texts)
        counts = [drawn[character] for character in pix_ids.ALPHABET]
        assert min(counts) > 650
        assert max(counts) < 960


def test_the_scramble_stays_what_it_is() -> None:
    # Ids in the field were made with this one; another bijection could repeat them.
    assert [pix_ids.scramble(sequence) for sequence in (0, 1, 2, 62**6 - 1)] == [
        11926154743,
        19367126932,
        27590731935,
        32953537670,
    ]
    assert pix_ids.scramble(62**6) == pix_ids.scramble(0)


@in_one_test("number", [-1, 62**6])
def test_nothing_outside_is_unscrambled(number: int) -> None:
    with pytest.raises(ValueError, match="not the scramble"):
        pix_ids.unscramble(number)


@given(companies, entropy)
def test_txids_carry_their_company(company: int, random: bytes) -> None:
    dynamic, static = pix_ids.dynamic_txid(company, random), pix_ids.static_txid(company, random)
    assert (len(dynamic), len(static)) == (32, 25)
    assert pix_ids.is_txid_dynamic(dynamic)
    assert pix_ids.is_txid_static(static)
    assert pix_ids.from_base62(dynamic[:5]) == pix_ids.from_base62(static[:5]) == company


@given(companies, sequences, st.datetimes(min_value=datetime(2020, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_end_to_end_ids_carry_minute_company_and_sequence(company: int, sequence: int, at: datetime) -> None:
    paid = pix_ids.end_to_end_id(ISPB, at, company, sequence)
    back = pix_ids.return_id(ISPB, at, company, sequence)
    assert pix_ids.is_end_to_end_id(paid)
    assert not pix_ids.is_return_id(paid)
    assert pix_ids.is_return_id(back)
    assert not pix_ids.is_end_to_end_id(back)
    assert paid[1:] == back[1:]
    assert paid[1:21] == f"{ISPB}{at:%Y%m%d%H%M}"
    assert pix_ids.company_of_end_to_end_id(paid) == pix_ids.company_of_end_to_end_id(back) == company
    assert pix_ids.unscramble(pix_ids.from_base62(paid[26:])) == sequence


@given(companies, entropy, sequences, st.datetimes(min_value=datetime(2020, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_ids_of_orders_carry_their_company_and_are_taken_for_no_others(
    company: int, random: bytes, sequence: int, at: datetime
) -> None:
    name = pix_ids.order_message_id(ISPB, company, random)
    assert (len(name), name[:9]) == (32, f"M{ISPB}")
    assert pix_ids.company_of_message_id(name) == company
    paid = pix_ids.end_to_end_id(ISPB, at, company, sequence)
    for other in ("M" + paid[1:], f"M{paid[1:9]}{paid[21:]}{paid[9:21]}", paid, name[:-1]):
        assert pix_ids.company_of_message_id(other) is None
    assert not pix_ids.is_return_id("D" + name[1:])


def test_the_minute_is_utc_whatever_the_zone() -> None:
    brasilia = timezone(timedelta(hours=-3))
    late = datetime(2026, 11, 20, 22, 15, tzinfo=brasilia)
    assert pix_ids.end_to_end_id(ISPB, late, 1, 1)[9:21] == "202611210115"


def test_a_naive_time_is_refused() -> None:
    for make in (pix_ids.end_to_end_id, pix_ids.return_id):
        with pytest.raises(ValueError, match="naive"):
            make(ISPB, NOON.replace(tzinfo=None), 1, 1)


@in_one_test(
    "make",
    [
        lambda: pix_ids.dynamic_txid(-1, BYTES),
        lambda: pix_ids.dynamic_txid(62**5, BYTES),
        lambda: pix_ids.dynamic_txid(1, BYTES[:23]),
        lambda: pix_ids.static_txid(1, b""),
        lambda: pix_ids.location_token(BYTES[:16]),
        lambda: pix_ids.message_id("9999901", BYTES),
        lambda: pix_ids.message_id("abcdefgh", BYTES),
        lambda: pix_ids.order_message_id(ISPB, 62**5, BYTES),
        lambda: pix_ids.end_to_end_id(ISPB, NOON, 62**5, 1),
        lambda: pix_ids.end_to_end_id(ISPB, NOON, 1, -1),
        lambda: pix_ids.return_id("9999901 ", NOON, 1, 1),
    ],
)
def test_what_makes_no_id_is_refused(make: Callable[[], str]) -> None:
    with pytest.raises(ValueError, match=r"."):
        make()


def test_shapes() -> None:
    assert pix_ids.dynamic_txid(0, bytes(24)) == "0" * 32
    assert pix_ids.static_txid(62, bytes(24)) == "00010" + "0" * 20
    assert pix_ids.location_token(b"\xff" * 24) == pix_ids.base62((256**24 - 1) % 62**22, 22)
    assert pix_ids.message_id("12ABC345", bytes(24)) == "M12ABC345" + "0" * 23
    assert len(pix_ids.message_id(ISPB, BYTES)) == 32
    assert pix_ids.order_message_id("12ABC345", 62, bytes(24)) == "M12ABC345" + "00010" + "0" * 6 + "R" + "0" * 11
    assert pix_ids.end_to_end_id(ISPB, NOON, 7, 9).endswith(pix_ids.own_suffix(7, 9))


@given(st.lists(entropy, min_size=2, max_size=2, unique=True))
def test_every_bit_of_entropy_counts(pair: list[bytes]) -> None:
    # Shorter ids fold the number, so only 24 bytes below 62**27 are sure to differ.
    first, second = (int.from_bytes(one, "big") % 62**27 for one in pair)
    assert (pix_ids.dynamic_txid(1, pair[0]) == pix_ids.dynamic_txid(1, pair[1])) == (first == second)


VALID = {
    pix_ids.is_end_to_end_id: ["E12345678202009091221abcdef12345", "E12ABC345202612312359ABCDEFGHIJK"],
    pix_ids.is_return_id: ["D12345678202009091000abcde123456"],
    pix_ids.is_txid_static: ["A", "a1" * 12 + "Z"],
    pix_ids.is_txid_dynamic: ["a" * 26, "Z" * 35],
    pix_ids.is_ispb: ["00000000", "12ABC345", "99999010"],
}
INVALID = {
    pix_ids.is_end_to_end_id: [
        "",
        "D12345678202009091221abcdef12345",
        "e12345678202009091221abcdef12345",
        "E1234567a202009091221abcdef12345",
        "E12345678202013091221abcdef12345",
        "E12345678202009321221abcdef12345",
        "E12345678202009092421abcdef12345",
        "E12345678202009091260abcdef12345",
        "E12345678202009091221abcdef1234",
        "E12345678202009091221abcdef123456",
        "E12345678202009091221abcdef1234-",
        "E12345678202009091221abcdef12345\n",
        "E12345678\u0662\u0660\u0662\u066009091221abcdef12345",
    ],
    pix_ids.is_return_id: ["E12345678202009091000abcde123456"],
    pix_ids.is_txid_static: ["", "***", "a" * 26, "a-b", "a\n"],
    pix_ids.is_txid_dynamic: ["a" * 25, "a" * 36, "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "a" * 26 + "\n"],
    pix_ids.is_ispb: ["", "1234567", "123456789", "1234567a", "12345678\n"],
}


@in_one_test(("check", "text"), [(check, text) for check, texts in VALID.items() for text in texts])
def test_forms_that_are_allowed(check: Callable[[str], bool], text: str) -> None:
    assert check(text)


@in_one_test(("check", "text"), [(check, text) for check, texts in INVALID.items() for text in texts])
def test_forms_that_are_not(check: Callable[[str], bool], text: str) -> None:
    assert not check(text)


def test_a_foreign_reference_has_no_company() -> None:
    assert pix_ids.company_of_end_to_end_id("a" * 32) is None
    assert pix_ids.company_of_end_to_end_id("M12345678202009091221abcdef12345") is None
