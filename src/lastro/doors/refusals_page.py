"""docs/refusals.md: what the networks' refusals of a payout mean, made of the catalogue. A test holds it current."""

from __future__ import annotations

from pathlib import Path

from lastro.payouts.reasons import NETWORKS, REASONS, Network

PAGE = Path(__file__).parents[3] / "docs" / "refusals.md"  # of a checkout; an install has no docs

_TITLES: dict[Network, tuple[str, str]] = {
    "PIX": ("Pix", "Codes of pacs.002, by which the SPI and the receiver's bank say no. The Central Bank adds new ones."),
    "DICT": ("The directory", "What the DICT answers when a key is looked up. Nothing was made: the create is refused."),
    "TED": ("TED, by the STR", "Settlement statuses that mean it was not settled."),
    "TED_RETURN": ("TED, by the receiver's bank", "Reasons of a TED that came back after it was paid."),
}  # fmt: skip
_HEAD = ("| code | again? | means | significa | next step | próximo passo |", "|---|---|---|---|---|---|")
_BEGINNING = """# Refusals

Why a network said no to a payout, in its own codes. Generated from the code by `python -m lastro.doors.refusals_page`.

- A payout in ERROR tells the code in `errorCode`, and code and English sentence in `errorMessage`: `AC07: the receiver's
  account is closed`. A code that does not stand here reads `<code>: refused by the network`.
- **never**: the same would be refused again; something must change first. **later**: a new payout may well pass.
- A new payout takes a new `idempotency-key`. By itself lastro asks and sends again only while the outcome is unknown,
  always under the same endToEndId; a refusal is final.

*Por que uma rede recusou um pagamento. «never»: algo precisa mudar antes; «later»: um novo pagamento pode passar.*

With which codes lastro itself refuses money that comes: [refusal codes](decisions/refusal-codes.md).
"""


def page() -> str:
    """The whole page."""
    return "\n".join((_BEGINNING, *(line for network in NETWORKS for line in _network(network))))


def write(path: Path = PAGE) -> None:
    """Writes it anew."""
    path.write_text(page(), encoding="utf-8")


def _network(network: Network) -> list[str]:
    title, about = _TITLES[network]
    rows = [
        f"| `{r.code}` | {r.retry} | {r.english} | {r.portuguese} | {r.next_step} | {r.next_step_portuguese} |"
        for r in REASONS[network].values()
    ]
    return [f"## {title}", "", about, "", *_HEAD, *rows, ""]


if __name__ == "__main__":
    write()
