"""Which partner an order goes to, and whom it may go to where that one is down."""

import pytest

from lastro.companies import Route
from lastro.orders.methods import known_method
from lastro.orders.partners import route_problem, ways

BOTH = ("crypto", "crypto2")
TO_SECOND, AND_BACK = Route("crypto2"), Route("crypto2", "crypto")


@pytest.mark.parametrize(
    ("method", "configured", "route", "named", "found"),
    [
        ("BTC_PAY", BOTH, None, None, ("crypto",)),  # without a fallback that was chosen there is none
        ("BTC_PAY", ("crypto2",), None, None, ("crypto2",)),
        ("BTC_PAY", BOTH, TO_SECOND, None, ("crypto2",)),
        ("BTC_PAY", BOTH, AND_BACK, None, ("crypto2", "crypto")),
        ("BTC_PAY", ("crypto",), AND_BACK, None, ("crypto",)),
        ("BTC_PAY", ("crypto2",), Route("crypto"), None, ("crypto2",)),  # its partner is not there any more
        ("BTC_PAY", BOTH, None, "CRYPTO2", ("crypto2",)),
        ("BTC_PAY", BOTH, AND_BACK, "CRYPTO2", ("crypto2",)),  # who names one wants no other
        ("BTC_PAY", BOTH, AND_BACK, "CRYPTO", ("crypto",)),
        ("BTC_PAY", ("crypto",), None, "CRYPTO2", ()),
        ("BTC_PAY", BOTH, None, "crypto2", ()),
        ("BTC_PAY", BOTH, None, "BOLETO", ()),
        ("BTC_PAY", BOTH, None, "OPEN_PIX", ()),
        ("BOLETO", ("boleto",), None, None, ("boleto",)),
        ("BOLETO", ("boleto",), None, "BOLETO", ("boleto",)),
        ("BOLETO", ("boleto",), None, "CRYPTO", ()),
        ("PIX", (), None, None, ()),
    ],
)
def test_ways(
    method: str, configured: tuple[str, ...], route: Route | None, named: str | None, found: tuple[str, ...]
) -> None:
    assert ways(known_method(method), configured, route, named) == found


TILLS = ("paynet", "paynet2")


@pytest.mark.parametrize(
    ("route", "named", "down", "found"),
    [
        (Route("paynet", "paynet2"), None, (), ("paynet", "paynet2")),
        (Route("paynet", "paynet2"), None, ("paynet",), ("paynet2", "paynet")),
        (Route("paynet", "paynet2"), None, ("paynet2",), ("paynet", "paynet2")),
        (Route("paynet", "paynet2"), None, TILLS, ("paynet", "paynet2")),  # neither is better than the other
        (Route("paynet"), None, ("paynet",), ("paynet",)),  # nobody has chosen another
        (None, None, ("paynet",), ("paynet",)),
        (Route("paynet", "paynet2"), "PAYNET", ("paynet",), ("paynet",)),
    ],
)
def test_who_is_known_to_be_away_stands_behind_its_fallback(
    route: Route | None, named: str | None, down: tuple[str, ...], found: tuple[str, ...]
) -> None:
    assert ways(known_method("PAYNET"), TILLS, route, named, down) == found


@pytest.mark.parametrize(
    ("method", "partner", "fallback", "wrong"),
    [
        ("BTC_PAY", "CRYPTO2", None, None),
        ("BTC_PAY", "CRYPTO2", "CRYPTO", None),
        ("BOLETO", "BOLETO", None, None),
        ("BTC_PAY", "CRYPTO", "CRYPTO", "the same"),
        ("BTC_PAY", "crypto", None, "CRYPTO, CRYPTO2"),
        ("BTC_PAY", "CRYPTO", "BOLETO", "CRYPTO, CRYPTO2"),
        ("PIX", "PIX", None, "no method with a partner"),
        ("NOTHING", "CRYPTO", None, "no method with a partner"),
    ],
)
def test_what_is_no_route(method: str, partner: str, fallback: str | None, wrong: str | None) -> None:
    found = route_problem(method, partner, fallback)
    assert found is None if wrong is None else wrong in str(found)
