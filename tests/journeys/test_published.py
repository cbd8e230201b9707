"""What anybody may fetch: the signed charge, the keys it verifies by, the picture of the code."""

import base64
from datetime import UTC, datetime

import cv2
import numpy as np
import zxingcpp

from lastro.standards import jws, payload

from .play import Play


async def test_a_charge_verifies_with_the_published_keys(play: Play) -> None:
    order = await play.order("10.50")
    answer = await play.location(order)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/jose")
    compact = answer.body.decode()
    header = jws.header(compact)
    assert header["jku"] == f"{play.stage.base_url}/.well-known/pix-jwks.json"
    keys = (await play.ask("GET", header["jku"])).json
    charge = payload.decode(jws.verify(compact, keys, datetime.now(UTC)))
    assert (charge.txid, charge.amount, charge.open_amount) == (order["pix"]["conciliationId"], "10.50", False)
    assert (charge.key, charge.status, charge.expiration) == (play.account["pixKey"], "ATIVA", 86_400)
    assert charge.debtor is not None
    assert (charge.debtor.name, charge.debtor.document) == ("Bento Braga", "11144477735")


async def test_the_picture_is_the_code(play: Play) -> None:
    order = await play.order("10.50")
    answer = await play.ask("GET", order["pix"]["qrcodeImageUrl"])
    assert (answer.status, answer.headers["content-type"]) == (200, "image/png")
    picture = cv2.imdecode(np.frombuffer(answer.body, np.uint8), cv2.IMREAD_GRAYSCALE)
    found = [f.text for f in zxingcpp.read_barcodes(picture) if f.format == zxingcpp.BarcodeFormat.QRCode]
    assert found == [order["pix"]["qrcodeData"]]
    assert base64.b64decode(order["pix"]["qrcodeImageBase64"], validate=True) == answer.body
    unknown = order["pix"]["qrcodeImageUrl"].replace("/qr/image/00001", "/qr/image/00002")
    assert (await play.ask("GET", unknown)).status == 404


async def test_a_bank_that_cannot_believe_a_location_does_not_pay(play: Play) -> None:
    order = await play.order()
    for behaviour in ("down", "reject"):
        await play.fault("location", behaviour)
        assert (await play.pay(order))["status"] == "REJECTED"
    assert (await play.pay(order))["status"] == "SETTLED"
