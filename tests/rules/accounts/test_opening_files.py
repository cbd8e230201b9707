"""Files of people who want an account: what is kept of them, and what is not taken at all."""

import io
import zlib
from collections.abc import Callable
from typing import Any

import pypdf
import pytest
from PIL import Image, PngImagePlugin

from lastro.accounts.opening import files, pictures
from lastro.accounts.opening.refusing import FileRefused


def picture(form: str = "PNG", size: tuple[int, int] = (30, 20), **save: Any) -> bytes:
    made = io.BytesIO()
    image = Image.new("RGB", size, "white")
    image.paste((200, 0, 0), (0, 0, 10, 10))
    image.save(made, form, **save)
    return made.getvalue()


def pdf(change: Callable[[pypdf.PdfWriter], object] = lambda _: None) -> bytes:
    writer = pypdf.PdfWriter()
    writer.add_blank_page(100, 100)
    change(writer)
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()


def with_metadata(form: str) -> bytes:
    exif = Image.Exif()
    exif[0x010F] = "SECRETMAKER"
    if form == "JPEG":
        return picture("JPEG", exif=exif, comment=b"SECRETCOMMENT")
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "SECRETCOMMENT")
    return picture("PNG", exif=exif, pnginfo=text)


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_a_picture_is_drawn_anew_without_what_stood_beside_it(form: str) -> None:
    sent = with_metadata(form) + b"PK\x03\x04 a second file behind its end"
    kept = files.kept(sent)
    assert b"SECRET" in sent
    assert b"SECRET" not in kept.content
    assert b"PK\x03\x04" not in kept.content
    assert kept.content_type == f"image/{form.lower()}"
    seen = Image.open(io.BytesIO(kept.content))
    assert (seen.format, seen.size, seen.getexif().get(0x010F)) == (form, (30, 20), None)
    red, green, blue = seen.convert("RGB").getpixel((3, 3))  # type: ignore[misc]
    assert red > 180
    assert max(green, blue) < 40


def test_a_picture_is_turned_as_its_camera_says() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    kept = files.kept(picture("JPEG", exif=exif))
    assert Image.open(io.BytesIO(kept.content)).size == (20, 30)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16"])
def test_pictures_of_every_mode_are_taken(mode: str) -> None:
    made = io.BytesIO()
    Image.new(mode, (8, 8)).save(made, "JPEG" if mode == "CMYK" else "PNG")
    assert Image.open(io.BytesIO(files.kept(made.getvalue()).content)).size == (8, 8)


def scans(number: int) -> bytes:
    """A JPEG whose picture is refined so often: each time costs a decoder the whole of it."""
    head, scan = (part := picture("JPEG", progressive=True))[: (at := part.rindex(b"\xff\xda"))], part[at:-2]
    return head + scan * (number - head.count(b"\xff\xda")) + part[-2:]


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_an_upright_picture_is_in_memory_once(form: str) -> None:
    sent = picture(form, size=(2048, 2048))
    Image.core.reset_stats()  # type: ignore[attr-defined]
    pictures.drawn_anew(sent, f"image/{form.lower()}")
    used = Image.core.get_stats()  # type: ignore[attr-defined]
    assert used["allocated_blocks"] + used["reused_blocks"] == 1


def bomb() -> bytes:
    """A head that promises more pixels than any picture has, and next to nothing behind it."""
    head = picture()
    size = (20_000).to_bytes(4, "big") + (20_000).to_bytes(4, "big")
    chunk = b"IHDR" + size + head[24:29]
    return head[:8] + (13).to_bytes(4, "big") + chunk + zlib.crc32(chunk).to_bytes(4, "big") + head[33:]


@pytest.mark.parametrize(
    ("sent", "issue"),
    [
        (picture()[:-30], "INVALID"), (picture("JPEG")[:200], "INVALID"), (b"\x89PNG\r\n\x1a\n" + b"nothing", "INVALID"),
        (b"\xff\xd8\xff" + b"x" * 99, "INVALID"), (bomb(), "TOO_LONG"),
        (picture(size=(pictures.LONGEST_SIDE + 1, 1)), "TOO_LONG"), (scans(pictures.MOST_SCANS + 1), "TOO_LONG"),
    ],
    ids=["cut PNG", "cut JPEG", "head alone", "no JPEG", "bomb", "long side", "many scans"],
)  # fmt: skip
def test_pictures_that_are_not_taken(sent: bytes, issue: str) -> None:
    with pytest.raises(FileRefused) as refused:
        files.kept(sent)
    assert refused.value.issue == issue


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (picture(), "image/png"), (picture("JPEG"), "image/jpeg"), (pdf(), "application/pdf"), (picture("GIF"), None),
        (b"", None), (b"<svg/>", None), (b"PK\x03\x04", None), (b"\n" + pdf(), None), (b"MZ", None),
    ],
)  # fmt: skip
def test_what_a_file_is_its_content_says(sent: bytes, kind: str | None) -> None:
    assert files.kind_of(sent) == kind


@pytest.mark.parametrize("sent", [pdf(), picture()], ids=["pdf", "png"])
def test_a_byte_order_mark_in_front_is_passed_over(sent: bytes) -> None:
    assert files.kept(b"\xef\xbb\xbf" + sent) == files.kept(sent)
