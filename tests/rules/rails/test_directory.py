"""Which buckets a look-up takes from, and how they fill."""

from uuid import UUID

import pytest

from lastro.rails.directory.rules import CATEGORIES, LEGAL_PERSON, NATURAL_PERSON, Policy, buckets
from lastro.rails.port import Asking

COMPANY = UUID(int=7)
CPF, CNPJ = "98765432100", "11222333000181"


def asking(document: str) -> Asking:
    return Asking(COMPANY, document, "E9999901020260131120000000000001")


@pytest.mark.parametrize(
    ("key", "document", "kind", "policy"),
    [
        ("fabio@fora.example", CPF, "contacts", NATURAL_PERSON),
        ("+5511987654321", CNPJ, "contacts", LEGAL_PERSON),
        (CPF, CPF, "others", NATURAL_PERSON),
        (CNPJ, CNPJ, "others", LEGAL_PERSON),
        ("0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20", CNPJ, "others", LEGAL_PERSON),
    ],
)
def test_the_payers_bucket_goes_by_person_and_kind_of_key(key: str, document: str, kind: str, policy: Policy) -> None:
    payer = buckets(key, asking(document), "A", 50)[-1]
    assert payer.name.startswith(f"payer:{kind}:")
    assert document not in payer.name
    assert payer.policy == policy


def test_the_numbers_are_those_of_the_directory() -> None:
    assert [(NATURAL_PERSON.refill, NATURAL_PERSON.capacity), (LEGAL_PERSON.refill, LEGAL_PERSON.capacity)] == [
        (2, 100), (20, 1000),
    ]  # fmt: skip
    assert [(NATURAL_PERSON.missing, NATURAL_PERSON.back), (LEGAL_PERSON.missing, LEGAL_PERSON.back)] == [(20, 1), (20, 2)]
    assert [(p.refill, p.capacity, p.missing) for p in CATEGORIES.values()] == [
        (25_000, 50_000, 3), (20_000, 40_000, 3), (15_000, 30_000, 3), (8_000, 16_000, 3), (2_500, 5_000, 3), (250, 500, 3),
        (25, 250, 3), (2, 50, 3),
    ]  # fmt: skip


def test_a_company_has_its_share_of_the_institutions() -> None:
    company, participant, _ = buckets(CPF, asking(CPF), "H", 50)
    assert (company.name, participant.name) == (f"company:{COMPANY}", "participant")
    assert (company.policy, participant.policy) == (Policy(1, 25, 3), Policy(2, 50, 3))
    assert buckets(CPF, asking(CPF), "H", 1)[0].policy.capacity == 1.0, "one key may always be asked for"
    names = [b.name for b in buckets(CPF, asking(CPF), "A", 50)]
    assert names == sorted(names), "all take them in one order"
