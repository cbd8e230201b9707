"""The payer's bank collects charges.

It judges an instruction when it comes, and pays it on its day in one of two windows. It checks the balance on that day
only, since the payer is told of a charge to come and may pay money in. Everything else is answered at once, an amount
above the payer's maximum too (AM02, as CELCOIN and WOOVI publish it). A charge that failed on its day is taken once more
that day (RIFL, IN BCB 614/2025 art. 5 §4). Each endToEndId is paid once.
"""

import json
import sqlite3
from datetime import date, time, timedelta

from lastro.standards import calendar, recurrence_ids
from lastro_sim import faults, scenarios
from lastro_sim.clock import counted, moment
from lastro_sim.network import Network
from lastro_sim.settings import PAYER_BANK_ISPB, SIMULATED_BANKS
from lastro_sim.spi import authorizations, instructions, payments, payouts
from lastro_sim.spi.instructions import NEW_TRY, SENT_AGAIN, Instruction

from . import cycles, payers, recurrences
from .paying import new_end_to_end_id
from .recurrences import Recurrence

# Lead times are those that institutions publish, with the looser one where they differ; retries are the Central Bank's
# (PERMITE_3R_7D).
EARLIEST_DAYS, LATEST_DAYS = 10, 2
RETRIES, RETRY_DAYS = 3, 7
AT_ONCE = 200  # payments in progress: a bank works through its list while the window is open
NO_MONEY, ABOVE_LIMIT, BLOCKED = "EXPR", "AM02", "AC06"
BANK_FAILED = "AB10"
OTHER_CHARGE, OTHER_DAY = "NITX", "DTED"
# A try refused with one of these rejects its whole charge (API Pix 2.9.0, CobRTentativas.rejeicao.codigo).
REJECT_THE_CHARGE = frozenset({"AC05", "AM09", "DENC", "DS27", "DTED", "MIDI", "MSUC", "NITX", "RC09"})
# Operational failures: the receiver's institution sends it again the same day (IN BCB 614/2025 art. 5 §4).
OPERATIONAL = frozenset({"AB03", "AB09", "AB10", "AB11", "ED05"})
# Found on the day, without a second window of the same try.
ENDS_AT_ONCE = frozenset({"AC05"}) | OPERATIONAL


def take(network: Network, ispb: str, asked: Instruction) -> None:
    """Schedules a new instruction, or refuses it by the first broken rule."""
    fault = faults.strike(network, "charge", asked.about, faults.in_process("charge")) or _magic(network, asked)
    code = refused(network, ispb, asked)
    if code is None and fault is not None and fault.behaviour == "reject":
        code = fault.code or BANK_FAILED
    held = authorizations.held(network, asked.id_rec)
    if code is not None or held is None:
        instructions.keep_refused(network, ispb, asked, code or "MSUC", fault)
        return
    # An instruction sent again on its day is tried at once, and waits by itself for the next window.
    first = max(_at(asked.settles_on, network.settings.charge_hours.first_tried), network.clock.business())
    name = new_end_to_end_id(network)
    instructions.keep_scheduled(network, ispb, asked, authorizations.payer_of(held), name, first, fault)


def refused(network: Network, ispb: str, asked: Instruction) -> str | None:
    """Returns the code for refusing an instruction; None if the bank schedules it.

    Codes are those of API Pix 2.9.0 and of institutions, whose publications define them.
    """
    if asked.payer_ispb != PAYER_BANK_ISPB:
        return "RC09"
    newest, known = authorizations.newest(network, asked.id_rec), recurrences.known(network, asked.id_rec)
    if newest is None or known is None or newest["receiver"] != ispb:
        return "MIDI"
    held, recurrence = authorizations.held(network, asked.id_rec), known[1]
    if held is None:
        return "MSUC"
    if asked.payer_document != authorizations.payer_of(held)["document"]["number"]:
        return "DENC"
    if asked.receiver["document"]["number"] != recurrence.receiver_document:
        return "CRNC"
    if recurrence.amount is not None and asked.amount != recurrence.amount:
        return "AM09"
    if held["maximum"] is not None and asked.amount > held["maximum"]:
        return ABOVE_LIMIT
    return _refused_by_date(recurrence, asked) or _refused_by_others(network, recurrence, asked)


def _refused_by_date(recurrence: Recurrence, asked: Instruction) -> str | None:
    """Refuses a due date outside its cycle, or a wrong settlement day.

    A first try is on the due date or on the next business day, a later one before the next cycle. API Pix 2.9.0,
    `ajusteDiaUtil`: the planned settlement moves to the next business day where the due date is none. DTED for another day
    is inferred from that code's sentence (it does not fit the recurrence).
    """
    starts_on = date.fromisoformat(recurrence.starts_on)
    number = cycles.of(starts_on, recurrence.frequency, asked.due_on)
    over = recurrence.ends_on is not None and asked.due_on > date.fromisoformat(recurrence.ends_on)
    if number is None or over or asked.settles_on < asked.due_on:
        return "DTED"
    if asked.kind == SENT_AGAIN:
        return None  # for the day of the try that failed, as `_refused_again` sees to
    if asked.kind != NEW_TRY:
        fits = asked.settles_on in {asked.due_on, calendar.next_business_day(asked.due_on)}
        return None if fits else "DTED"
    return "DTED" if asked.settles_on >= cycles.begins(starts_on, recurrence.frequency, number + 1) else None


def _refused_by_others(network: Network, recurrence: Recurrence, asked: Instruction) -> str | None:
    """Refuses by earlier instructions: one charge a cycle, one open order, three tries.

    The three tries lie within seven days.
    """
    earlier = instructions.of_charge(network, asked.id_rec, asked.tx_id)
    statuses = {row["status"] for row in earlier}
    if "SETTLED" in statuses:
        return "NIPA"
    if "SCHEDULED" in statuses:
        return "NIEC"
    if any(row["code"] in REJECT_THE_CHARGE for row in earlier):
        return OTHER_CHARGE  # the charge is rejected: only another one may follow it
    cycle = _cycle_of(recurrence, asked.due_on)
    others = [row for row in network.store.every("instruction", id_rec=asked.id_rec) if row["tx_id"] != asked.tx_id]
    if any(_takes_its_cycle(row) and _cycle_of(recurrence, date.fromisoformat(row["due_on"])) == cycle for row in others):
        return OTHER_DAY
    if asked.kind == SENT_AGAIN:
        return _refused_again(network, earlier, asked)
    today = calendar.brasilia_day(moment(network.clock.business()))
    ahead = (asked.settles_on - today).days
    if asked.kind == NEW_TRY:
        return _refused_retry(earlier, asked) or ("FCD2" if ahead < 1 else None)
    if ahead > EARLIEST_DAYS:
        return "FCD1"
    return "FCD2" if ahead < LATEST_DAYS else None


def _takes_its_cycle(row: sqlite3.Row) -> bool:
    """Tells whether an instruction's charge bars other charges from the cycle.

    A charge does while it is neither rejected nor cancelled (API Pix 2.9.0, CobR). A scheduled one that found no money is
    EXPIRADA, which is neither.
    """
    if row["status"] != "RJCT":
        return row["status"] in {"SCHEDULED", "SETTLED"}
    return row["end_to_end_id"] is not None and row["code"] not in REJECT_THE_CHARGE


def _refused_again(network: Network, earlier: list[sqlite3.Row], asked: Instruction) -> str | None:
    """Refuses to repeat a failed charge with other fields or too late.

    It keeps the day: in time to be scheduled, or on that day until its last window closes.
    """
    last = earlier[-1] if earlier else None
    if last is None or last["code"] not in OPERATIONAL or last["status"] != "RJCT":
        return OTHER_CHARGE
    same = (asked.amount, asked.due_on.isoformat(), asked.settles_on.isoformat())
    if (last["amount"], last["due_on"], last["settles_on"]) != same:
        return OTHER_CHARGE
    now = network.clock.business()
    today = calendar.brasilia_day(moment(now))
    if today >= asked.settles_on:
        return None if now < _at(asked.settles_on, network.settings.charge_hours.second_closes) else "FCD2"
    is_retry = any(row["kind"] == NEW_TRY and row["settles_on"] == last["settles_on"] for row in earlier)
    return "FCD2" if not is_retry and (asked.settles_on - today).days < LATEST_DAYS else None


def _refused_retry(earlier: list[sqlite3.Row], asked: Instruction) -> str | None:
    found = recurrence_ids.read_recurrence_id(asked.id_rec)
    if found is None or not found.retries:
        return "IRNT"
    scheduled = [row for row in earlier if row["end_to_end_id"] is not None]
    same = [row for row in scheduled if (row["amount"], row["due_on"]) == (asked.amount, asked.due_on.isoformat())]
    day = asked.settles_on.isoformat()
    if not scheduled or len(same) != len(scheduled) or day <= max(row["settles_on"] for row in scheduled):
        return "NITX"
    # DTNT: "from D+8, due date = D0" (Woovi's table of codes): the original due date, wherever it was adjusted to.
    if asked.settles_on > asked.due_on + timedelta(days=RETRY_DAYS):
        return "DTNT"
    return "QUNT" if sum(row["kind"] == NEW_TRY for row in scheduled) >= RETRIES else None


def cancel_for_receiver(network: Network, ispb: str, asked: instructions.CancellationInstruction) -> None:
    """Cancels an instruction for the receiver, in time or not."""
    row, until = instructions.find(network, asked.instruction), network.settings.charge_hours.receiver_cancels
    # From the day of the first try on the receiver cancels nothing (API Pix 2.9.0, PATCH /cobr), a later try neither.
    too_late = row is not None and _is_past(network, instructions.of_charge(network, row["id_rec"], row["tx_id"])[0], until)
    fault = faults.strike(network, "cancellation", asked.about, authorizations.OF_RECEIVERS_CANCELLATIONS)
    instructions.cancel_for_receiver(network, ispb, asked, too_late=too_late, fault=fault)


def payer_is_late(network: Network, row: sqlite3.Row) -> bool:
    """Tells whether the payer's time for cancelling an instruction has passed."""
    return _is_past(network, row, network.settings.charge_hours.payer_cancels)


def room(network: Network) -> int:
    """Counts the payments that may start; without room the end of a payment wakes the timer."""
    return max(AT_ONCE - instructions.being_paid(network), 0)


def end_due(network: Network, row: sqlite3.Row) -> None:
    """Pays a scheduled charge, leaves it for later, or refuses it. It is refused when the day is over."""
    hours, now = network.settings.charge_hours, network.clock.business()
    day = date.fromisoformat(row["settles_on"])
    closes, second = _at(day, hours.second_closes), _at(day, hours.second_opens)
    if now >= closes:
        # A bank that was down all day has failed; nobody lacked money.
        instructions.refuse(network, row, row["unpaid"] or BANK_FAILED)
        return
    if _at(day, hours.first_closes) <= now < second:
        instructions.wait(network, row, "SECOND", _at(day, hours.second_tried), None)
        return
    is_second = now >= second
    why = _unpaid(row, is_second=is_second)
    if why is None:
        _pay(network, row)
    elif why in ENDS_AT_ONCE:
        instructions.refuse(network, row, why)
    elif is_second:
        instructions.wait(network, row, "CLOSING", closes, why)
    else:
        instructions.wait(network, row, "SECOND", _at(day, hours.second_tried), why)


def _unpaid(row: sqlite3.Row, *, is_second: bool) -> str | None:
    """Returns the code for not collecting in this window; None if it collects."""
    payer = payers.by_document(json.loads(row["payer"])["document"]["number"])
    if payer is not None and payer.refused is not None:
        return NO_MONEY if payer is payers.BROKE else BLOCKED
    return scenarios.unpaid(row["amount"], is_second=is_second, kind=row["kind"])


def _pay(network: Network, row: sqlite3.Row) -> None:
    """Starts a charge's payment, in the transaction that marks it begun. The receiver's bank is asked like for any Pix."""
    order = payments.Order(
        end_to_end_id=row["end_to_end_id"],
        sender=PAYER_BANK_ISPB,
        receiver=row["sender"],
        amount=row["amount"],
        tx_id=row["tx_id"],
        fields={
            "localInstrument": "AUTO",
            "purpose": "IPAY",
            "payer": json.loads(row["payer"]),
            "receiver": json.loads(row["receiver"]) | {"ispb": row["sender"]},
            "recurrence": {"idRec": row["id_rec"]},
        }
        | ({"remittance": row["remittance"]} if row["remittance"] else {}),
    )
    struck = faults.strike(network, "payin", order.about, faults.in_process("payin") - {faults.FORGETS_TXID})
    own = faults.Fault(row["behaviour"], None, row["fault_delay"]) if row["behaviour"] in {"twice", "slow"} else None
    network.store.change("instruction", row, step="PAYING", due_at=None)  # it ends with its payment
    fault = struck or own or scenarios.for_collection(row["amount"])
    if order.receiver in SIMULATED_BANKS:
        payments.settle_outside(network, order, payouts.refused_by_bank(network, order), fault)
    else:
        payments.ask(network, order, fault)


def _magic(network: Network, asked: Instruction) -> faults.Fault | None:
    """Returns the fault that a charge of this amount always meets."""
    fault = scenarios.fault_of(scenarios.BY_CHARGE_AMOUNT, asked.amount)
    earlier = instructions.of_charge(network, asked.id_rec, asked.tx_id)
    if earlier and asked.amount in scenarios.ONLY_FIRST_INSTRUCTION:
        return None
    return fault if fault is not None and fault.behaviour in faults.in_process("charge") else None


def _is_past(network: Network, row: sqlite3.Row, hour: time) -> bool:
    """Tells whether that hour of the day before settlement has passed."""
    return network.clock.business() >= _at(date.fromisoformat(row["settles_on"]) - timedelta(days=1), hour)


def _cycle_of(recurrence: Recurrence, day: date) -> int | None:
    return cycles.of(date.fromisoformat(recurrence.starts_on), recurrence.frequency, day)


def _at(day: date, hour: time) -> int:
    return counted(calendar.instant(day, hour))
