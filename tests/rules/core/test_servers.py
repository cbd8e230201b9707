import pytest

from lastro.core.servers import address_problem, addresses, ports

ONE = "postgresql://lastro@db1/lastro"


@pytest.mark.parametrize(
    ("url", "each"),
    [
        (ONE, [ONE]),
        ("postgresql://lastro@/lastro?host=/run/pg", ["postgresql://lastro@/lastro?host=/run/pg"]),
        (
            "postgresql://lastro:a%2Cb@db1:5432,db2:5433/lastro?sslmode=verify-full",
            [
                "postgresql://lastro:a%2Cb@db1:5432/lastro?sslmode=verify-full",
                "postgresql://lastro:a%2Cb@db2:5433/lastro?sslmode=verify-full",
            ],
        ),
        ("postgresql://db1,[::1]:6000/lastro", ["postgresql://db1/lastro", "postgresql://[::1]:6000/lastro"]),
        (
            "postgresql:///lastro?user=lastro&host=db1,db2&port=5432,5433",
            ["postgresql:///lastro?user=lastro&host=db1&port=5432", "postgresql:///lastro?user=lastro&host=db2&port=5433"],
        ),
        (
            "postgresql:///lastro?host=db1,db2",
            ["postgresql:///lastro?host=db1", "postgresql:///lastro?host=db2"],
        ),
        # As many ports as hosts, or one: anything else is for the driver to refuse.
        ("postgresql:///lastro?host=a,b,c&port=1,2", ["postgresql:///lastro?host=a,b,c&port=1,2"]),
    ],
)
def test_each_host_has_its_address(url: str, each: list[str]) -> None:
    assert list(addresses(url)) == each


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("", set()),
        (ONE, {5432}),
        ("postgresql://db1:5433,db2/lastro", {5432, 5433}),
        ("postgresql://lastro@/lastro?host=/run/pg", set()),
        ("postgresql://lastro@/lastro?host=/run/pg&port=5433", set()),
        ("postgresql:///lastro?user=lastro&host=db1,db2&port=5432,5433", {5432, 5433}),
        ("postgresql:///lastro?host=localhost&port=5433", {5433}),
        ("postgresql:///lastro?host=localhost", {5432}),
        ("postgresql:///lastro?host=localhost:5433", {5433}),
        ("postgresql://db1/lastro?port=5433", {5432}),  # as the driver reads it: a place's own port, or the usual one
        ("postgresql:///lastro?port=5433", {5433}),  # of no host the driver asks this machine
        ("postgresql:///lastro?host=a,b,c&port=1,2", {1, 2}),
    ],
)
def test_the_ports_of_a_database(url: str, found: set[int]) -> None:
    assert ports(url) == found


@pytest.mark.parametrize(
    ("word", "is_told"), [("pass", False), ("pa%40ss", False), ("pa@ss", True), ("pa/ss", True), ("pa#ss", True)]
)
def test_a_password_that_parts_the_address_is_told_and_not_shown(word: str, is_told: bool) -> None:
    told = address_problem(f"postgresql://ana:{word}@db:5432/lastro")
    assert (told is not None) == is_told
    assert word not in (told or "")
