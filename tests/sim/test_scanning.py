"""A code is found in the pictures that people have of it, and nothing that is sent instead of a picture does harm."""

import io
import re
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import zxingcpp
from PIL import Image
from tests.in_one import in_one_test

from lastro.standards import qrcode
from lastro_sim.phone.scanning import code_in

from .stage import Sim, Till
from .test_pages import EN, PT

CODE = (
    "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal"
    "6008BRASILIA62070503***63041D3D"
)
BARS = "23793381286008200000900000444420196370000012"
JSON = {"accept": "application/json"}


def written(picture: Image.Image, form: str) -> bytes:
    out = io.BytesIO()
    picture.save(out, form)
    return out.getvalue()


def photographed(form: str, turned: float = 0.0, side: int = 900) -> bytes:
    """The code on a table, as a camera of twelve million pixels sees it."""
    code = Image.open(io.BytesIO(qrcode.png(CODE))).convert("L").resize((side, side))
    table = Image.new("L", (4032, 3024), 136)
    table.paste(code.rotate(turned, expand=True, fillcolor=136), (1200, 900))
    return written(table, form)


@in_one_test(
    ("form", "turned", "side"),
    [("JPEG", 0.0, 900), ("JPEG", 17.0, 900), ("JPEG", 90.0, 600), ("PNG", 180.0, 900), ("WEBP", 0.0, 1600)],
)
def test_a_code_is_found_in_a_picture(form: str, turned: float, side: int) -> None:
    assert code_in(photographed(form, turned, side)) == CODE


def test_as_it_was_drawn_and_where_its_ground_is_transparent() -> None:
    drawn = qrcode.png(CODE)
    assert code_in(drawn) == CODE
    dark = Image.open(io.BytesIO(drawn)).convert("L").point(lambda grey: 255 - grey)
    clear = Image.new("RGBA", dark.size, (0, 0, 0, 0))
    clear.putalpha(dark)
    assert code_in(written(clear, "PNG")) == CODE


def test_the_bars_of_a_slip_are_found() -> None:
    view = memoryview(cast("Any", zxingcpp.create_barcode(BARS, zxingcpp.BarcodeFormat.ITF).to_image(scale=3)))
    rows, columns = cast("tuple[int, int]", view.shape)
    assert code_in(written(Image.frombytes("L", (columns, rows), view.tobytes()), "PNG")) == BARS


@in_one_test(
    "picture",
    [
        b"", b"no picture", b"\x89PNG\r\n\x1a\n", qrcode.png(CODE)[:150], b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        written(Image.new("L", (64, 64), 255), "PNG"), written(Image.open(io.BytesIO(qrcode.png(CODE))), "GIF"),
    ],
)  # fmt: skip
def test_what_shows_no_code_has_none(picture: bytes) -> None:
    assert code_in(picture) is None


def test_more_pixels_than_a_camera_takes_are_not_decoded() -> None:
    code = Image.open(io.BytesIO(qrcode.png(CODE))).convert("1").resize((2000, 2000))
    for height, found in ((7400, CODE), (7600, None)):
        wall = Image.new("1", (8000, height), 1)
        wall.paste(code, (3000, 2000))
        assert code_in(written(wall, "PNG")) == found, height


async def test_a_picture_leads_to_what_its_code_asks(sim: Sim, shop: Till, key: str) -> None:
    text, _ = shop.charge(key)
    form = {"picture": ("code.png", qrcode.png(text), "image/png")}
    done = await sim.http.post("/phone/scan", files=form, data={"payer": "12345678909"})
    assert done.status_code == 303
    assert parse_qs(urlsplit(done.headers["location"]).query) == {"payer": ["12345678909"], "qrcodeData": [text]}
    page = await sim.http.get(done.headers["location"], headers=EN)
    assert re.search(r'<p class="amount"[^>]*>R\$ 10.00', page.text)
    assert (await sim.http.post("/phone/scan", files=form, headers=JSON)).json() == {"qrcodeData": text}


async def test_a_picture_without_a_code_says_so(sim: Sim) -> None:
    form = {"picture": ("cat.png", b"a cat", "image/png")}
    for headers, said in ((PT, "Nenhum código"), (EN, "No code was found")):
        answer = await sim.http.post("/phone/scan", files=form, headers=headers)
        assert (answer.status_code, said in answer.text) == (400, True)
    assert (await sim.http.post("/phone/scan", files=form, headers=JSON)).json() == {"qrcodeData": None}


async def test_what_is_no_picture_at_all_is_refused_in_the_same_words(sim: Sim) -> None:
    bodies: tuple[dict[str, Any], ...] = (
        {"data": {"picture": "a text"}}, {"data": {}}, {"files": {"other": ("a.png", b"a", "image/png")}},
    )  # fmt: skip
    for body in bodies:
        answer = await sim.http.post("/phone/scan", headers=EN, **body)
        assert (answer.status_code, "No code was found" in answer.text) == (400, True)
    large = {"picture": ("large.png", bytes(13 * 1024 * 1024), "image/png")}
    assert (await sim.http.post("/phone/scan", files=large)).status_code == 413
