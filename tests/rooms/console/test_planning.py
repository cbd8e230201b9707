"""A plan from a CSV file by a person: its trial, the lines that it names, and files that make nothing."""

from typing import Any

import pytest
from tests.cast import Cast, Seller
from tests.rooms.console.visiting import Building, Visit, building, hidden
from tests.rooms.plans.bureau import Bureau

from lastro.people import Role

HERE = "/console/plan"
HEADER = "externalId,accountId,paymentMethod,amount,description,pixKey"
PLANS = "SELECT id FROM payout_plans WHERE company_id = tenant()"
PAYOUTS = "SELECT id FROM payouts WHERE company_id = tenant()"


@pytest.fixture
async def bureau(cast: Cast, ana: Seller) -> Bureau:
    return await Bureau.open(cast, ana)


@pytest.fixture
def house(bureau: Bureau) -> Building:
    return building(bureau.cast, bureau.ana)


def table(bureau: Bureau, *rows: str) -> bytes:
    """A CSV; `{account}` in a row is Ana's."""
    return "\n".join((HEADER, *rows)).replace("{account}", str(bureau.ana.account_id)).encode()


def sent(content: bytes) -> Any:
    return {"file": ("plan.csv", content, "text/csv")}


async def taken(visit: Visit, content: bytes) -> str:
    answer = await visit.send(HERE, HERE, sent(content))
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


async def test_a_good_file_is_a_trial_that_moves_nothing_and_says_what_it_comes_to(bureau: Bureau, house: Building) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    assert f'href="{HERE}"' in (await visit.get("/console/plans")).text
    rows = ("one,{account},PIX,10.50,Salary,fabio@fora.example", "two,{account},PIX,20.25,Salary,fabio@fora.example")
    place = await taken(visit, table(bureau, *rows))
    assert "estão sendo conferidas" in (await visit.get(place)).text
    await bureau.work()
    page = (await visit.get(place)).text
    for words in ("Ensaio: cada linha pode ser paga", "R$\u00a030,75", "Fabio de Fora"):
        assert words in page
    assert "Linhas com problema" not in page
    assert not await bureau.office.column(PAYOUTS)
    (act,) = await bureau.office.column("SELECT operation FROM console_acts WHERE company_id = tenant() AND status = 202")
    assert act == "create_payout_plan"


async def test_one_wrong_line_stops_all_and_is_named_with_column_and_cure(bureau: Bureau, house: Building) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    rows = ("one,{account},PIX,10.50,Salary,fabio@fora.example", "", "two,{account},PIX,-2,Salary,fabio@fora.example")
    place = await taken(visit, table(bureau, *rows))
    await bureau.work()
    for page in ((await visit.get(place)).text, (await visit.get(f"{place}/problems")).text):
        assert "1 linha não pode ser paga." in page
        assert 'data-label="Linha">4<' in page, "the blank line counts, as in an editor"
        assert "<code>amount</code>" in page
        assert 'data-label="O que fazer"></td>' not in page
    assert "Aprovar o plano" not in (await visit.get(place)).text
    assert not await bureau.office.column(PAYOUTS)
    result = await visit.get(f"{place}/result")
    assert result.headers["content-type"].startswith("text/csv")
    assert "INVALID" in result.text


async def test_more_wrong_lines_than_a_page_has_lead_on(bureau: Bureau, house: Building) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    place = await taken(visit, table(bureau, *(f"n{n},{{account}},PIX,x,Salary,a@b.example" for n in range(130))))
    await bureau.work(5_000)
    first = (await visit.get(f"{place}/problems", accept_language="en")).text
    assert f'href="{place}/problems?after=100"' in first
    second = (await visit.get(f"{place}/problems?after=100", accept_language="en")).text
    assert (first.count("<code>amount</code>"), second.count("<code>amount</code>")) == (100, 30)
    assert (await visit.get(f"{place}/problems?after=x")).status_code == 400


BAD: dict[str, tuple[bytes | None, int, str]] = {
    "none": (None, 400, "falta preencher"),
    "empty": (b"", 400, "falta preencher"),
    "not UTF-8": (HEADER.encode("utf-16"), 400, "precisa estar em UTF-8"),
    "no header": (b"one,two\n1,2\n", 400, "o cabeçalho tem colunas que não existem"),
    "no row": (HEADER.encode(), 400, "precisa ter ao menos um pagamento"),
    "a column lacks": (b"externalId,amount\n1,2\n", 400, "faltam no cabeçalho"),
    "too many": (HEADER.encode() + b"\na,b,PIX,1,x,k" * 10_001, 400, "no máximo 10000 pagamentos"),
    "too large": (HEADER.encode() + b"\n" + b"x" * (8 * 1024 * 1024), 413, "O arquivo é grande demais"),
    "no table": (b"\0\1\2\n\0", 400, "o cabeçalho tem colunas que não existem"),
}  # fmt: skip


async def test_a_file_that_is_no_plan_makes_nothing_and_says_why(bureau: Bureau, house: Building) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    for name, (content, status, words) in BAD.items():
        files = {"other": ("x", b"x", "text/csv")} if content is None else sent(content)
        answer = await visit.send(HERE, HERE, files)
        assert (answer.status_code, words in answer.text) == (status, True), (name, answer.text)
    assert not await bureau.office.column(PLANS)


async def test_a_form_that_is_sent_twice_makes_one_plan(bureau: Bureau, house: Building) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    form = hidden((await visit.get(HERE)).text)
    content = table(bureau, "one,{account},PIX,10.50,Salary,fabio@fora.example")
    answers = [await visit.post(HERE, form, sent(content)) for _ in range(2)]
    assert [one.status_code for one in answers] == [303, 409]
    assert len(await bureau.office.column(PLANS)) == 1


@pytest.mark.parametrize("language", ["pt-BR", "en"])
async def test_the_sample_file_is_a_plan_of_ones_own_account(bureau: Bureau, house: Building, language: str) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    sample = await visit.get(f"{HERE}/sample", accept_language=language)
    assert sample.headers["content-disposition"] == 'attachment; filename="plan.csv"'
    assert str(bureau.ana.account_id) in sample.text
    place = await taken(visit, sample.content)
    await bureau.work()
    lines = await bureau.lines({"id": place.rpartition("/")[2]})
    assert [one["amount"]["value"] for one in lines] == ["10.50", "20.25", "30.00"]
    # In this test's directory there is one key alone; the sandbox has both.
    assert {issue["field"] for one in lines for issue in one.get("issues", ())} <= {"pixKey"}


async def test_a_plan_of_another_company_is_not_there(bureau: Bureau, house: Building) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    place = await taken(visit, table(bureau, "one,{account},PIX,10.50,Salary,fabio@fora.example"))
    dora = await bureau.cast.dora()
    hers, _ = await house.inside(Role.OPERATE, company=dora.company_id)
    for page in ("problems", "result"):
        assert (await hers.get(f"{place}/{page}")).status_code == 404
        assert (await hers.get(f"/console/plans/nobody/{page}")).status_code == 404
