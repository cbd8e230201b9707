"""The guided first minute, through HTTP alone: the pages at /start, an order, its payment, and what followed from it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import pytest
from tests.in_one import in_one_test

from lastro.app.wiring import sandbox_of
from lastro_sandbox.tutorial.acting import typed_amount

from .play import Play
from .stage import until

SPACE = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class Seen:
    """A page. location: where it leads on to."""

    status: int
    text: str
    location: str
    headers: Mapping[str, str]

    @property
    def code(self) -> str:
        """The code of the order that the first page's form would make."""
        found = re.search(r'name="code" value="(START-[0-9a-f]{16})"', self.text)
        assert found is not None, self.text
        return found[1]


async def look(play: Play, path: str, language: str = "en", **headers: str) -> Seen:
    return await _asked(play, "GET", path, {"accept-language": language, **headers})


async def send(play: Play, path: str, headers: Mapping[str, str] | None = None, **form: str) -> Seen:
    """A form of our own page, as a browser sends it; headers: what is otherwise."""
    own = {"accept-language": "en", "origin": play.stage.base_url, "sec-fetch-site": "same-origin"}
    typed = {"content-type": "application/x-www-form-urlencoded"}
    return await _asked(play, "POST", path, {**own, **typed, **(headers or {})}, urlencode(form).encode())


async def _asked(play: Play, method: str, path: str, headers: Mapping[str, str], data: bytes | None = None) -> Seen:
    url = play.stage.base_url + path
    given = {name: value for name, value in headers.items() if value}
    async with play.http.request(method, url, headers=given, data=data, allow_redirects=False) as answer:
        return Seen(answer.status, await answer.text(), answer.headers.get("location", ""), answer.headers)


async def made(play: Play, amount: str = "12,34") -> str:
    """The page of an order that the guide made."""
    first = await look(play, "/start")
    done = await send(play, "/start", code=first.code, amount=amount, description="A lamp & a <chair>")
    assert (done.status, done.text) == (303, "")
    return done.location


def paid(page: Seen) -> bool:
    """Whether everything of its way has happened, which stops the page from asking on."""
    return page.text.count('class="there"') == 5 and "hx-get" not in page.text


async def test_the_whole_minute(play: Play) -> None:
    before = await play.balance()
    first = await look(play, "/start", "pt-BR")
    assert (first.status, first.headers["content-language"]) == (200, "pt-BR")
    assert "frame-ancestors 'none'" in first.headers["content-security-policy"]
    assert (first.headers["cache-control"], first.text.count("<script")) == ("no-store", 2)
    assert play.stage.client()["clientSecret"] not in first.text

    where = await made(play)
    page = await look(play, where)
    assert page.status == 200
    assert "A lamp &amp; a &lt;chair&gt;" in page.text
    assert "data:image/png;base64," in page.text
    assert f"R${SPACE}12.34" in page.text
    assert "It waits to be paid" in page.text
    (following,) = re.findall(r'hx-get="([^"]+)"', page.text)
    assert (await look(play, following.replace("&amp;", "&"))).status == 204, "what did not change is not sent again"

    done = await send(play, f"{where}/pay")
    assert (done.status, done.location) == (303, f"{where}#pay")

    async def arrived() -> Seen | None:
        seen = await look(play, where)
        return seen if paid(seen) else None

    end = await until(arrived, "the order to have gone its way")
    assert end is not None
    assert "signature is good" in end.text
    assert "ORDER-PAYIN.PAID" in end.text
    assert re.search(rf"<code>NET</code></td>\s*<td><code>CUST</code></td>\s*<td class=\"number\">R\${SPACE}12.34", end.text)
    assert f"{where}/pay" not in end.text, "there is nothing left to pay"
    changed = await look(play, following.replace("&amp;", "&"))
    assert (changed.status, paid(changed)) == (200, True)
    assert await play.balance() == before + 1234


@in_one_test("language", ["en", "pt-BR"])
async def test_each_next_step_leads_to_a_page(play: Play, language: str) -> None:
    page = await look(play, await made(play), language)
    steps = page.text.partition('<ul class="next">')[2].partition("</ul>")[0]
    links = re.findall(r'<a href="([^"]+)"', steps)
    assert sum(link.startswith("/docs/guide/") for link in links) > 5
    for link in links:
        elsewhere = link.startswith(play.stage.simulator_url)
        seen = await (play.ask("GET", link) if elsewhere else look(play, link.partition("#")[0], language))
        assert seen.status == 200, link


async def test_a_reload_and_a_form_sent_twice_make_one_order_and_one_payment(play: Play) -> None:
    code = (await look(play, "/start")).code
    twice = [await send(play, "/start", code=code, amount="5.00", description="Once", lang="pt") for _ in range(2)]
    assert twice[0].location == twice[1].location
    assert twice[0].location.endswith("?lang=pt")
    where = twice[0].location.removesuffix("?lang=pt")
    assert (await look(play, f"/start/made?code={code}")).location == where
    assert (await send(play, f"{where}/pay")).location == f"{where}#pay"
    again = await send(play, f"{where}/pay")
    assert "said=" in again.location

    async def arrived() -> bool:
        return paid(await look(play, where))

    await until(arrived, "the order to have gone its way")
    other = await send(play, "/start", code=code, amount="6.00", description="Once")
    assert (other.status, "idempotency-key" in other.text) == (409, True)
    assert other.code != code, "the form begins anew"


@in_one_test(
    ("amount", "issue"),
    [
        ("", "must be a decimal number"), ("0", "must be from"), ("-1", "must be a decimal number"), ("ten", "must be a decimal"),
        ("1e3", "must be a decimal number"), ("0.001", "must have at most 2 decimals"), ("99999999999", "must be from"),
        ("<b>1</b>", "must be a decimal number"), ("\x00", "must be a decimal number"),
    ],
)  # fmt: skip
async def test_what_is_no_amount_is_refused_in_the_words_of_the_api(play: Play, amount: str, issue: str) -> None:
    code = (await look(play, "/start")).code
    page = await send(play, "/start", code=code, amount=amount, description="A book")
    assert page.status == 400
    assert "order.amount.value" in page.text
    assert issue in page.text
    assert "<b>1" not in page.text


@pytest.mark.parametrize(
    ("typed", "given"),
    [("10,50", "10.50"), ("1.234,5", "1234.50"), (" 7 ", "7.00"), ("1234.50", "1234.50"), ("x", "x"), ("1,2,3", "1,2,3")],
)
def test_amounts_are_taken_as_people_type_them(typed: str, given: str) -> None:
    assert typed_amount(typed) == given


async def test_another_sites_form_does_nothing(play: Play) -> None:
    where, code = await made(play), (await look(play, "/start")).code
    for path in ("/start", "/start/secret", "/start/console", f"{where}/pay"):
        for strange in (
            {"origin": "https://evil.example"}, {"origin": "null"}, {"origin": ""}, {"host": "evil.example"},
            {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
        ):  # fmt: skip
            page = await send(play, path, strange, code=code, amount="1.00", description="Stolen")
            assert page.status in (400, 403), (path, strange)
            assert play.stage.client()["clientSecret"] not in page.text
    assert (await look(play, f"/start/made?code={code}")).status == 404
    assert f"{where}/pay" in (await look(play, where)).text, "it is still to be paid"


async def test_the_secret_is_shown_to_a_click_alone_and_the_console_opens_by_its_link(play: Play) -> None:
    page = await send(play, "/start/secret")
    assert (page.status, play.stage.client()["clientSecret"] in page.text) == (200, True)
    assert (await look(play, "/start/secret")).status == 405
    into = await send(play, "/start/console")
    assert (into.status, play.stage.base_url + into.location) == (303, play.stage.sandbox["consoleUrl"])


async def test_only_orders_of_the_guide_are_shown(play: Play) -> None:
    order = await play.order("10.50")
    for own in (order["id"], "x", "00000000-0000-0000-0000-000000000000", "%00"):
        assert (await look(play, f"/start/orders/{own}")).status == 404
        assert (await look(play, f"/start/orders/{own}/travel")).status == 404
        assert (await send(play, f"/start/orders/{own}/pay")).status == 404
    assert (await look(play, f"/start/made?code={order['externalId']}")).status == 404
    assert (await send(play, "/start", code="BOOK-1", amount="1.00", description="A book")).status == 400
    assert (await play.shown(order))["status"] == "INITIAL"


def test_production_has_no_guide() -> None:
    class Production:
        is_sandbox = False

    assert sandbox_of(Production()) is None  # type: ignore[arg-type]
