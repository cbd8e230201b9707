"""The address of a slip: it gives the PDF to whoever knows it, says how the order ended, and leads nowhere else."""

import io
from typing import Any

from pypdf import PdfReader
from tests.cast import PLACE
from tests.rooms.keys.registry import Registry
from tests.rooms.lists import answered

from lastro.api_kit.http import Response
from lastro.core.errors import Refused
from lastro.keys.actions.delete import EndKey
from lastro.keys.model import ACCOUNT_CLOSURE
from lastro.keys.store import is_asked_for
from lastro.standards import brcode
from lastro.web.public import Published
from lastro.web.public_tokens import OrdersByToken

from .collecting import make, reference
from .shop import Shop


async def test_the_charge_of_a_key_that_has_left_is_no_more(shop: Shop) -> None:
    """Who has claimed it would be paid: the slip's own code, and that of any order, is read at the same place."""
    made = await make(shop, "BOLETO")
    location = brcode.decode(made["boleto"]["qrcodeData"]).location
    assert location is not None
    token = location.rpartition("/")[2]
    located = OrdersByToken(shop.cast.database, shop.cast.chance)
    assert await located.charge(token) is not None
    async with shop.cast.database.session(shop.ana.company_id) as session:
        assert await is_asked_for(session, shop.ana.company_id, shop.ana.pix_key), "it is not deleted while a slip names it"
        key_id = await session.value("SELECT id FROM pix_keys WHERE key = $1", shop.ana.pix_key)
    left = await shop.cast.runner.act(shop.ana.company_id, EndKey(shop.ana.account_id, key_id, ACCOUNT_CLOSURE, Registry()))
    assert not isinstance(left, Refused)
    assert await located.charge(token) is None
    assert (await served(shop, token, "location")).status == 410


async def served(shop: Shop, name: str, what: str = "slip") -> Response:
    published = Published(OrdersByToken(shop.cast.database, shop.cast.chance), Any, PLACE)  # type: ignore[arg-type]
    scope: Any = {"path_params": {"name": name, "token": name}}
    answer: Response = await getattr(published, what)(scope, b"", {})
    return answer


def text(pdf: bytes) -> str:
    (page,) = PdfReader(io.BytesIO(pdf)).pages
    return page.extract_text()


async def test_it_is_served_to_who_knows_its_address_and_says_how_it_ended(shop: Shop) -> None:
    made = await make(shop, "BOLETO")
    url = made["boleto"]["pdfUrl"]
    token = url.removeprefix("http://lastro.test/slip/").removesuffix(".pdf")
    answer = await served(shop, f"{token}.pdf")
    assert (answer.status, answer.content_type) == (200, b"application/pdf")
    assert (b"cache-control", b"no-store") in answer.headers
    said = text(answer.body)
    for expected in (
        reference(made),
        "Bento - CPF 529.982.247-25",
        "Rua A, 10, Centro, São Paulo, SP, 01001000",
        "R$ 123,45",
        "order-1",
    ):
        assert expected in said, expected
    assert said.count(made["boleto"]["digitableLine"][:5]) >= 2
    assert "CANCELADO" not in said
    await answered(shop.cast, shop.ana.client, "cancel_order", id=made["id"])
    assert text((await served(shop, f"{token}.pdf")).body).count("CANCELADO") == 2
    for name in (token, f"{token}.png", f"{token[:-1]}.pdf", "0" * 22 + ".pdf", f"{token}.PDF", ".pdf"):
        assert (await served(shop, name)).status == 404, name


async def test_an_order_of_pix_has_no_slip(shop: Shop) -> None:
    made = await make(shop, "BOLETO", paymentMethod="PIX")
    token = made["pix"]["qrcodeImageUrl"].rpartition("/")[2].removesuffix(".png")
    assert (await served(shop, f"{token}.pdf")).status == 404
