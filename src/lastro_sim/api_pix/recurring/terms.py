"""Terms of recurrences and of scheduled charges, as they are asked for. Source: API Pix 2.9.0, RecBase and CobRBase."""

import re
from datetime import date
from typing import Any

from lastro_sim import amounts
from lastro_sim.api_pix.reading import CNPJ, CPF, TX_ID, Body

PERIODS = {
    "SEMANAL": "WEEKLY", "MENSAL": "MONTHLY", "TRIMESTRAL": "QUARTERLY", "SEMESTRAL": "SEMIANNUAL", "ANUAL": "ANNUAL",
}  # fmt: skip
POLICIES = ("NAO_PERMITE", "PERMITE_3R_7D")
ACCOUNT_TYPES = ("CORRENTE", "POUPANCA", "PAGAMENTO")
LONGEST_NAME, LONGEST_CONTRACT, LONGEST_ACCOUNT = 140, 35, 20
_DEBTOR = {"email": 254, "logradouro": 200, "cidade": 200, "uf": 2, "cep": 8}
SOMETHING, AGREEMENT = re.compile(r".+", re.DOTALL), re.compile(r".{0,60}", re.DOTALL)
ID_REC, ISPB = re.compile(r"[a-zA-Z0-9]{29}"), re.compile(r"[0-9A-Z]{8}")
Terms = dict[str, Any]


def of_recurrence(form: Body, today: date) -> Terms:
    """Reads the terms of a new recurrence."""
    form.require("vinculo", "calendario", "politicaRetentativa")
    terms: Terms = {}
    if (link := form.child("vinculo")) is not None:
        terms["vinculo"] = _link(link)
    if (calendar := form.child("calendario")) is not None:
        terms["calendario"] = _calendar(calendar, today)
    if (value := form.child("valor")) is not None and (read := _amounts(value)):
        terms["valor"] = read
    terms["politicaRetentativa"] = form.choice("politicaRetentativa", POLICIES)
    receiver = form.child("recebedor")
    agreement = None if receiver is None else receiver.text("convenio", 60)
    return terms if agreement is None else terms | {"convenio": agreement}


def starts_on(form: Body, today: date) -> str | None:
    """Reads the first day of a recurrence; it may not be over."""
    day = form.day("dataInicial")
    if day is not None and day < today:
        form.refuse("dataInicial", "é anterior à data de criação da recorrência.", day.isoformat())
    return None if day is None else day.isoformat()


def first_tx_id(form: Body) -> str | None:
    """Reads the txid of the charge whose payment authorizes the recurrence."""
    activation = form.child("ativacao")
    journey = None if activation is None else activation.child("dadosJornada")
    if journey is None:
        return None
    journey.require("txid")
    return journey.text("txid", 35, TX_ID)


def of_charge(form: Body, today: date) -> Terms:
    """Reads the terms of a scheduled charge."""
    form.require("idRec", "calendario", "valor", "ajusteDiaUtil", "recebedor")
    terms: Terms = {"idRec": form.text("idRec", 29, ID_REC)}
    if (calendar := form.child("calendario")) is not None:
        calendar.require("dataDeVencimento")
        due_on = calendar.day("dataDeVencimento")
        if due_on is not None and due_on < today:
            calendar.refuse("dataDeVencimento", "é anterior à data de criação da cobrança.", due_on.isoformat())
        terms["calendario"] = {"dataDeVencimento": None if due_on is None else due_on.isoformat()}
    if (value := form.child("valor")) is not None:
        value.require("original")
        terms["valor"] = {"original": _positive(value, "original")}
    terms["ajusteDiaUtil"] = form.flag("ajusteDiaUtil")
    terms["infoAdicional"] = form.text("infoAdicional", 140)
    if (debtor := form.child("devedor")) is not None:
        terms["devedor"] = _given({name: debtor.text(name, longest) for name, longest in _DEBTOR.items()})
    if (receiver := form.child("recebedor")) is not None:
        receiver.require("conta", "tipoConta")
        account, kind = receiver.text("conta", LONGEST_ACCOUNT), receiver.choice("tipoConta", ACCOUNT_TYPES)
        terms["recebedor"] = _given({"agencia": receiver.text("agencia", 4), "conta": account, "tipoConta": kind})
    return _given(terms)


def person(form: Body) -> Terms:
    """Reads either a CPF or a CNPJ, and not both."""
    if form.has("cpf") == form.has("cnpj"):
        form.refuse("", "deve ter ou cpf ou cnpj, e não ambos.")
    return _given({"cpf": form.text("cpf", 11, CPF), "cnpj": form.text("cnpj", 14, CNPJ)})


def _link(form: Body) -> Terms:
    form.require("contrato", "devedor")
    said = _given({"contrato": form.text("contrato", LONGEST_CONTRACT, SOMETHING), "objeto": form.text("objeto", 35)})
    debtor = form.child("devedor")
    if debtor is None:
        return said
    debtor.require("nome")
    return said | {"devedor": person(debtor) | _given({"nome": debtor.text("nome", LONGEST_NAME, SOMETHING)})}


def _calendar(form: Body, today: date) -> Terms:
    form.require("dataInicial", "periodicidade")
    begins, ends = starts_on(form, today), form.day("dataFinal")
    if begins is not None and ends is not None and ends.isoformat() < begins:
        form.refuse("dataFinal", "é anterior ao campo rec.calendario.dataInicial.", ends.isoformat())
    last = None if ends is None else ends.isoformat()
    return _given({"dataInicial": begins, "dataFinal": last, "periodicidade": form.choice("periodicidade", PERIODS)})


def _amounts(form: Body) -> Terms:
    if form.has("valorRec") and form.has("valorMinimoRecebedor"):
        form.refuse("", "tem ambos os campos valorRec e valorMinimoRecebedor preenchidos.")
    return _given({name: _positive(form, name) for name in ("valorRec", "valorMinimoRecebedor")})


def _positive(form: Body, name: str) -> str | None:
    cents = form.amount(name)
    if cents == 0:
        form.refuse(name, "é zero.", "0.00")
    return None if cents is None else amounts.printed(cents)


def _given(said: Terms) -> Terms:
    return {name: value for name, value in said.items() if value is not None}
