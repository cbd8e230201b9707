"""The directory of keys with owners and accounts; it starts with outside keys."""

import sqlite3
from dataclasses import asdict, dataclass
from typing import Any

from lastro_sim.clock import printed
from lastro_sim.network import Network
from lastro_sim.settings import BANK_NAMES, OUTSIDE_BANK_ISPB

KEY_TYPES = frozenset({"CPF", "CNPJ", "PHONE", "EMAIL", "EVP"})
STATUSES = frozenset({"ACTIVE", "BLOCKED", "ACCOUNT_BLOCKED", "ACCOUNT_CLOSED"})
ACCOUNT_TYPES = frozenset({"CACC", "SVGS", "TRAN", "SLRY"})


@dataclass(frozen=True)
class Owner:
    """The owner of a key."""

    name: str
    document_type: str
    document: str


@dataclass(frozen=True)
class Account:
    """The account of a key."""

    ispb: str
    branch: str
    account: str
    account_type: str
    opened_at: str | None = None


@dataclass(frozen=True)
class Entry:
    """A key with its owner and account."""

    key: str
    kind: str
    owner: Owner
    account: Account
    status: str = "ACTIVE"


def _outside(key: str, kind: str, owner: Owner, account: str, status: str = "ACTIVE") -> Entry:
    place = Account(OUTSIDE_BANK_ISPB, "0001", account, "CACC", "2020-01-02T12:00:00.000000Z")
    return Entry(key, kind, owner, place, status)


_ELISA = Owner("Elisa Externa", "CPF", "98765432100")
_FABIO = Owner("Fabio de Fora", "CPF", "24681357928")
_GRAFICA = Owner("Grafica Distante Ltda", "CNPJ", "99999030000110")
_HELENA = Owner("Helena Bloqueada", "CPF", "13579246828")

SEEDS = (
    _outside("98765432100", "CPF", _ELISA, "300001"),
    _outside("99999030000110", "CNPJ", _GRAFICA, "300002"),
    _outside("+5511987654321", "PHONE", _ELISA, "300001"),
    _outside("fabio@fora.example", "EMAIL", _FABIO, "300003"),
    _outside("0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20", "EVP", _GRAFICA, "300002"),
    _outside("conta-bloqueada@fora.example", "EMAIL", _HELENA, "300004", "ACCOUNT_BLOCKED"),
    _outside("conta-encerrada@fora.example", "EMAIL", _HELENA, "300005", "ACCOUNT_CLOSED"),
    _outside("13579246828", "CPF", _HELENA, "300006", "BLOCKED"),
)


def seed(network: Network) -> None:
    """Fills an empty directory."""
    if network.store.row("SELECT 1 FROM entry LIMIT 1") is None:
        with network.store.writing():
            for entry in SEEDS:
                add(network, entry)


def add(network: Network, entry: Entry) -> None:
    """Writes an entry; its key must be free. Its owner has it from now, or since he had it first (KeyOwnershipDate)."""
    network.store.run(
        "INSERT INTO possession (key, owner_number, since) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET"
        " owner_number = excluded.owner_number, since = excluded.since WHERE owner_number <> excluded.owner_number",
        entry.key,
        entry.owner.document,
        network.clock.business(),
    )
    network.store.insert(
        "entry",
        key=entry.key,
        type=entry.kind,
        owner_name=entry.owner.name,
        owner_type=entry.owner.document_type,
        owner_number=entry.owner.document,
        **asdict(entry.account),
        status=entry.status,
        created_at=network.clock.business(),
    )


def find(network: Network, key: str) -> sqlite3.Row | None:
    """Returns the entry of a key."""
    return network.store.find("entry", key=key)


def at_account(network: Network, ispb: str, branch: str | None, account: str) -> sqlite3.Row | None:
    """Returns any entry of an account. branch: None where it is not given.

    The simulated banks know their accounts by this.
    """
    return network.store.row(
        "SELECT * FROM entry WHERE ispb = ? AND branch = coalesce(?, branch) AND account = ? ORDER BY seq LIMIT 1",
        ispb, branch, account,
    )  # fmt: skip


def remove(network: Network, key: str, *, is_still_owned: bool = False) -> bool:
    """Deletes a key's entry; False when there is none. is_still_owned: it is on its way to another bank of its owner."""
    if not is_still_owned:
        forget_owner(network, key)
    return network.store.run("DELETE FROM entry WHERE key = ?", key) > 0


def forget_owner(network: Network, key: str) -> None:
    """Forgets a key's ownership date, even for the same next owner."""
    network.store.run("DELETE FROM possession WHERE key = ?", key)


def count_at(network: Network, account: Account) -> int:
    """Counts the entries of an account."""
    return len(network.store.every("entry", ispb=account.ispb, branch=account.branch, account=account.account))


def owned_since(network: Network, entry: sqlite3.Row) -> int:
    """Returns the instant since which the owner has had the key unbroken."""
    row = network.store.find("possession", key=entry["key"])
    since: int = entry["created_at"] if row is None else row["since"]
    return since


def shown_to_participant(network: Network, entry: sqlite3.Row, claimed_at: int | None = None) -> dict[str, Any]:
    """Returns an entry as the directory answers a participant. claimed_at: the instant since which a claim of it is open."""
    return {
        "key": entry["key"],
        "type": entry["type"],
        "owner": {"name": entry["owner_name"], "document": _document(entry)},
        "account": {
            "ispb": entry["ispb"],
            "branch": entry["branch"],
            "account": entry["account"],
            "accountType": entry["account_type"],
        }
        | ({} if entry["opened_at"] is None else {"openedAt": entry["opened_at"]}),
        "createdAt": printed(entry["created_at"]),
        "keyOwnershipDate": printed(owned_since(network, entry)),
    } | ({} if claimed_at is None else {"openClaimCreationDate": printed(claimed_at)})


def shown_to_all(network: Network, entry: sqlite3.Row) -> dict[str, Any]:
    """Returns an entry as the list of acts shows it."""
    return {
        "key": entry["key"],
        "type": entry["type"],
        "owner": {"name": entry["owner_name"], "document": _document(entry)},
        "bank": {
            "ispb": entry["ispb"],
            "name": bank_name(network, entry["ispb"]),
            "branch": entry["branch"],
            "account": entry["account"],
            "accountType": entry["account_type"],
        },
        "status": entry["status"],
    }


def listed(network: Network) -> list[dict[str, Any]]:
    """Returns all entries, the outside ones first, each group oldest first."""
    rows = network.store.rows("SELECT * FROM entry ORDER BY ispb <> ?, seq", OUTSIDE_BANK_ISPB)
    return [shown_to_all(network, row) for row in rows]


def bank_name(network: Network, ispb: str) -> str:
    """Returns the name of an institution."""
    row = network.store.find("participant", ispb=ispb)
    return BANK_NAMES.get(ispb, ispb) if row is None else str(row["name"])


def _document(entry: sqlite3.Row) -> dict[str, str]:
    return {"type": entry["owner_type"], "number": entry["owner_number"]}
