from pathlib import Path

import pytest
from tests.in_one import in_one_test

from lastro.standards import banks
from lastro.standards.banks import Bank, BankList, packaged, read_list, read_participants
from lastro.standards.pix_ids import is_ispb

STR_HEAD = "ISPB,Nome_Reduzido,Número_Código,Participa_da_Compe,Acesso_Principal,Nome_Extenso,Início_da_Operação"
STR_FILE = f"""{STR_HEAD}
00000000,BCO DO BRASIL S.A.,001,Sim,RSFN,Banco do Brasil S.A.                     ,22/04/2002
00038166,Bacen,n/a,Não,RSFN,Banco Central do Brasil,22/04/2002
00122327,SANTINVEST S.A. - CFI,539,Não,RSFN,"SANTINVEST S.A. - CREDITO, FINANCIAMENTO E INVESTIMENTOS",17/04/2023
60701190,ITAÚ UNIBANCO S.A.,341,Sim,RSFN,ITAÚ UNIBANCO S.A.,22/04/2002
"""
PIX_HEAD = " ;Nome Reduzido;ISPB;CNPJ;Tipo de Instituição;Autorizada pelo BCB;Modalidade de Participação no Pix"
PIX_FILE = f"""Lista de participantes ativos do Pix
{PIX_HEAD}
1;99PAY IP S.A.;24313102;24.313.102/0001-25;Instituição de Pagamento;Sim;Provedor de Conta Transacional
2;ACCESSTAGE IP LTDA.;;46.410.407/0001-98;Instituição de Pagamento;Sim;Iniciador
3;ITAÚ UNIBANCO S.A.;60701190;60.701.190/0001-04;Banco Múltiplo;Sim;Provedor de Conta Transacional
;;;;;;
Lista de instituições em processo de adesão ao Pix
 ;Nome Reduzido;ISPB;CNPJ;Tipo de Instituição;Status da adesão
1;BANCO QUE VEM;12345678;12.345.678/0001-95;Banco;Em análise
"""
BRASIL = Bank("00000000", "001", "BCO DO BRASIL S.A.", "Banco do Brasil S.A.", in_str=True, in_pix=False)
BACEN = Bank("00038166", None, "Bacen", "Banco Central do Brasil", in_str=True, in_pix=False)
COMMA = Bank(
    "00122327", "539", "SANTINVEST S.A. - CFI", "SANTINVEST S.A. - CREDITO, FINANCIAMENTO E INVESTIMENTOS",
    in_str=True, in_pix=False,
)  # fmt: skip
ITAU = Bank("60701190", "341", "ITAÚ UNIBANCO S.A.", "ITAÚ UNIBANCO S.A.", in_str=True, in_pix=False)
PAY = Bank("24313102", None, "99PAY IP S.A.", "99PAY IP S.A.", in_str=False, in_pix=True)


@in_one_test(
    ("compe", "ispb", "name"),
    [
        ("001", "00000000", "brasil"), ("033", "90400888", "santander"), ("070", "00000208", "brb"),
        ("077", "00416968", "inter"), ("104", "00360305", "caixa"), ("136", "00315557", "unicred"),
        ("237", "60746948", "bradesco"), ("260", "18236120", "nu pagamentos"), ("341", "60701190", "itau"),
    ],
)  # fmt: skip
def test_the_banks_that_everybody_knows(compe: str, ispb: str, name: str) -> None:
    bank = packaged().by_compe(compe)
    assert bank is not None
    assert bank == packaged().by_ispb(ispb)
    assert name in banks.folded(bank.short_name)
    assert bank.in_str
    assert bank.in_pix


def test_the_list_that_comes_with_the_code() -> None:
    listed = packaged().all_banks()
    assert len(listed) > 1_000
    assert 450 < sum(bank.compe is not None for bank in listed) < 520  # some 468 in June 2026
    assert list(listed) == sorted(listed)
    for bank in listed:
        assert is_ispb(bank.ispb)
        assert bank.short_name == " ".join(bank.short_name.split()) != ""
        assert bank.name == " ".join(bank.name.split()) != ""
        assert bank.in_str or bank.in_pix
        assert bank.compe is None or bank.in_str


def test_the_simulated_banks_are_none_of_them() -> None:
    for ispb, compe in (("99999010", "990"), ("99999020", "991"), ("99999030", "992")):
        assert packaged().by_ispb(ispb) is None
        assert packaged().by_compe(compe) is None


@in_one_test("code", ["", "1", "01", "0001", "999", "001 ", "\uff10\uff10\uff11"])
def test_no_bank_has_this_compe_number(code: str) -> None:
    assert packaged().by_compe(code) is None


@in_one_test("code", ["", "0", "208", "0000020", "000002080", "0000020a"])
def test_no_bank_has_this_ispb(code: str) -> None:
    assert packaged().by_ispb(code) is None


def test_what_is_written_is_read_again() -> None:
    text = (Path(banks.__file__).with_name("banks.csv")).read_text(encoding="utf-8")
    assert packaged().text() == text
    assert read_list(text).all_banks() == packaged().all_banks()
    with pytest.raises(ValueError, match="no bank list"):
        read_list(STR_FILE)


@in_one_test(
    "content",
    [
        STR_FILE.encode(),
        STR_FILE.encode("utf-8-sig"),
        STR_FILE.encode("latin-1"),
        STR_FILE.replace("\n", "\r\n").encode(),
        STR_FILE.replace('"', "").replace("CREDITO, F", "CREDITO~ F").replace(",", ";").replace("~", ",").encode("latin-1"),
        STR_FILE.replace("\n00000000,", "\n0,").replace(",001,", ",1,").replace("\n00038166", "\n38166").encode(),
        STR_FILE.replace("Número_Código", "Numero_Codigo").replace("n/a", "").encode(),
        f"Participantes do STR\n\n{STR_FILE}\n,,,,,,\n".encode(),
    ],
    ids=["as it is", "with a mark", "Latin-1", "Windows lines", "semicolons", "zeros lost", "no accents", "a title"],
)
def test_the_list_of_the_str_is_read_however_it_was_saved(content: bytes) -> None:
    assert read_participants(content) == ("STR", (BRASIL, BACEN, COMMA, ITAU))


@in_one_test("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_the_list_of_pix_ends_where_others_are_about_to_join(encoding: str) -> None:
    alone = ITAU._replace(compe=None, in_str=False, in_pix=True)
    assert read_participants(PIX_FILE.encode(encoding)) == ("PIX", (PAY, alone))


def test_an_ispb_may_have_letters() -> None:
    (bank,) = read_participants(f"{STR_HEAD}\n12ABC345,BANCO NOVO,888,Sim,RSFN,Banco Novo S.A.,1/1/2027\n".encode()).banks
    assert bank.ispb == "12ABC345"


@in_one_test(
    ("content", "why"),
    [
        (b"", "names the columns"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "names the columns"),
        (b"code,name\n001,Banco do Brasil\n", "names the columns"),
        (b"ISPB,Nome_Reduzido\n00000000,BB\n", "neither the list"),
        (STR_HEAD.encode(), "names no bank"),
        (STR_FILE.replace("341", "001").encode(), "COMPE number 001"),
        (STR_FILE.replace("60701190", "00000000").encode(), "ISPB 00000000"),
        (STR_FILE.replace("341", "34X").encode(), "no COMPE number"),
        (STR_FILE.replace("60701190,ITAÚ UNIBANCO S.A.", "60701190,").encode(), "no bank can be made"),
        (STR_FILE.replace("60701190", "6070119-").encode(), "no bank can be made"),
        (STR_FILE.replace("60701190", "").encode(), "no bank can be made"),
    ],
)
def test_what_is_no_list_of_the_central_banks_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_participants(content)


@in_one_test(
    ("known", "given", "after"),
    [
        ([], STR_FILE, [BRASIL, BACEN, COMMA, ITAU]),
        ([PAY], STR_FILE, [BRASIL, BACEN, COMMA, PAY, ITAU]),
        ([BRASIL, ITAU], PIX_FILE, [BRASIL, PAY, ITAU._replace(in_pix=True)]),
        ([BRASIL._replace(in_pix=True)], PIX_FILE, [BRASIL, PAY, ITAU._replace(compe=None, in_str=False, in_pix=True)]),
        ([PAY._replace(ispb="11111111")], PIX_FILE, [PAY, ITAU._replace(compe=None, in_str=False, in_pix=True)]),
        ([PAY._replace(name="Old", short_name="Old"), ITAU], PIX_FILE, [PAY, ITAU._replace(in_pix=True)]),
        (
            [ITAU._replace(compe="340", name="Old", in_pix=True), Bank("11111111", "341", "Gone", "Gone", in_str=True, in_pix=True)],
            STR_FILE,
            [BRASIL, BACEN, COMMA, Bank("11111111", None, "Gone", "Gone", in_str=False, in_pix=True), ITAU._replace(in_pix=True)],
        ),
        ([Bank("11111111", "111", "Gone", "Gone", in_str=True, in_pix=False)], STR_FILE, [BRASIL, BACEN, COMMA, ITAU]),
    ],
    ids=[
        "none yet", "who is in Pix alone stays", "who is in Pix now", "who is in Pix no more", "who is nowhere now",
        "names of Pix", "a number that went to another", "who left the STR and was nowhere else",
    ],
)  # fmt: skip
def test_a_newer_list_renews_its_own_part(known: list[Bank], given: str, after: list[Bank]) -> None:
    assert list(BankList(known).renewed(read_participants(given.encode())).all_banks()) == sorted(after)


def test_others_are_known_in_the_place_of_those_with_their_codes() -> None:
    sandbox = Bank("99999010", "341", "SANDBOX", "SANDBOX", in_str=True, in_pix=True)
    joined = BankList([BRASIL, ITAU, PAY]).joined([sandbox, PAY._replace(name="Ours")])
    assert joined.all_banks() == (BRASIL, PAY._replace(name="Ours"), sandbox)
    assert joined.by_compe("341") == sandbox


@in_one_test(("name", "found"), [("ITAÚ", "itau"), ("São João", "sao joao"), ("\u0301", "")])
def test_names_are_looked_for_without_accents(name: str, found: str) -> None:
    assert banks.folded(name) == found


@in_one_test("code", ["0", "00", "000"])
def test_a_code_of_zeros_is_none(code: str) -> None:
    """Lists made with a spreadsheet say so of many institutions, and no two of them share a number."""
    rows = [f"{ispb},Um,{code},Não,RSFN,Um,22/04/2002" for ispb in ("00038166", "00122327")]
    assert [bank.compe for bank in read_participants("\n".join([STR_HEAD, *rows]).encode()).banks] == [None, None]
