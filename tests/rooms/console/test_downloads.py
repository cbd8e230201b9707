"""Files of the console: lists as they are filtered, statements of a period, receipts; nothing of them is run or another's."""

import csv
import io

import pytest
from tests.cast import Cast
from tests.rooms.console.visiting import Building, Visit
from tests.rooms.orders.shop import Shop
from tests.rooms.payouts.office import Office

from lastro.console import downloads
from lastro.console.lists import LISTINGS
from lastro.people import Role
from lastro.standards.calendar import BRASILIA

_NOWHERE = "01a205d8-e0e4-70bd-937f-8e181f3693f8"


async def at(house: Building) -> Visit:
    visit, _ = await house.inside(Role.READ)
    return visit


def read(text: str, delimiter: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text), delimiter=delimiter))


async def test_a_list_is_downloaded_as_it_is_filtered(house: Building, cast: Cast) -> None:
    visit, shop = await at(house), Shop(cast, house.ana)
    paid, open_one = await shop.paid(123_456), await shop.order(10_50)
    page = (await visit.get("/console/orders?status=PAID", accept_language="pt")).text
    assert 'href="/console/orders/csv?status=PAID"' in page
    answer = await visit.get("/console/orders/csv?status=PAID", accept_language="pt")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert answer.headers["content-disposition"] == 'attachment; filename="orders.csv"'
    assert answer.content.startswith(b"\xef\xbb\xbf")
    heads, *rows = read(answer.content.decode("utf-8-sig"), ";")
    assert heads[:3] == ["id", "Criado em", "Cliente"]
    assert [row[0] for row in rows] == [str(paid)]
    said = dict(zip(heads, rows[0], strict=True))
    assert (said["Valor final"], said["Moeda"], said["Cliente"], said["Meio"]) == ("1234,56", "BRL", "Bento Braga", "Pix")
    both = await visit.get("/console/orders/csv", accept_language="en")
    heads, *rows = read(both.text, ",")
    assert {row[0] for row in rows} == {str(paid), str(open_one)}
    assert {dict(zip(heads, row, strict=True))["Final amount"] for row in rows} == {"1234.56", "10.50"}


async def test_no_cell_of_a_list_is_run_as_a_formula(house: Building, cast: Cast) -> None:
    visit, shop = await at(house), Shop(cast, house.ana)
    for words in ("=1+1", "@SUM(A1)", "+x", "a;=1+1"):
        await shop.order(description=words)
    heads, *rows = read((await visit.get("/console/orders/csv", accept_language="pt")).content.decode("utf-8-sig"), ";")
    found = {row[heads.index("Descrição")] for row in rows}
    assert found == {"'=1+1", "'@SUM(A1)", "'+x", "a;'=1+1"}


async def test_a_long_list_is_read_in_parts_and_ends_with_a_line_that_says_so(
    house: Building, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "_OF_A_PAGE", 2)
    monkeypatch.setattr(downloads, "MOST", 4)
    visit, shop = await at(house), Shop(cast, house.ana)
    made = [str(await shop.order()) for _ in range(5)]
    _, *rows = read((await visit.get("/console/orders/csv?sort=asc", accept_language="en")).text, ",")
    assert [row[0] for row in rows[:-1]] == made[:4]
    assert rows[-1] == ["There are more rows: the file has 4. Use the filters to download the rest."]
    monkeypatch.setattr(downloads, "MOST", 6)
    _, *rows = read((await visit.get("/console/orders/csv?sort=asc", accept_language="en")).text, ",")
    assert [row[0] for row in rows] == made


async def test_every_list_has_a_file_and_a_wrong_filter_none(house: Building) -> None:
    visit = await at(house)
    for one in LISTINGS:
        query = f"?accountId={house.ana.account_id}" if one.is_of_account else ""
        answer = await visit.get(f"/console/{one.name}/csv{query}")
        assert (answer.status_code, answer.headers["content-type"][:8]) == (200, "text/csv"), one.name
    assert (await visit.get("/console/orders/csv?from=yesterday")).status_code == 400
    assert (await visit.get("/console/keys/csv")).status_code == 404
    assert (await visit.get(f"/console/keys/csv?accountId={_NOWHERE}")).status_code == 404


async def test_a_statement_is_shown_by_period_and_had_as_every_file(house: Building, cast: Cast) -> None:
    visit, shop = await at(house), Shop(cast, house.ana)
    await shop.paid(4200)
    place = f"/console/accounts/{house.ana.account_id}"
    assert f'href="{place}/statement"' in (await visit.get(place)).text
    (at_now,) = await shop.column("SELECT business_now()")
    day = at_now.astimezone(BRASILIA).date().isoformat()
    page = await visit.get(f"{place}/statement?startDate={day}&endDate={day}", accept_language="pt")
    assert page.status_code == 200
    assert "Recebido por Pix" in page.text
    assert "R$\N{NO-BREAK SPACE}42,00" in page.text
    for form, media, begins in (
        ("csv", "text/csv", b"\xef\xbb\xbfcreatedAt;"), ("ofx", "application/x-ofx", b"OFXHEADER"), ("cnab240", "text/plain", b""),
        ("camt053", "application/xml", b"<?xml"),
    ):  # fmt: skip
        link = f"{place}/statement/file?startDate={day}&amp;endDate={day}&amp;format={form}"
        assert f'href="{link}"' in page.text, form
        answer = await visit.get(link.replace("&amp;", "&"), accept_language="pt")
        assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, media), form
        assert answer.content.startswith(begins), form
        assert "attachment" in answer.headers["content-disposition"], form
    english = await visit.get(f"{place}/statement/file?startDate={day}&format=csv", accept_language="en")
    assert english.content.startswith(b"createdAt,")


async def test_a_wrong_period_is_told_and_another_companys_statement_is_not_there(house: Building, cast: Cast) -> None:
    visit, dora = await at(house), await cast.dora()
    place = f"/console/accounts/{house.ana.account_id}/statement"
    wrong = await visit.get(f"{place}?startDate=2026-02-30", accept_language="pt")
    assert (wrong.status_code, 'role="alert"' in wrong.text) == (400, True)
    assert (await visit.get(f"{place}/file?format=csv")).status_code == 400
    assert (await visit.get(f"{place}/file?startDate=2026-01-01&format=xls")).status_code == 404
    for own in (dora.account_id, _NOWHERE, "nothing"):
        assert (await visit.get(f"/console/accounts/{own}/statement")).status_code == 404, own
        answer = await visit.get(f"/console/accounts/{own}/statement/file?startDate=2026-01-01&format=csv")
        assert answer.status_code == 404, own


async def test_a_paid_payout_has_its_receipt_and_another_has_none(house: Building, cast: Cast) -> None:
    visit, office = await at(house), await Office.open(cast, house.ana)
    made = await office.make(7700)
    place = f"/console/payouts/{made['id']}"
    assert f"{place}/receipt" not in (await visit.get(place)).text
    assert (await visit.get(f"{place}/receipt")).status_code in (404, 409)
    await office.work()
    await office.settle(await office.read(made["id"]))
    assert f'href="{place}/receipt"' in (await visit.get(place)).text
    answer = await visit.get(f"{place}/receipt")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    assert answer.content.startswith(b"%PDF")
    assert (await visit.get(f"/console/payouts/{_NOWHERE}/receipt")).status_code == 404
