"""The catalogue of what networks refuse is whole, and fit to be shown on its page."""

from functools import cache

import pytest
from tests.in_one import in_one_test

from lastro.app import refusals_page
from lastro.payouts.reasons import NETWORKS, REASONS, Network, reason_of
from lastro.rails.port import Reason
from lastro.subscriptions.reasons import REASONS as RECURRING
from lastro.subscriptions.reasons import SUBJECTS, Subject

# Every code of pacs.002.spi.1.17 (domain.md §4.4); of the DICT, those a look-up answers (§4.3); of the STR §5.
CODES: dict[Network, str] = {
    "PIX": (
        "AB03 AB09 AB11 AC03 AC06 AC07 AC14 AG03 AG12 AG13 AGNT AM01 AM02 AM04 AM09 AM12 AM18 AM23 BE01 BE05 BE15 BE17 CH11"
        " CH16 CN01 DS02 DS04 DS0G DS27 DT02 DT05 DU03 DUPL ED05 FF07 FF08 FRAD INDT MD01 RC09 RC10 RR04 RR06 SL02 UPAY"
    ),
    "DICT": (
        "NotFound EntryBlocked EntryCannotBeQueriedForBookTransfer EntryWithFraudRelatedRestriction TaxIdNumberBlocked"
        " UserOrAccountWithFraudRelatedRestriction 429"
    ),
    "TED": "5 9 14 15 22 23 24 25",
    "TED_RETURN": "1 2 3 4 5 6 7 8 9 15 16 17 18 19 23 24 25 28 31 61 68 69 70 82 83 84 85",
}
LATER = {
    "PIX": {"AB03", "AB09", "AB11", "AM04", "ED05"},
    "DICT": {"429"},
    "TED": {"5", "9", "14", "15", "24", "25"},
    "TED_RETURN": {"16", "28", "85"},
}
EVERY = [pytest.param(n, r, id=f"{n}-{r.code}") for n in NETWORKS for r in REASONS[n].values()]


@cache
def made() -> str:
    """The page, made once for all that look at it."""
    return refusals_page.page()


@pytest.mark.parametrize("network", NETWORKS)
def test_the_catalogue_has_every_code(network: Network) -> None:
    assert list(REASONS[network]) == CODES[network].split()


@pytest.mark.parametrize("network", NETWORKS)
def test_what_may_be_tried_again(network: Network) -> None:
    """domain.md §4.4, its column «retry»."""
    assert {code for code, reason in REASONS[network].items() if reason.retry == "later"} == LATER[network]


@in_one_test("network, reason", EVERY)
def test_every_reason_can_be_shown(network: Network, reason: Reason) -> None:
    assert reason_of(reason.code, network) is reason
    assert type(reason) is Reason
    assert reason.message == f"{reason.code}: {reason.english}"
    assert not reason.english.endswith(".")
    for sentence in (reason.portuguese, reason.next_step, reason.next_step_portuguese):
        assert sentence.endswith(".")
        assert sentence[0].isupper()
    row = f"\n| `{reason.code}` | {reason.retry} | {reason.english} | {reason.portuguese} | {reason.next_step} |"
    assert row in made()
    assert "|" not in reason.english + reason.portuguese + reason.next_step + reason.next_step_portuguese


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("code", ["ZZ99", "", "ac03", "a code of the future"])
def test_a_code_nobody_knows_is_a_refusal_like_any_other(network: Network, code: str) -> None:
    reason = reason_of(code, network)
    assert (reason.code, reason.retry) == (code, "never")
    assert reason.message == f"{code}: refused by the network"
    assert reason.portuguese == "A rede recusou o pagamento."
    assert reason.next_step


def test_a_code_means_what_its_network_means_by_it() -> None:
    assert reason_of("5", "TED").message != reason_of("5", "TED_RETURN").message
    assert reason_of("AC03", "TED").message == "AC03: refused by the network"


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_reason_of_a_subscription_is_shown(subject: Subject) -> None:
    page = made()
    for reason in RECURRING[subject].values():
        assert (
            f"\n| `{reason.code}` | {reason.retry} | {reason.english} | {reason.portuguese} | {reason.next_step} |" in page
        )
