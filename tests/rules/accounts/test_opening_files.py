"""Files of people who want an account: what is kept of them, and what is not taken at all."""

import io
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import pypdf
import pytest
from PIL import Image, PngImagePlugin
from pypdf.generic import DictionaryObject, NameObject, TextStringObject

from lastro.accounts.opening import files, papers, pictures
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


def test_a_plain_pdf_is_kept_as_it_is() -> None:
    sent = pdf()
    assert files.kept(sent).content == sent


def hidden(dictionary: bytes, tail: bytes = b"") -> bytes:
    """A PDF whose object stream holds a dictionary that no search of the file's own bytes finds."""
    body = zlib.compress(b"7 0 " + dictionary)
    head = b"%PDF-1.7\n5 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length "
    stream = head + str(len(body)).encode() + b" >>\nstream\n" + body + b"\nendstream\nendobj\n"
    return stream + b"xref\n0 1\ntrailer\n<< /Size 1 >>\nstartxref\n%d\n%%%%EOF\n" % len(stream) + tail


def test_what_stands_in_a_stream_is_looked_at_too() -> None:
    papers.demand_harmless(hidden(b"<< /Type /Font >>"))
    with pytest.raises(FileRefused, match="JavaScript"):
        papers.demand_harmless(hidden(b"<< /S /JavaScript >>"))
    with pytest.raises(FileRefused, match="Launch"):
        papers.demand_harmless(hidden(b"<< /S /L#61unch >>"))


def archive(tail: bytes) -> bytes:
    """A ZIP whose comment is the end of a PDF."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as zipped:
        zipped.writestr("a.txt", "a")
        zipped.comment = tail
    return made.getvalue()


def acting(kind: str) -> Callable[[pypdf.PdfWriter], None]:
    """Puts an action into a PDF that runs when it is opened."""

    def put(writer: pypdf.PdfWriter) -> None:
        action = DictionaryObject({NameObject("/S"): NameObject(kind), NameObject("/JS"): TextStringObject("a")})
        writer.root_object[NameObject("/OpenAction")] = action

    return put


REFUSED_PDFS = {
    "encrypted": (pdf(lambda w: w.encrypt("secret", algorithm="RC4-128")), "NOT_ALLOWED"),
    "javascript": (pdf(acting("/JavaScript")), "NOT_ALLOWED"),
    "attachment": (pdf(lambda w: w.add_attachment("a.exe", b"MZ")), "NOT_ALLOWED"),
    "launch": (pdf(acting("/Launch")), "NOT_ALLOWED"),
    "cut": (pdf()[:-20], "INVALID"),
    "tail": (pdf() + b"<html>", "INVALID"),
    "archive behind it": (pdf() + archive(pdf()[pdf().rindex(b"startxref") :]), "INVALID"),
    "head alone": (b"%PDF-1.7\n", "INVALID"),
    "unknown version": (pdf().replace(b"%PDF-1.3", b"%PDF-9.3"), "INVALID"),
    "wrong table": (pdf().replace(b"startxref\n", b"startxref\n9"), "INVALID"),
    "other filter": (hidden(b"", b"").replace(b"/Size 1", b"/F /LZWDecode"), "NOT_SUPPORTED"),
}


@pytest.mark.parametrize("name", REFUSED_PDFS)
def test_pdfs_that_are_not_taken(name: str) -> None:
    sent, issue = REFUSED_PDFS[name]
    with pytest.raises(FileRefused) as refused:
        files.kept(sent)
    assert refused.value.issue == issue


def test_a_name_is_read_with_its_escapes_undone() -> None:
    with pytest.raises(FileRefused, match="Launch"):
        papers.demand_harmless(closed(b"%PDF-1.4\n<< /S /#4caunch >>\n"))
    papers.demand_harmless(closed(b"%PDF-1.4\n<< /S /Launcher >>\n"))


def _stream(body: bytes) -> bytes:
    return b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(body) + body + b"\nendstream\n"


def closed(content: bytes) -> bytes:
    return content + b"xref\n0 1\ntrailer\n<< >>\nstartxref\n%d\n%%%%EOF\n" % len(content)


def test_what_unpacks_to_too_much_is_not_taken() -> None:
    one = _stream(zlib.compress(bytes(papers.MOST_INFLATED // 2 + 1)))
    papers.demand_harmless(closed(b"%PDF-1.4\n" + one))
    with pytest.raises(FileRefused, match="unpacks"):
        papers.demand_harmless(closed(b"%PDF-1.4\n" + one + one))
    many = closed(b"%PDF-1.4\n" + b"stream\n" * (papers.MOST_STREAMS + 1))
    with pytest.raises(FileRefused, match="parts"):
        papers.demand_harmless(many)
