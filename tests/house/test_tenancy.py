"""Every statement of the product about a tenant's table names the company; row-level security stands behind it."""

import re

from .tree import PRODUCT, ROOT

# They look across companies, in a session of lastro_work or lastro_audit, or once for each company: file and tables.
_ACROSS = {
    "accounts/store.py": {"own_keys"},
    "orders/connections/store.py": {"own_keys"},
    "companies/store.py": {"company_numbers"},
    "core/laws.py": {"statement_items", "statements"},
    "observability/gauges.py": {
        "deliveries", "foreign_payments", "med_objects", "payout_returns", "payouts", "pix_payments", "refunds",
        "statement_items", "statements", "subscription_cancellations",
    },
    "ops/distribute/spreading.py": {"companies"},
    "ops/personal_data.py": {"med_objects"},
    "ops/start_checks.py": {"outbox", "own_keys"},
    "rails/instruments.py": {"connections", "instruments"},
    "rails/internal_transfer/carrier.py": {"inbox"},
    "reconciliation/store.py": {"statement_items", "statement_lines", "statements"},
    "webhooks/store/circuits.py": {"webhook_circuits"},
}  # fmt: skip


def test_every_statement_names_the_company() -> None:
    schema = (ROOT / "schema/schema.sql").read_text(encoding="utf-8")
    tables = [
        m[1] for m in re.finditer(r"CREATE TABLE (\w+) \((.*?)\n\)", schema, re.DOTALL) if "\n  company_id uuid" in m[2]
    ]
    assert len(tables) > 50
    named = re.compile(rf"\b(?:FROM|JOIN|UPDATE) ({'|'.join(sorted(tables, key=len, reverse=True))})\b(?!\.)")
    found = {}
    for module in PRODUCT:
        nameless = {table for _, text in module.strings() if "company_id" not in text for table in named.findall(text)}
        if nameless:
            found[module.name.removeprefix("src/lastro/")] = nameless
    assert found == _ACROSS
