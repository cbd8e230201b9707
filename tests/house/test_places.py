"""Where a line may live: clock, environment and randomness; locks and transactions; SQL."""

import re
from collections.abc import Iterable

from .tree import ABOVE_ROOMS, MIGRATIONS, PRODUCT, ROOMS, ROOT, SCHEMA, SRC, Module, module, modules, without_comments

_ABOVE = tuple(f"src/lastro/{package}/" for package in ABOVE_ROOMS)
# What is read there and passed on as an argument.
_OUTSIDE = re.compile(
    r"(datetime\.)?(datetime\.(now|utcnow|today)|date\.today)|time\.(time|time_ns|monotonic|monotonic_ns|perf_counter)"
    r"|os\.(environ|getenv|urandom|getrandom)|random\.\w+|secrets\.\w+|uuid\.uuid[14]"
    r"|cryptography\.x509\.random_serial_number"
)
_READERS = (*_ABOVE, "src/lastro_tools/", "src/lastro_sandbox/", "src/lastro_sim/__main__.py")

_LOCKS = re.compile(
    r"\bFOR\s+(NO\s+KEY\s+)?UPDATE\b|\bFOR\s+(KEY\s+)?SHARE\b|\bLOCK\s+TABLE\b|pg_(try_)?advisory|^\s*(BEGIN|COMMIT|ROLLBACK)\b"
)
_MAY_LOCK = (
    "src/lastro/core/commit.py", "src/lastro/core/statement.py", "src/lastro/core/reference_rows.py",
    "src/lastro/core/work_queue.py", "src/lastro/core/db.py",
    *_ABOVE,
)  # fmt: skip
# Claims that the lane's own statement cannot make.
_CLAIMS = {
    "src/lastro/rails/port/rail.py": "a question is counted and set due again in one step, under no lease",
    "src/lastro/webhooks/store/deliveries.py": "what waits behind an event is put off only together with the event itself",
}

_CLOCKS = re.compile(
    r"(?<![\w.])(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\s*\(|\b(current_(timestamp|date|time)|localtime(stamp)?)\b",
    re.IGNORECASE,
)


def test_clock_environment_and_randomness_are_read_above_the_rooms_alone() -> None:
    read = [
        f"{m.name}:{line} {name}"
        for m in modules("src")
        if not m.name.startswith(_READERS)
        for line, name in m.uses()
        if _OUTSIDE.fullmatch(name)
    ]
    assert not read, "\n".join(read)


def test_only_the_schema_reads_the_machines_clock() -> None:
    assert without_comments(SCHEMA.read_text(encoding="utf-8")).count("clock_timestamp") == 1
    assert sum(without_comments(p.read_text(encoding="utf-8")).count("clock_timestamp") for p in MIGRATIONS) == 1
    files = [*SRC.rglob("*.sql"), SCHEMA, *MIGRATIONS]
    texts = [(p.relative_to(ROOT).as_posix(), 0, without_comments(p.read_text(encoding="utf-8"))) for p in files]
    texts = [(name, line, text.replace("'SELECT clock_timestamp()'", "")) for name, line, text in texts]
    texts += [(m.name, line, text) for m in modules("src") for line, text in m.sql()]
    read = [f"{name}:{line} {found[0]}" for name, line, text in texts for found in _CLOCKS.finditer(text)]
    assert not read, "\n".join(read)


def test_transactions_and_locks_stand_in_few_files() -> None:
    allowed = (*_MAY_LOCK, *_CLAIMS)
    found = [one for m in PRODUCT if not m.name.startswith(allowed) for one in _locking(m)]
    assert not found, "\n".join(found)


def test_the_exceptions_are_still_needed() -> None:
    for name in _CLAIMS:
        assert any(_locking(module(ROOT / name))), name


def _locking(module: Module) -> Iterable[str]:
    yield from (f"{module.name}:{line} {text.strip()[:60]}" for line, text in module.strings() if _LOCKS.search(text))
    for number, line in enumerate(module.text.splitlines(), start=1):
        if re.search(r"\.(transaction|begin|rollback)\(", line):
            yield f"{module.name}:{number} {line.strip()}"


def test_the_sql_of_a_room_stands_in_its_store() -> None:
    found = [
        f"{m.name}:{line} {' '.join(text.split())[:60]}"
        for room in ROOMS
        for m in modules(f"src/lastro/{room}")
        if "store" not in m.path.relative_to(SRC / "lastro" / room).with_suffix("").parts
        for line, text in m.sql()
    ]
    assert not found, "\n".join(found)


def test_formats_and_ledger_codes_ask_nobody() -> None:
    """What is pure speaks no SQL at all."""
    pure = [
        m
        for m in PRODUCT
        if m.path.stem in ("rules", "states", "postings", "model", "forms") or "/standards/" in m.name or "/rules/" in m.name
    ]
    found = [f"{m.name}:{line}" for m in pure if "/core/" not in m.name for line, _ in m.sql()]
    assert not found, "\n".join(found)
