"""Devoluções: asked for by the customer, made by a person at the bank's console, or taken by the MED.

Each goes to the payer over the network (pacs.004). Source: API Pix 2.9.0, PUT /pix/{e2eid}/devolucao/{id} and its
violations; DevolucaoNatureza.
"""

from lastro.standards import pix_ids
from lastro_sim import faults
from lastro_sim.clock import DAY, moment
from lastro_sim.network import Network
from lastro_sim.settings import COMPANY_BANK_ISPB
from lastro_sim.spi import returns as giving_back

from . import notices, received
from .calls import Answer, Call, Row
from .problems import Violation, invalid, not_found
from .reading import RETURN_ID, Body

FAULTS = "bank_return"
BEHAVIOURS = frozenset({"slow", "reject"})
OPERATION, UNKNOWN = "PixDevolucaoInvalida", "PixDevolucaoNaoEncontrada"
PROCESSING, DONE, NOT_DONE = "EM_PROCESSAMENTO", "DEVOLVIDO", "NAO_REALIZADO"
ORIGINAL, WITHDRAWAL = "ORIGINAL", "RETIRADA"
# The reason of each nature in the pacs.004; a refund of Pix Automático is a payment of its own, told here as a return.
REASONS = {
    ORIGINAL: "MD06", WITHDRAWAL: "SL02", "MED_OPERACIONAL": "BE08", "MED_FRAUDE": "FR01", "MED_PIX_AUTOMATICO": "MD06",
}  # fmt: skip
BY_MED = frozenset({"MED_OPERACIONAL", "MED_FRAUDE", "MED_PIX_AUTOMATICO"})
WINDOW = 90 * DAY
BANKS_COMPANY_NUMBER = 0
REJECTED = "Conta do usuário pagador encerrada."


def put(call: Call) -> Answer:
    """PUT /pix/{e2eid}/devolucao/{id}. The same again is answered as it stands; another under the same id is refused."""
    form = Body.of(call, OPERATION, "devolucao")
    name = call.parameters["id"]
    if RETURN_ID.fullmatch(name) is None:
        form.refuse("id", value=name)
    form.require("valor")
    cents, nature = form.amount("valor"), form.choice("natureza", (ORIGINAL, WITHDRAWAL)) or ORIGINAL
    description = form.text("descricao", 140)
    form.check()
    pix = received.found(call)
    known = find(call.network, pix["end_to_end_id"], name)
    if known is not None:
        if (known["amount"], known["nature"], known["description"]) != (cents, nature, description):
            reason = "apresenta um {id} já utilizado por outra requisição de devolução para o {e2eid} em questão."
            raise _refused(f"A presente requisição de devolução {reason}", "devolucao.id", name)
        return Answer(200, received.shown_return(known))
    _check(call.network, pix, cents or 0, nature)
    about = {"endToEndId": pix["end_to_end_id"], "returnId": name, "clientId": call.customer.client_id}
    slow = faults.strike(call.network, FAULTS, about, {"slow"})
    fails = faults.strike(call.network, FAULTS, about, {"reject"})
    made = give_back(
        call.network, pix, name, cents or 0, nature, description, lasts=None if slow is None else slow.delay,
        fails=None if fails is None else fails.code or REJECTED,
    )  # fmt: skip
    return Answer(201, received.shown_return(made))


def one(call: Call) -> Answer:
    """GET /pix/{e2eid}/devolucao/{id}."""
    known = find(call.network, received.found(call)["end_to_end_id"], call.parameters["id"])
    if known is None:
        raise not_found(UNKNOWN)
    return Answer(200, received.shown_return(known))


def find(network: Network, end_to_end_id: str, name: str) -> Row | None:
    """Returns a return by its id."""
    return network.store.find("bank_return", end_to_end_id=end_to_end_id, id=name)


def left(network: Network, pix: Row) -> int:
    """Returns the cents of a Pix that are left; those on their way are not."""
    rows = network.store.every("bank_return", end_to_end_id=pix["end_to_end_id"])
    rest: int = pix["amount"] - sum(row["amount"] for row in rows if row["status"] != NOT_DONE)
    return rest


def give_back(
    network: Network, pix: Row, name: str, cents: int, nature: str, description: str | None,
    *, lasts: int | None = None, fails: str | None = None,
) -> Row:  # fmt: skip
    """Takes a return. lasts: business microseconds until its end, None: at once. fails: why it will not be done."""
    now = network.clock.business()
    number = network.store.next_number("return")
    network.store.insert(
        "bank_return", end_to_end_id=pix["end_to_end_id"], id=name, amount=cents, nature=nature, description=description,
        return_id=pix_ids.return_id(COMPANY_BANK_ISPB, moment(now), BANKS_COMPANY_NUMBER, number),
        status=PROCESSING, requested_at=now, fails=fails, due_at=None if lasts is None else now + lasts,
    )  # fmt: skip
    made = network.store.get("bank_return", end_to_end_id=pix["end_to_end_id"], id=name)
    if lasts is None:
        end_due(network, made)
    else:
        network.bells.ring("timer")
    return network.store.get("bank_return", seq=made["seq"])


def end_due(network: Network, row: Row) -> None:
    """Ends a return: the payer has the money, or it could not be done."""
    if row["fails"] is not None:
        network.store.change("bank_return", row, status=NOT_DONE, reason=row["fails"], due_at=None)
        notices.tell(network, network.store.get("bank_pix", end_to_end_id=row["end_to_end_id"]))
        return
    network.store.change("bank_return", row, status=DONE, settled_at=network.clock.business(), due_at=None)
    asked = giving_back.Return(
        row["return_id"], row["end_to_end_id"], COMPANY_BANK_ISPB, row["amount"], REASONS[row["nature"]], row["description"]
    )
    giving_back.give_back(network, asked, None)
    notices.tell(network, network.store.get("bank_pix", end_to_end_id=row["end_to_end_id"]))


def _check(network: Network, pix: Row, cents: int, nature: str) -> None:
    """Refuses what may not be given back."""
    if cents == 0:
        raise _refused("O campo devolucao.valor é zero.", "devolucao.valor", "0.00")
    if nature == WITHDRAWAL:
        raise _refused("O Pix não é um Pix Saque ou Troco.", "devolucao.natureza", nature)
    if network.clock.business() - pix["settled_at"] > WINDOW:
        raise _refused("A devolução viola a janela de tempo de 90 dias.", "devolucao", None)
    if cents > left(network, pix):
        raise _refused("As devoluções excederiam o valor do Pix originário.", "devolucao.valor", None)


def _refused(reason: str, field: str, value: str | None) -> Exception:
    return invalid(OPERATION, Violation(reason, field, value))
