"""A database that takes no writes, as a standby takes none."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def read_only(database: Any) -> AsyncIterator[None]:
    """For as long as it lasts, whoever connects may only read."""
    admin = await database.connect()
    await admin.execute(f'ALTER DATABASE "{database.name}" SET default_transaction_read_only = on')
    try:
        yield
    finally:
        await admin.execute(f'ALTER DATABASE "{database.name}" RESET default_transaction_read_only')
        await admin.close()
