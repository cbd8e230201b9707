from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards.brcode import (
    BrCode,
    BrCodeError,
    ascii_text,
    crc16,
    decode,
    description_room,
    encode,
)

EVP = "123e4567-e12b-12d1-a456-426655440000"
FULANO = BrCode(merchant_name="Fulano de Tal", merchant_city="BRASILIA", key=EVP)
AUTHORISE = replace(FULANO, key=None, recurrence_location="pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002")

# Published samples (API Pix 2.9.0, BR Code manual) that an encoder must reproduce to the character.
PUBLISHED = {
    "journey 2": (
        "00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002630462C9",
        AUTHORISE,
    ),
    "journey 2, short path": (
        "00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80740014br.gov.bcb.pix2552pix.example.com/rec/2353c790eefb11eaadc10242ac1200026304F2DA",
        replace(AUTHORISE, recurrence_location="pix.example.com/rec/2353c790eefb11eaadc10242ac120002"),
    ),
    "journey 3": (
        "00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741",
        replace(
            AUTHORISE,
            location="pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441",
            recurrence_location="pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa353194890",
            single_use=True,
        ),
    ),
    "journey 4": (
        "00020101021226810014br.gov.bcb.pix2559pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e75204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d06304A441",
        replace(
            AUTHORISE,
            location="pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7",
            recurrence_location="pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d0",
            single_use=True,
        ),
    ),
    "journey 4, static": (
        "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865406100.505802BR5913Fulano de Tal6008BRASILIA62070503***80740014br.gov.bcb.pix2552pix.example.com/rec/2353c790eefb11eaadc10242ac12000263042875",
        replace(FULANO, amount="100.50", recurrence_location="pix.example.com/rec/2353c790eefb11eaadc10242ac120002"),
    ),
    "static, EVP, open amount": (
        "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D",
        FULANO,
    ),
    "dynamic": (
        "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4",
        replace(FULANO, key=None, location="pix.example.com/8b3da2f39a4140d1a91abd93113bd441", single_use=True),
    ),
    "e-mail, amount, txid": (
        "00020126360014br.gov.bcb.pix0114pix@bcb.gov.br5204000053039865406123.455802BR5913FULANO DE TAL6008BRASILIA62140510PEDIDO00016304083D",
        BrCode(
            merchant_name="FULANO DE TAL",
            merchant_city="BRASILIA",
            key="pix@bcb.gov.br",
            amount="123.45",
            txid="PEDIDO0001",
        ),
    ),
    "telephone, description": (
        "00020126510014br.gov.bcb.pix0114+55619123456780211Mensalidade5204000053039865802BR5913FULANO DE TAL6008BRASILIA62070503***6304E091",
        BrCode(merchant_name="FULANO DE TAL", merchant_city="BRASILIA", key="+5561912345678", description="Mensalidade"),
    ),
}

# Its field 04, template 27 and template 80 belong to others, its GUI is in capitals, its txid has a hyphen.
TWO_ARRANGEMENTS = "00020104141234567890123426580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-42665544000027300012BR.COM.OUTRO011001234567895204000053039865406123.455802BR5917NOME DO RECEBEDOR6008BRASILIA61087007490062190515RP12345678-201980390012BR.COM.OUTRO01190123.ABCD.3456.WXYZ6304AD38"


def sealed(text: str) -> str:
    """The text with a field 63 that is right for it, so that only what the test breaks is broken."""
    return f"{text}6304{crc16(text + '6304')}"


def refusal(payload: str) -> str:
    with pytest.raises(BrCodeError) as caught:
        decode(payload)
    assert str(caught.value)
    return caught.value.reason


def test_crc_self_check() -> None:
    assert crc16("123456789") == "29B1"


@in_one_test(("payload", "code"), PUBLISHED.values(), ids=PUBLISHED)
def test_published_samples_are_written_and_read(payload: str, code: BrCode) -> None:
    assert encode(code) == payload
    assert decode(payload) == code


def test_other_arrangements_are_ignored() -> None:
    assert decode(TWO_ARRANGEMENTS) == BrCode(
        merchant_name="NOME DO RECEBEDOR",
        merchant_city="BRASILIA",
        key=EVP,
        amount="123.45",
        txid="RP12345678-2019",
        postal_code="70074900",
    )


def test_lower_case_crc_is_read_and_upper_case_written() -> None:
    payload, code = PUBLISHED["journey 2"]
    assert decode(payload[:-4] + payload[-4:].lower()) == code
    assert encode(code)[-4:] == "62C9"


HEAD = "000201"
PIX = "26580014br.gov.bcb.pix0136" + EVP
REST = "5204000053039865802BR5913Fulano de Tal6008BRASILIA"
LABEL = "62070503***"
RECURRENCE = "80330014br.gov.bcb.pix2511a.b/rec/abc"

BROKEN = {
    "empty": ("", "CHARACTER"),
    "accent": (sealed(HEAD + PIX + REST + LABEL).replace("Fulano", "Fulâno"), "CHARACTER"),
    "line break inside": (sealed(HEAD + PIX + REST.replace("Fulano", "Ful\nno") + LABEL), "CHARACTER"),
    "turned direction": (sealed(HEAD + PIX + REST + LABEL).replace("Fulano", "Ful\u202eno"), "CHARACTER"),
    "513 characters": ("0" * 513, "TOO_LONG"),
    "no CRC": (HEAD + PIX + REST + LABEL, "CRC"),
    "CRC cut": (sealed(HEAD + PIX + REST + LABEL)[:-1], "CRC"),
    "CRC of another length": (HEAD + PIX + REST + LABEL + "6303ABC", "CRC"),
    "changed character": (sealed(HEAD + PIX + REST + LABEL).replace("Fulano", "Fulana"), "CRC"),
    "something after the CRC": (sealed(HEAD + PIX + REST + LABEL) + "6401a", "CRC"),
    "CRC right, length of the name wrong": (
        sealed(HEAD + PIX + REST.replace("5913", "5912") + LABEL),
        "STRUCTURE",
    ),
    "CRC right, length runs past the end": (sealed(HEAD + PIX + REST + "62990503***"), "STRUCTURE"),
    "CRC right, field 63 swallowed": (sealed(HEAD + PIX + REST + "62150503***"), "STRUCTURE"),
    "CRC right, key length wrong": (sealed(HEAD + PIX.replace("0136", "0135") + REST + LABEL), "STRUCTURE"),
    "CRC right, label length wrong": (sealed(HEAD + PIX + REST + "62070502***"), "STRUCTURE"),
    "label length wrong in a dynamic code": (
        sealed(HEAD + "26310014br.gov.bcb.pix2509a.b/x1234" + REST + "62070504***"),
        "STRUCTURE",
    ),
    "unknown template, nested length wrong": (sealed(HEAD + PIX + REST + LABEL + "81100007outros"), "STRUCTURE"),
    "empty field": (sealed(HEAD + PIX + REST + LABEL + "6400"), "STRUCTURE"),
    "id that is no number": (sealed(HEAD + PIX + REST + LABEL + "A101x"), "STRUCTURE"),
    "00 not first": (sealed(PIX + HEAD + REST + LABEL), "STRUCTURE"),
    "63 in the middle": (sealed(HEAD + "63041234" + PIX + REST + LABEL), "DUPLICATE"),
    "name twice": (sealed(HEAD + PIX + REST + "5903Eva" + LABEL), "DUPLICATE"),
    "key twice": (
        sealed(HEAD + "26340014br.gov.bcb.pix0104a@b.0104c@d." + REST + LABEL),
        "DUPLICATE",
    ),
    "two Pix templates": (sealed(HEAD + PIX + "27" + PIX[2:] + REST + LABEL), "DUPLICATE"),
    "two recurrences": (sealed(HEAD + PIX + REST + LABEL + RECURRENCE + "81" + RECURRENCE[2:]), "DUPLICATE"),
    "another version": (sealed("000202" + PIX + REST + LABEL), "FIELD"),
    "another currency": (sealed(HEAD + PIX + REST.replace("986", "840") + LABEL), "FIELD"),
    "another country": (sealed(HEAD + PIX + REST.replace("BR5", "PT5") + LABEL), "FIELD"),
    "category of letters": (sealed(HEAD + PIX + REST.replace("52040000", "5204abcd") + LABEL), "FIELD"),
    "initiation 13": (sealed(HEAD + "010213" + PIX + REST + LABEL), "FIELD"),
    "negative amount": (sealed(HEAD + PIX + REST.replace("5802", "5405-1.005802") + LABEL), "FIELD"),
    "amount with a comma": (sealed(HEAD + PIX + REST.replace("5802", "54041,005802") + LABEL), "FIELD"),
    "amount of three decimals": (sealed(HEAD + PIX + REST.replace("5802", "54051.0005802") + LABEL), "FIELD"),
    "location with a scheme": (
        sealed(HEAD + "26350014br.gov.bcb.pix2513https://a.b/x" + REST + LABEL),
        "FIELD",
    ),
    "location with a user": (sealed(HEAD + "26290014br.gov.bcb.pix2507u@a.b/x" + REST + LABEL), "FIELD"),
    "no name": (sealed(HEAD + PIX + REST.replace("5913Fulano de Tal", "") + LABEL), "MISSING"),
    "no city": (sealed(HEAD + PIX + REST.replace("6008BRASILIA", "") + LABEL), "MISSING"),
    "no category": (sealed(HEAD + PIX + REST.replace("52040000", "") + LABEL), "MISSING"),
    "no label": (sealed(HEAD + PIX + REST), "MISSING"),
    "name of 26": (sealed(HEAD + PIX + REST.replace("5913Fulano de Tal", "5926" + "x" * 26) + LABEL), "TOO_LONG"),
    "city of 16": (sealed(HEAD + PIX + REST.replace("6008BRASILIA", "6016" + "x" * 16) + LABEL), "TOO_LONG"),
    "label of 26": (sealed(HEAD + PIX + REST + "62300526" + "x" * 26), "TOO_LONG"),
    "no Pix template": (sealed(HEAD + "26160012BR.COM.OUTRO" + REST + LABEL), "PIX_TEMPLATE"),
    "Pix name only under 80": (sealed(HEAD + REST + LABEL + RECURRENCE), "PIX_TEMPLATE"),
    "neither key nor location": (sealed(HEAD + "26180014br.gov.bcb.pix" + REST + LABEL), "TARGET"),
    "key and location": (
        sealed(HEAD + "26370014br.gov.bcb.pix0104a@b.2507a.b/xyz" + REST + LABEL),
        "TARGET",
    ),
}


@in_one_test(("payload", "reason"), BROKEN.values(), ids=BROKEN)
def test_broken_payloads_are_refused(payload: str, reason: str) -> None:
    assert refusal(payload) == reason


def test_the_broken_payloads_start_from_a_good_one() -> None:
    assert decode(sealed(HEAD + PIX + REST + LABEL)) == FULANO
    assert decode(sealed(HEAD + PIX + REST + LABEL + RECURRENCE)).recurrence_location == "a.b/rec/abc"


@in_one_test(("written", "read"), [("10", "10.00"), ("10.5", "10.50"), ("10.", "10.00"), ("0.00", "0.00")])
def test_short_amounts_are_completed(written: str, read: str) -> None:
    assert (
        decode(sealed(HEAD + PIX + f"5204000053039865{'4'}{len(written):02d}{written}" + REST[15:] + LABEL)).amount == read
    )


def test_the_label_of_a_dynamic_code_says_nothing() -> None:
    dynamic = sealed(HEAD + "26290014br.gov.bcb.pix2507a.b/xyz" + REST + "62140510PEDIDO0001")
    assert decode(dynamic).txid is None


def test_a_recurrence_of_another_arrangement_is_none() -> None:
    other = sealed(HEAD + PIX + REST + LABEL + RECURRENCE.replace("br.gov", "br.com"))
    assert decode(other).recurrence_location is None


def test_the_recurrence_may_stand_in_any_unreserved_template() -> None:
    assert decode(sealed(HEAD + PIX + REST + LABEL + "99" + RECURRENCE[2:].upper())).recurrence_location == "A.B/REC/ABC"


UNWRITABLE = {
    "key and location": (replace(FULANO, location="a.b/x"), "TARGET"),
    "nothing to pay": (replace(FULANO, key=None), "TARGET"),
    "dynamic with txid": (replace(FULANO, key=None, location="a.b/x", txid="A1"), "FIELD"),
    "txid with a hyphen": (replace(FULANO, txid="A-1"), "FIELD"),
    "txid of 26": (replace(FULANO, txid="A" * 26), "FIELD"),
    "txid of stars": (replace(FULANO, txid="***"), "FIELD"),
    "amount without decimals": (replace(FULANO, amount="10"), "FIELD"),
    "amount of eleven digits": (replace(FULANO, amount="12345678901.00"), "FIELD"),
    "amount in other digits": (replace(FULANO, amount="\u0661.00"), "FIELD"),
    "category": (replace(FULANO, merchant_category="12"), "FIELD"),
    "location with a scheme": (replace(FULANO, key=None, location="https://a.b/x"), "FIELD"),
    "location of 78": (replace(FULANO, key=None, location="a.b/" + "x" * 74), "TOO_LONG"),
    "journey 2 with a description": (replace(AUTHORISE, description="Jornal"), "FIELD"),
    "journey 2 for one use": (replace(AUTHORISE, single_use=True), "FIELD"),
    "name of nothing printable": (replace(FULANO, merchant_name="支付"), "MISSING"),
    "empty city": (replace(FULANO, merchant_city=""), "MISSING"),
    "empty key": (replace(FULANO, key=""), "TOO_LONG"),
    "key of 78": (replace(FULANO, key="k" * 78), "TOO_LONG"),
    "key with an accent": (replace(FULANO, key="joão@example.com"), "CHARACTER"),
    "description without room": (replace(FULANO, description="x" * 38), "TOO_LONG"),
    "postal code of 11": (replace(FULANO, postal_code="1" * 11), "TOO_LONG"),
}


@in_one_test(("code", "reason"), UNWRITABLE.values(), ids=UNWRITABLE)
def test_unwritable_codes_are_refused(code: BrCode, reason: str) -> None:
    with pytest.raises(BrCodeError) as caught:
        encode(code)
    assert caught.value.reason == reason


def test_the_longest_code_fits() -> None:
    longest = BrCode(
        merchant_name="n" * 25,
        merchant_city="c" * 15,
        key="k" * 36,
        description="d" * 37,
        recurrence_location="a.b/" + "x" * 73,
        amount="9999999999.99",
        txid="t" * 25,
        postal_code="1" * 10,
        single_use=True,
    )
    assert len(encode(longest)) == 359
    assert decode(encode(longest)) == longest


@in_one_test(("key", "room"), [("k" * 77, 0), (EVP, 37), ("+5561912345678", 59)])
def test_description_room(key: str, room: int) -> None:
    assert description_room(key) == room
    if room:
        assert decode(encode(replace(FULANO, key=key, description="x" * room))).description == "x" * room
    with pytest.raises(BrCodeError):
        encode(replace(FULANO, key=key, description="x" * (room + 1)))


@in_one_test(
    ("text", "limit", "plain"),
    [
        ("São Paulo", 15, "Sao Paulo"),
        ("AÇAÍ & CIA ÓTIMA", 25, "ACAI & CIA OTIMA"),
        ("Padaria 3ª Avenida nº 1", 25, "Padaria 3a Avenida no 1"),
        ("São José dos Campos", 15, "Sao Jose dos Ca"),
        ("abc def", 4, "abc"),
        ("  Loja\u200b do\nZé ✓ ", 25, "Loja doZe"),
        ("ação", 4, "acao"),
    ],
)
def test_text_is_reduced_to_ascii_before_it_is_cut(text: str, limit: int, plain: str) -> None:
    assert ascii_text(text, limit) == plain


def test_names_are_counted_after_their_accents_are_gone() -> None:
    code = decode(
        encode(replace(FULANO, merchant_name="Associação dos Pães e Açúcares", merchant_city="São José dos Campos"))
    )
    assert (code.merchant_name, code.merchant_city) == ("Associacao dos Paes e Acu", "Sao Jose dos Ca")


printable = st.characters(min_codepoint=32, max_codepoint=126)


def line(limit: int) -> st.SearchStrategy[str]:
    return st.text(printable, min_size=1, max_size=limit).map(str.strip).filter(bool)


locations = st.from_regex(r"[a-z0-9]{1,10}\.[a-z]{2,3}(:[0-9]{1,5})?/[!-~]{1,50}", fullmatch=True)
amounts = st.integers(0, 10**12 - 1).map(lambda cents: f"{cents // 100}.{cents % 100:02d}")
shared = {
    "merchant_name": line(25),
    "merchant_city": line(15),
    "amount": st.none() | amounts,
    "merchant_category": st.from_regex(r"[0-9]{4}", fullmatch=True),
    "postal_code": st.none() | line(10),
    "recurrence_location": st.none() | locations,
}
codes = st.one_of(
    st.builds(
        BrCode,
        key=line(40),
        description=st.none() | line(33),
        txid=st.none() | st.from_regex(r"[A-Za-z0-9]{1,25}", fullmatch=True),
        single_use=st.booleans(),
        **shared,
    ),
    st.builds(BrCode, location=locations, single_use=st.booleans(), **shared),
    st.builds(BrCode, **(shared | {"recurrence_location": locations})),
)


@given(codes)
def test_what_is_encoded_decodes_to_itself(code: BrCode) -> None:
    payload = encode(code)
    assert len(payload) <= 512
    assert decode(payload) == code


@given(codes, st.data())
def test_any_changed_character_is_refused(code: BrCode, data: st.DataObject) -> None:
    payload = encode(code)
    at = data.draw(st.integers(0, len(payload) - 1))
    other = data.draw(st.characters(max_codepoint=0x17F).filter(lambda character: character != payload[at]))
    # The four check digits alone mean the same in both cases.
    if at >= len(payload) - 4 and other.upper() == payload[at]:
        return
    with pytest.raises(BrCodeError):
        decode(payload[:at] + other + payload[at + 1 :])


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=120).map(lambda text: sealed("000201" + text)))
def test_nothing_but_a_br_code_error_leaves_the_reader(payload: str) -> None:
    try:
        decode(payload)
    except BrCodeError:
        return


@given(st.text(max_size=60), st.integers(1, 30))
def test_reduced_text_is_printable_and_stays_as_it_is(text: str, limit: int) -> None:
    plain = ascii_text(text, limit)
    assert len(plain) <= limit
    assert plain.isascii()
    assert plain == "" or plain.isprintable()
    assert ascii_text(plain, limit) == plain
