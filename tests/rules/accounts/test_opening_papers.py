"""PDFs of people who want an account: their pages are kept, and nothing that acts, is hidden or is carried along."""

import io
import sys
import zlib
from collections.abc import Mapping

import pikepdf
import pypdf
import pytest

from lastro.accounts.opening import files, papers, rewriting
from lastro.accounts.opening.refusing import FileRefused

_PAGE = b"/Type /Page /Parent 2 0 R /MediaBox [0 0 100 100]"
_DRAWN = b"1 0 0 rg 10 10 50 50 re f"


def stream(body: bytes, said: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n" % (len(body), said) + body + b"\nendstream"


def paper(
    *more: bytes,
    page: bytes = b"",
    document: bytes = b"",
    drawn: bytes | None = None,
    trailer: bytes = b"",
    kids: bytes = b"3 0 R",
) -> bytes:
    """A PDF of one page, byte by byte: objects 1 to 4 are the document, its tree, the page and what it is drawn with."""
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R %s >>" % document, b"<< /Type /Pages /Kids [%s] /Count 1 >>" % kids,
        b"<< %s /Contents 4 0 R %s >>" % (_PAGE, page), stream(_DRAWN) if drawn is None else drawn, *more,
    )  # fmt: skip
    made, places = b"%PDF-1.7\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return made + b"xref\n0 %d\n%strailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        size, table, size, trailer, len(made),
    )  # fmt: skip


_ALERT = b"<< /S /JavaScript /JS (SECRET) >>"
_ATTACHED = b"<< /Type /Filespec /F (a.exe) /EF << /F 6 0 R >> >>"
_SHOWN = stream(b"0 1 0 rg 0 0 10 10 re f", b"/Type /XObject /Subtype /Form /BBox [0 0 10 10]")
_HIDDEN = zlib.compress(b"7 0 " + _ALERT)

# What comes in besides its page; each has the word SECRET somewhere, in whatever way it is packed.
CARRYING = {
    "a script when it is opened": paper(document=b"/OpenAction " + _ALERT),
    "a script by name": paper(document=b"/Names << /JavaScript << /Names [(a) %s] >> >>" % _ALERT),
    "a script at its page": paper(page=b"/AA << /O %s >>" % _ALERT),
    "a name with escapes": paper(document=b"/OpenAction << /S /#4aavaScript /J#53 (SECRET) >>"),
    "another document": paper(document=b"/OpenAction << /S /GoToR /F (SECRET) /D [0 /Fit] >>"),
    "a thread of another": paper(document=b"/OpenAction << /S /Thread /F (SECRET) /D 0 >>"),
    "a program": paper(document=b"/OpenAction << /S /Launch /F (SECRET) >>"),
    "a link": paper(page=b"/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (SECRET) >> >>]"),
    "a file": paper(
        _ATTACHED, stream(b"MZ SECRET", b"/Type /EmbeddedFile"), document=b"/Names << /EmbeddedFiles << /Names [(a) 5 0 R] >> >>"
    ),
    "a file at its page": paper(_ATTACHED, stream(b"MZ SECRET"), page=b"/AF [5 0 R]"),
    "a field with a script": paper(
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (SECRET) /Rect [0 0 9 9] /AP << /N 6 0 R >> /AA << /K %s >> >>" % _ALERT,
        _SHOWN, page=b"/Annots [5 0 R]", document=b"/AcroForm << /Fields [5 0 R] >>",
    ),
    "data of another file": paper(drawn=stream(_DRAWN, b"/F (SECRET) /FFilter /FlateDecode")),
    "who made it": paper(b"<< /Author (SECRET) >>", trailer=b"/Info 5 0 R"),
    "what stands behind its end": paper() + b"<html>SECRET</html>PK\x05\x06",
    "objects called a picture": paper(
        stream(_HIDDEN, b"/Type /ObjStm /Subtype /Image /N 1 /First 4 /Filter /FlateDecode"), document=b"/SECRET 5 0 R"
    ),
    "objects packed twice": paper(
        stream(zlib.compress(_HIDDEN), b"/Type /ObjStm /N 1 /First 4 /Filter [/FlateDecode /FlateDecode]"), document=b"/SECRET 5 0 R"
    ),
    "objects packed by a short name": paper(stream(_HIDDEN, b"/Type /ObjStm /N 1 /First 4 /F /Fl"), document=b"/SECRET 5 0 R"),
    "objects behind a blank": paper(
        stream(_HIDDEN, b"/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode").replace(b"stream\n", b"stream \r\n", 1),
        document=b"/SECRET 5 0 R",
    ),
    "objects packed with a wrong sum": paper(
        stream(_HIDDEN[:-4] + b"SUM!", b"/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode"), document=b"/SECRET 5 0 R"
    ),
}  # fmt: skip


def plain(content: bytes) -> bytes:
    """A PDF with all that is packed in it unpacked."""
    unpacked = io.BytesIO()
    with pikepdf.open(io.BytesIO(content)) as pdf:
        pdf.save(unpacked, qdf=True, stream_decode_level=pikepdf.StreamDecodeLevel.all, compress_streams=False)
    return unpacked.getvalue()


@pytest.mark.parametrize("name", CARRYING)
def test_of_a_pdf_its_page_is_kept(name: str) -> None:
    kept = rewriting.rewritten(CARRYING[name])
    (page,) = pypdf.PdfReader(io.BytesIO(kept)).pages
    assert (
        {"/Type", "/Parent", "/MediaBox", "/Contents"}
        <= set(page)
        <= {"/Type", "/Parent", "/MediaBox", "/Contents", "/Resources"}
    )
    assert _DRAWN in plain(kept)
    for gone in (b"SECRET", b"JavaScript", b"/JS", b"ObjStm", b"/Annot", b"/EmbeddedFile", b"/F "):
        assert gone not in plain(kept)


def test_what_is_written_into_a_form_is_part_of_its_page() -> None:
    assert b"0 1 0 rg 0 0 10 10 re f" in plain(rewriting.rewritten(CARRYING["a field with a script"]))


def test_names_of_resources_are_the_pages_own() -> None:
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    sent = paper(font, page=b"/Resources << /Font << /AA 5 0 R /JS 5 0 R >> >>", drawn=stream(b"BT /AA 9 Tf (x) Tj ET"))
    assert "/AA" in pypdf.PdfReader(io.BytesIO(rewriting.rewritten(sent))).pages[0]["/Resources"]["/Font"]  # type: ignore[index]


def locked(password: str) -> bytes:
    writer, made = pypdf.PdfWriter(io.BytesIO(paper())), io.BytesIO()
    writer.encrypt(password, "owner", algorithm="RC4-128")
    writer.write(made)
    return made.getvalue()


def test_what_opens_without_a_password_is_kept_unlocked() -> None:
    assert b"/Encrypt" not in rewriting.rewritten(locked(""))


_MUCH = bytes(rewriting.MOST_INFLATED // 2 + 1)
_PACKED = stream(zlib.compress(_MUCH), b"/Filter /FlateDecode")
_XFA = b"/AcroForm << /Fields [] /XFA [(template) 4 0 R] >>"
REFUSED: Mapping[str, tuple[bytes, str]] = {
    "locked": (locked("secret"), "NOT_ALLOWED"),
    "a form that programs draw": (paper(document=_XFA), "NOT_ALLOWED"),
    "a folder of files": (paper(document=b"/Collection << /View /T >>"), "NOT_ALLOWED"),
    "an action among what is drawn": (paper(page=b"/Resources << /Properties << /P << /A %s >> >> >>" % _ALERT), "NOT_ALLOWED"),
    "a program among what is drawn": (
        paper(stream(b"", b"/Type /XObject /Subtype /PS"), page=b"/Resources << /XObject << /X 5 0 R >> >>"), "NOT_ALLOWED",
    ),
    "cut off": (paper()[:-30], "INVALID"),
    "its head alone": (b"%PDF-1.7\n", "INVALID"),
    "a wrong table": (paper().replace(b"startxref\n", b"startxref\n9"), "INVALID"),
    "a loop of pages": (paper(kids=b"2 0 R"), "INVALID"),
    "no page": (paper(kids=b""), "INVALID"),
    "drawn with a wrong sum": (paper(drawn=stream(zlib.compress(_DRAWN)[:-4] + b"SUM!", b"/Filter /FlateDecode")), "INVALID"),
    "it unpacks to too much": (paper(_PACKED, drawn=_PACKED, page=b"/Resources << /XObject << /X 5 0 R >> >>"), "TOO_LONG"),
    "too many pages": (paper(kids=b"3 0 R " * (rewriting.MOST_PAGES + 1)), "TOO_LONG"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_pdfs_that_are_not_taken(name: str) -> None:
    sent, issue = REFUSED[name]
    assert rewriting.said(sent).split(b"\n")[0] == issue.encode()


def test_the_program_says_what_was_kept_and_why_nothing_is() -> None:
    kept = files.kept(CARRYING["a script when it is opened"])
    assert (kept.content_type, kept.content) == ("application/pdf", rewriting.rewritten(paper()))
    with pytest.raises(FileRefused) as refused:
        files.kept(REFUSED["locked"][0])
    assert (refused.value.issue, str(refused.value)) == ("NOT_ALLOWED", "is encrypted: send it without a password")


@pytest.mark.parametrize(
    ("program", "seconds"),
    [
        ("import os; os.kill(os.getpid(), 9)", 30.0), ("input()\nwhile True: pass", 0.05),
        (f"print('%PDF-' + 'x' * {papers.MOST_WRITTEN})", 30.0),
    ],
    ids=["killed", "late", "too much"],
)  # fmt: skip
def test_what_the_program_does_not_come_to_an_end_with_is_not_taken(program: str, seconds: float) -> None:
    with pytest.raises(FileRefused) as refused:
        papers.written_anew(b"\n", (sys.executable, "-S", "-c", program), seconds)
    assert refused.value.issue == "TOO_LONG"
