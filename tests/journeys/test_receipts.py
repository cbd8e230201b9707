"""From a payout's creation to its receipt over HTTP, as JSON and as a PDF."""

import io

from pypdf import PdfReader

from .play import Play
from .test_payouts import PATH, becomes, create


async def test_a_payout_and_its_receipts(play: Play) -> None:
    payout = await create(play, "1234.56", paymentData={"pixKey": "98765432100"}, scheduledDate=None, description="Março")
    path = f"{PATH}/{payout['id']}/receipt"
    paid = await becomes(play, payout, "PAID")
    answer = await play.call("GET", path)
    assert (answer.status, answer.headers["content-type"], answer.headers["vary"]) == (200, "application/json", "accept")
    told = answer.json
    assert (told["endToEndId"], told["paidAt"], told["paidAmount"]) == (payout["endToEndId"], paid["paidAt"], "1234.56")
    assert told["receiver"]["bank"]["pix"] == {"type": "CPF", "key": "***.654.321-**"}
    assert told["payer"]["bank"]["ispb"] == told["issuer"]["ispb"] == "99999010"

    drawn = await play.call("GET", path, accept="application/pdf")
    assert (drawn.status, drawn.headers["content-type"]) == (200, "application/pdf")
    assert drawn.headers["content-disposition"] == f'attachment; filename="comprovante-{payout["id"]}.pdf"'
    (page,) = PdfReader(io.BytesIO(drawn.body)).pages
    text = " ".join(page.extract_text().split())
    for said in ("Comprovante de Pix", "R$ 1.234,56", payout["endToEndId"], told["authenticationCode"], "Descrição Março"):
        assert said in text
    assert "98765432100" not in text
    assert (await play.call("GET", path, accept="application/pdf")).body == drawn.body

    refused = await play.call("GET", path, accept="image/png")
    assert (refused.problem, refused.headers["content-type"]) == ((406, "accept", "NOT_SUPPORTED"), "application/json")
    assert (await play.call("GET", path, dora=True, accept="application/pdf")).status == 404

    await play.act("/phone/return", {"endToEndId": payout["endToEndId"]})
    await becomes(play, payout, "PAID", "REFUNDED")
    again = (await play.call("GET", path)).json
    assert (again["status"], again["returnedAmount"], again["returns"][0]["amount"]) == ("REFUNDED", "1234.56", "1234.56")
    assert again["authenticationCode"] != told["authenticationCode"]


async def test_what_has_not_left_has_none(play: Play) -> None:
    payout = await create(play, "7.77", paymentData={"pixKey": "conta-encerrada@fora.example"})
    await becomes(play, payout, "ERROR")
    for accept in (None, "application/pdf"):
        answer = await play.call("GET", f"{PATH}/{payout['id']}/receipt", accept=accept)
        assert answer.problem == (409, "status", "CONFLICT")
