"""A form with a file: by whom its body is read, what is told of a file that is not taken, and how the file is read again."""

import re
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
from tests.cast import Cast, Seller
from tests.rooms.accounts.openings import photo
from tests.rooms.console.visiting import Building, Visit, building, hidden
from tests.rooms.med.court import Court
from tests.rooms.med.test_defense import noticed

from lastro.accounts.opening import LARGEST_UPLOAD
from lastro.people import Role

PNG = ("x.png", photo(), "image/png")
KEPT = "SELECT count(*) FROM med_documents"


@pytest.fixture
async def court(cast: Cast, ana: Seller) -> Court:
    return Court(cast, ana)


@pytest.fixture
async def notice(court: Court) -> UUID:
    """A notification about money that came to Ana's account, not decided yet."""
    return await noticed(court)


@pytest.fixture
def house(court: Court) -> Building:
    return building(court.cast, court.ana)


def place(notice: UUID) -> str:
    return f"/console/disputes/{notice}/attach"


async def kept(court: Court) -> int:
    (found,) = await court.column(KEPT)
    return int(found)


async def test_a_document_is_given_listed_weighed_and_saved(court: Court, house: Building, notice: UUID) -> None:
    visit, _ = await house.inside(Role.OPERATE, Role.APPROVE)
    page = (await visit.get(place(notice))).text
    assert 'enctype="multipart/form-data"' in page
    assert 'type="file"' in page
    assert (await visit.send(place(notice), place(notice), {"file": PNG})).status_code == 303
    shown = (await visit.get(f"/console/disputes/{notice}", accept_language="pt-BR")).text
    assert "Documentos da defesa" in shown
    (link,) = re.findall(rf'href="(/console/disputes/{notice}/documents/[0-9a-f-]+)"', shown)
    assert link in (await visit.get(f"/console/disputes/{notice}/answer")).text, "who decides sees it"
    file = await visit.get(link)
    assert file.content.startswith(b"\x89PNG")
    assert file.headers["content-disposition"] == 'attachment; filename="defense-1.png"'
    assert file.headers["content-type"] == "application/octet-stream"
    assert (file.headers["cache-control"], file.headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert "default-src 'none'" in file.headers["content-security-policy"]


async def test_another_companys_document_is_not_there(court: Court, house: Building, notice: UUID) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    await visit.send(place(notice), place(notice), {"file": PNG})
    (own,) = await court.column("SELECT id FROM med_documents")
    dora = await court.cast.dora()
    hers, _ = await house.inside(Role.OPERATE, company=dora.company_id)
    assert (await hers.get(f"/console/disputes/{notice}/documents/{own}")).status_code == 404
    assert (await visit.get(f"/console/disputes/{own}/documents/{own}")).status_code == 404, "of another notice"
    good = hidden((await hers.get("/console/me")).text)
    assert (await hers.post(place(notice), good, {"file": PNG})).status_code == 404
    assert await kept(court) == 1


REFUSED: dict[str, tuple[Any, int, str]] = {
    "none": (None, 400, "falta preencher"),
    "nothing in it": (("x.png", b"", "image/png"), 400, "falta preencher"),
    "a page": (("x.png", b"<script>", "image/png"), 400, "o conteúdo tem de ser um PDF, PNG ou JPEG"),
    "cut off": (("x.png", photo()[:40], "image/png"), 400, "não é uma imagem completa do seu tipo"),
    "no file's name": ((None, b"hello"), 400, "falta preencher"),
    "too large": (("x.pdf", b"%PDF-" + b"x" * LARGEST_UPLOAD, "application/pdf"), 413, "O arquivo é grande demais"),
}


async def test_a_file_that_is_not_taken_is_told_in_words(court: Court, house: Building, notice: UUID) -> None:
    """As a page, in Portuguese, and nothing is kept."""
    visit, _ = await house.inside(Role.OPERATE)
    for name, (file, status, words) in REFUSED.items():
        form = hidden((await visit.get(place(notice))).text)
        files = {"other": PNG} if file is None else {"file": file}
        answer = await visit.post(place(notice), form, files, accept_language="pt-BR")
        assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8"), name
        assert words in answer.text, name
    assert await kept(court) == 0


async def test_a_session_that_ends_while_the_body_is_on_its_way_keeps_nothing(
    court: Court, house: Building, notice: UUID
) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    form = hidden((await visit.get(place(notice))).text)
    whole = visit.http.build_request("POST", place(notice), data=form, files={"file": PNG})

    async def body() -> AsyncIterator[bytes]:
        yield whole.content[:50]
        await visit.post("/console/sign-out", form)
        yield whole.content[50:]

    assert whole.read()
    sent = {"origin": visit.origin, "content-type": whole.headers["content-type"], **visit._sent()}
    answer = await visit.http.post(place(notice), content=body(), headers=sent)
    assert (answer.status_code, await kept(court)) == (303, 0)
    assert answer.headers["location"].startswith("/console/sign-in")


async def test_what_is_refused_names_the_company_and_why(court: Court, house: Building, notice: UUID) -> None:
    """So that nobody acts for another one; with a way back to the form."""
    visit, _ = await house.inside(Role.OPERATE)
    good = hidden((await visit.get(place(notice))).text)
    (name,) = await court.column("SELECT name FROM companies WHERE company_id = tenant()")
    broken = {"origin": visit.origin, "content-type": "multipart/form-data; boundary=x", **visit._sent()}
    cut = await visit.http.post(place(notice), content=b"--x\r\n", headers={**broken, "accept-language": "pt-BR"})
    assert (cut.status_code, "não chegou inteiro" in cut.text) == (400, True)
    assert f'href="{place(notice)}"' in cut.text
    for answer in (cut, await visit.post(place(notice), good, {"file": PNG}, origin="")):
        assert name in answer.text


async def unread(visit: Visit, path: str, **headers: str) -> tuple[Any, bool]:
    """The answer to a form whose body comes in parts, and whether a part of it was taken."""
    taken: list[bool] = []

    async def body() -> AsyncIterator[bytes]:
        taken.append(True)
        yield b"--x--"

    sent = {"origin": visit.origin, "content-type": "multipart/form-data; boundary=x", **visit._sent(), **headers}
    answer = await visit.http.post(path, content=body(), headers={name: value for name, value in sent.items() if value})
    return answer, bool(taken)


async def test_no_byte_is_read_of_what_may_not_be_sent(house: Building, notice: UUID) -> None:
    """Ten megabytes of whoever likes to send them would be held in memory otherwise."""
    inside, _ = await house.inside(Role.OPERATE)
    reader, _ = await house.inside(Role.READ)
    for visit, headers, status in (
        (house.visit(), {}, 303), (reader, {}, 403), (inside, {"origin": ""}, 403), (inside, {"origin": "http://e.example"}, 403),
    ):  # fmt: skip
        answer, was_read = await unread(visit, place(notice), **headers)
        assert (answer.status_code, was_read) == (status, False)
    answer, was_read = await unread(inside, place(notice))
    assert (answer.status_code, was_read) == (403, True), "no form of ours, which only its body tells"


async def test_a_form_without_a_file_keeps_its_size(house: Building) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    answer = await visit.post("/console/me/preferences", {"theme": "x" * 1024 * 1024})
    assert answer.status_code == 413
