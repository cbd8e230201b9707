"""How an order stands for who looks at its page, and the way back to the shop."""

from datetime import timedelta

import pytest
from tests.in_one import in_one_test
from tests.rules.orders.values import NOW

from lastro.orders.checkout.model import ReturnLink
from lastro.orders.checkout.rules import is_over, name_of, return_link, standing, tag_of
from lastro.orders.model import STATUSES

T = "00001Rk7tq0vXb2LzYcN9a"
AN_HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("status", "name", "over"),
    [
        ("INITIAL", "INITIAL", False), ("PENDING", "PENDING", False), ("AUTHENTICATING", "AUTHENTICATING", False),
        ("PAID", "PAID", True), ("EXPIRED", "EXPIRED", True), ("CANCELED", "CANCELED", True), ("ERROR", "ERROR", True),
        ("REFUNDED", "REFUNDED", True), ("PARTIAL_REFUNDED", "PARTIAL_REFUNDED", True),
    ],
)  # fmt: skip
def test_an_order_stands_as_its_status_says(status: str, name: str, over: bool) -> None:
    for expires_at in (NOW + AN_HOUR, None):
        found = standing(status, expires_at, NOW)
        assert (found.status, found.late, name_of(found), is_over(found)) == (status, False, name, over)


def test_every_status_is_told_apart() -> None:
    tags = {tag_of(standing(status, NOW + late, NOW)) for status in STATUSES for late in (AN_HOUR, -AN_HOUR)}
    assert len(tags) == len(STATUSES) + 1
    assert all(tag[0] == tag[-1] == '"' and tag[1:-1].isidentifier() for tag in tags)


def test_a_key_that_has_left_is_told_apart_while_the_order_waits() -> None:
    left = {status: standing(status, NOW + AN_HOUR, NOW, key_left=True) for status in STATUSES}
    assert [status for status, found in left.items() if found.key_left] == ["INITIAL"]
    assert (name_of(left["INITIAL"]), is_over(left["INITIAL"])) == ("KEY_LEFT", False)
    assert tag_of(left["INITIAL"]) != tag_of(standing("INITIAL", NOW + AN_HOUR, NOW)), "a page that waits loads anew"
    assert name_of(standing("INITIAL", NOW - AN_HOUR, NOW, key_left=True)) == "LATE"


@pytest.mark.parametrize(
    ("since_last_instant", "late"),
    [(-AN_HOUR, False), (timedelta(0), False), (timedelta(microseconds=1), True), (AN_HOUR, True)],
)
def test_after_its_last_instant_it_waits_and_is_not_to_be_paid(since_last_instant: timedelta, late: bool) -> None:
    found = standing("INITIAL", NOW - since_last_instant, NOW)
    assert (found.late, name_of(found), is_over(found)) == (late, "LATE" if late else "INITIAL", False)
    assert all(not standing(status, NOW - since_last_instant, NOW).late for status in STATUSES if status != "INITIAL")


@in_one_test(
    ("url", "href", "host"),
    [
        ("https://a.example", f"https://a.example?orderToken={T}", "a.example"),
        ("https://a.example/", f"https://a.example/?orderToken={T}", "a.example"),
        ("http://a.example:8080/back", f"http://a.example:8080/back?orderToken={T}", "a.example:8080"),
        ("https://a.example/?", f"https://a.example/?orderToken={T}", "a.example"),
        ("https://a.example/?a=1", f"https://a.example/?a=1&orderToken={T}", "a.example"),
        ("https://a.example/?a=1&", f"https://a.example/?a=1&orderToken={T}", "a.example"),
        ("https://a.example/?a=1&&b", f"https://a.example/?a=1&b&orderToken={T}", "a.example"),
        ("https://a.example?a=?&b=/", f"https://a.example?a=?&b=/&orderToken={T}", "a.example"),
        ("https://a.example/#done", f"https://a.example/?orderToken={T}#done", "a.example"),
        ("https://a.example/?a=1#/done?b=2", f"https://a.example/?a=1&orderToken={T}#/done?b=2", "a.example"),
        ("https://a.example#a#b", f"https://a.example?orderToken={T}#a#b", "a.example"),
        # What the client wrote stays to the byte.
        ("https://a.example/%C3%A7+%20/?a=%26&b=+", f"https://a.example/%C3%A7+%20/?a=%26&b=+&orderToken={T}", "a.example"),
        ("https://a.example/;x?a;b", f"https://a.example/;x?a;b&orderToken={T}", "a.example"),
        # One token, ours.
        ("https://a.example/?orderToken=evil&a=1", f"https://a.example/?a=1&orderToken={T}", "a.example"),
        ("https://a.example/?orderToken&orderToken=x", f"https://a.example/?orderToken={T}", "a.example"),
        ("https://a.example/?orderTokens=1", f"https://a.example/?orderTokens=1&orderToken={T}", "a.example"),
        # The host as it is gone to, whatever its letters look like.
        ("https://A.Example/", f"https://A.Example/?orderToken={T}", "a.example"),
        ("https://xn--pypal-4ve.example/", f"https://xn--pypal-4ve.example/?orderToken={T}", "xn--pypal-4ve.example"),
        ("https://127.0.0.1:1/", f"https://127.0.0.1:1/?orderToken={T}", "127.0.0.1:1"),
        ("https://[2001:db8::1]:8/", f"https://[2001:db8::1]:8/?orderToken={T}", "[2001:db8::1]:8"),
        ("https://a.example/'\"><script>", f"https://a.example/'\"><script>?orderToken={T}", "a.example"),
        ("https://a.example/\\@b.example", f"https://a.example/\\@b.example?orderToken={T}", "a.example"),
    ],
)
def test_the_way_back_has_the_orders_token(url: str, href: str, host: str) -> None:
    assert return_link(url, T) == ReturnLink(href, host)


@in_one_test(
    "url",
    [
        None, "", "/back", "//a.example/", "a.example", "javascript:alert(1)", "data:text/html,x", "ftp://a.example/",
        "https:", "https://", "https:///back", "https:a.example", "https:/a.example", "https://?a", "https://#a",
        # Not where it seems to go: a user, or what some reader takes for the end of the host.
        "https://a.example@b.example/", "https://a:b@b.example/", "https://@b.example/", "https://a.example\\@b.example/",
        "https://a.example\\.b.example/", "https://a.example%2Fb.example/", "https://a.example:80:80/", "https://a.example:/",
        "https://a.example:99999/", "https://a.example:8o/", "https://:80/", "https://[::1/", "https://[::1].example/",
        "https://a example/", "https://a.example/ b", "https://a.example/\n", "https://a.example/\tb", "https://a.example/\x00",
        "https://ä.example/", "https://a.example/ä", "https://a\u3002example/", "https://a.example/\u202e",
    ],
)  # fmt: skip
def test_what_is_no_plain_address_is_not_followed(url: str | None) -> None:
    assert return_link(url, T) is None
