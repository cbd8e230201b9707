"""Answers of others are used as long as they may be, and one question is asked once."""

import asyncio

import pytest

from lastro.rails.ttl_cache import CachedAnswer, TtlCache, max_age


class Asked:
    """Answers with how often it was asked. seconds: for how long the answer may be used."""

    def __init__(self, seconds: float = 10.0) -> None:
        self.times = 0
        self.seconds = seconds
        self.now = 0.0
        self.held = asyncio.Event()
        self.held.set()
        self.error: Exception | None = None

    async def __call__(self) -> CachedAnswer[int]:
        self.times += 1
        times = self.times
        await self.held.wait()
        if self.error is not None:
            raise self.error
        return CachedAnswer(times, self.seconds)


async def test_an_answer_is_used_until_its_time_is_over() -> None:
    asked = Asked()
    kept: TtlCache[int] = TtlCache(lambda: asked.now, 10)
    assert [await kept.get("a", asked), await kept.get("a", asked)] == [1, 1]
    asked.now = 9.9
    assert await kept.get("a", asked) == 1
    asked.now = 10.0
    assert await kept.get("a", asked) == 2
    assert await kept.get("b", asked) == 3


async def test_an_answer_that_may_not_be_kept_is_not() -> None:
    asked = Asked(seconds=0)
    kept: TtlCache[int] = TtlCache(lambda: asked.now, 10)
    assert [await kept.get("a", asked), await kept.get("a", asked)] == [1, 2]


async def test_who_needs_a_younger_answer_asks_again_and_not_sooner() -> None:
    asked = Asked(seconds=100)
    kept: TtlCache[int] = TtlCache(lambda: asked.now, 10)
    assert await kept.get("a", asked) == 1
    asked.now = 5.0
    assert await kept.get("a", asked, oldest=5.0) == 1
    asked.now = 5.1
    assert await kept.get("a", asked, oldest=5.0) == 2
    assert await kept.get("a", asked) == 2


async def test_many_at_once_ask_once_and_share_its_end() -> None:
    asked = Asked()
    asked.held.clear()
    kept: TtlCache[int] = TtlCache(lambda: asked.now, 10)
    asking = [asyncio.ensure_future(kept.get("a", asked)) for _ in range(50)]
    other = asyncio.ensure_future(kept.get("a", asked, by="somebody else"))
    await asyncio.sleep(0)
    asking[0].cancel()
    await asyncio.sleep(0)
    asked.held.set()
    assert await asyncio.gather(*asking[1:], other) == [1] * 49 + [2]
    assert asking[0].cancelled()
    asked.error, asked.now = ValueError("no"), 50.0
    ends = await asyncio.gather(*(kept.get("a", asked) for _ in range(3)), return_exceptions=True)
    assert (asked.times, [type(end) for end in ends]) == (3, [ValueError] * 3)


async def test_only_so_many_are_kept() -> None:
    asked = Asked()
    kept: TtlCache[int] = TtlCache(lambda: asked.now, 2)
    for name in ("a", "b", "c"):
        await kept.get(name, asked)
    assert [await kept.get(name, asked) for name in ("c", "b", "a")] == [3, 2, 4]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None), ("", None), ("public", None), ("max-age=60", 60), ("public, Max-Age=3600", 3600), ('max-age="5"', 5),
        ("no-store", 0), ("max-age=60, no-cache", 0), ("max-age=-1", None), ("max-age=x", None), ("s-maxage=9", None),
        ("max-age=99999999999999999999", 999_999_999),
    ],
)  # fmt: skip
def test_what_a_header_allows(header: str | None, seconds: int | None) -> None:
    assert max_age(header) == seconds
