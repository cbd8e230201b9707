"""A customer on the hosted page: what is asked, paid on the phone, seen as paid, and back at the shop."""

from typing import Any

from tests.rules.orders.checkout.hosted import Page

from .play import Answer, Play
from .stage import until


async def look(play: Play, order: dict[str, Any], language: str = "pt-BR") -> Page:
    answer = await play.ask("GET", order["checkoutUrl"], headers={"accept-language": language})
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    return Page(answer.body)


async def test_a_customer_pays_at_the_page_and_is_led_back(play: Play) -> None:
    shop = f"{play.stage.simulator_url}/merchant?from=lastro#thanks"
    order = await play.order("10.50", returnUrl=shop)
    asks = await look(play, order)
    assert asks.title.startswith("Aguardando pagamento")
    assert asks.text["h1"] == ["R$\N{NO-BREAK SPACE}10,50"]
    assert asks.ways == []
    assert "Bento Braga, CPF ***.444.777-**" in asks.words
    for path in asks.loads:
        assert (await play.ask("GET", play.stage.base_url + path)).status == 200
    state = f"{order['checkoutUrl']}/state"
    tag = (await play.ask("GET", state)).headers["etag"]
    assert (await play.ask("GET", state, headers={"if-none-match": tag})).status == 304

    (code,) = asks.text["code"]
    assert (await play.act("/phone/pay", {"qrcodeData": code}))["status"] == "SETTLED"

    async def told() -> Answer | None:
        answer = await play.ask("GET", state, headers={"if-none-match": tag})
        return answer if answer.status == 200 else None

    answer = await until(told, "the page to be told")
    assert answer is not None
    assert answer.json == {"status": "PAID", "late": False, "keyLeft": False, "over": True}
    for language, title in (("pt-BR", "Pago"), ("es-MX", "Pagado"), ("en", "Paid")):
        paid = await look(play, order, language)
        assert paid.title.partition(" · ")[0] == title
        assert ("code" in paid.tags, paid.refresh) == (False, None)
        assert "Pessoa Pagadora" not in paid.words, "who paid is nobody's business"
        assert paid.ways == [shop.replace("#", f"&orderToken={order['orderToken']}#")]
    assert (await play.ask("GET", paid.ways[0])).status == 200
    await play.told(order, "ORDER-PAYIN.PAID")
