"""How long a slip's PDF takes: milliseconds of CPU, once the font is cut."""

from __future__ import annotations

from datetime import date

from bench.figures import Figure, Rounds
from bench.qr import milliseconds

from lastro.core.money import Money
from lastro.orders.slips import Slip, SlipParty, pdf
from lastro.standards import boleto, boleto_numbers
from lastro.standards.own_numbers import own_digits

ROUNDS, EACH = 10, 20
_DUE = date(2026, 11, 26)


def slip(sequence: int) -> Slip:
    """A slip as an order makes it, with a Pix beside the bars."""
    number = own_digits(7, sequence)
    free_field = boleto_numbers.free_field("0001", number)
    code = boleto.barcode(boleto.Boleto(bank="990", free_field=free_field, amount_minor=12_345 + sequence, due_date=_DUE))
    return Slip(
        "990", "LASTRO SANDBOX IP", SlipParty("Padaria Pão Quente Ltda", "CNPJ", "11222333000181"), "0001", "000000019",
        SlipParty("João da Silva", "CPF", "12345678909", "Rua das Flores, 12, Centro, São Paulo, SP, 01000000"),
        "Mensalidade de novembro", number, f"pedido-{sequence}", _DUE, _DUE, _DUE, Money(12_345 + sequence, "BRL"), code,
        "00020126360014br.gov.bcb.pix0114pix@bcb.gov.br5204000053039865406123.455802BR5913FULANO DE TAL6008BRASILIA"
        "62140510PEDIDO00016304083D",
    )  # fmt: skip


def drawn() -> Figure:
    """The PDF of one slip, in CPU time; the first round, which cuts the font, is left out."""
    slips = [slip(sequence) for sequence in range(EACH)]
    rounds = [milliseconds(lambda: [pdf(one) for one in slips]) / EACH for _ in range(ROUNDS + 1)]
    return Figure("slip as PDF", "ms", Rounds(tuple(rounds[1:])), None, 30, 15, at_most=True, digits=1)
