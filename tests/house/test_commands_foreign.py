"""lastro foreign: what it lists, and every no of a claim."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.cast import Cast
from tests.rooms.orders.shop import Shop
from tests.rooms.orders.test_connections import KEY, Connected
from tests.rooms.orders.test_foreign import found, typed
from tests.rooms.rails.api_pix_bank import Bank, serving

from lastro.config.settings import read
from lastro.core.money import Money
from lastro.orders import ForeignPayments
from lastro.rails.api_pix import ApiPixIssuer
from lastro.rails.port import ForeignPayment

from .office import Office, environment


async def test_they_are_listed_and_a_claim_that_does_not_fit_changes_nothing(own_database: Any, tmp_path: Path) -> None:
    cast, office = Cast.of(own_database.app, size=2), Office(read(environment(own_database, tmp_path)))
    shop = Shop(cast, await cast.ana())

    def asks(*words: str) -> Any:
        return asyncio.to_thread(office.asks, "foreign", *words)

    def declined(*words: str) -> Any:
        return asyncio.to_thread(office.declined, "foreign", *words)

    for name in ("efi1", "efi2"):
        await cast.connect(shop.ana, name)
    dora = await cast.found("Dora")
    await cast.connect(dora, "dorabank")
    assert await asks("list") == []
    at = datetime.now(UTC)
    await ForeignPayments(cast.runner, shop.ana.company_id).keep(
        [ForeignPayment("efi1", f"E1234567820260131120000000foreign{n}", Money(1000 + n, "BRL"), at) for n in range(2)]
    )
    first, second = await asks("list")
    assert (first["state"], first["amount"], second["amount"]) == ("FOUND", "10.00", "10.01")
    assert (first["company"], first["rail"], first["orderId"]) == (shop.ana.number, "efi1", None)
    assert await asks("list", "--company", str(shop.ana.number), "--connection", "efi1") == [first, second]
    assert await asks("list", "--connection", "efi2") == []
    assert await asks("list", "--connection", "dorabank") == []
    assert "There is no connection 'nope': give its name" in await declined("list", "--connection", "nope")
    of_ana = await declined("list", "--company", str(shop.ana.number), "--connection", "dorabank")
    assert f"There is no connection 'dorabank' of company {shop.ana.number}:" in of_ana
    order_id = await shop.order(1000)
    said = await declined("claim", second["id"], "--order", str(order_id), "--by", "rita")
    assert "is not to be paid at efi1" in said
    assert "is 10.01, and the order asks for 10.00" in said
    assert "is no order of this company" in await declined("claim", first["id"], "--order", first["id"])
    assert "is no order of this company" in await declined("claim", first["id"], "--order", "no id")
    assert "There is no foreign payment" in await declined("claim", str(order_id), "--order", str(order_id))
    assert "There is no foreign payment" in await declined("claim", "no id", "--order", str(order_id))
    assert "--by must be one line" in await declined("claim", first["id"], "--order", str(order_id), "--by", "a\nb")
    assert await asks("list") == [first, second]
    assert "There is no foreign payment" in await declined("close", "no id", "--reason", "ours")
    closed = await asks("close", first["id"], "--reason", "of our other shop", "--by", "rita")
    assert (closed["id"], closed["state"]) == (first["id"], "CLOSED")
    assert "is CLOSED" in await declined("close", first["id"], "--reason", "again")
    assert await asks("list") == [second]
    assert await shop.column("SELECT status FROM orders") == ["INITIAL"]
    await cast.database.close()


async def test_a_claim_asks_the_bank_of_the_file(own_database: Any, tmp_path: Path) -> None:
    cast = Cast.of(own_database.app, size=2)
    at_bank = Connected(Shop(cast, await cast.ana()), Bank(now=datetime.now(UTC)), {})
    await cast.connect(at_bank.shop.ana, at_bank.rail, KEY)
    async with serving(at_bank.bank) as line:
        at_bank.issuers[at_bank.rail] = ApiPixIssuer(at_bank.rail, line, "utc")
        made, payment = await at_bank.make(externalId="Pedido 77"), typed(at_bank)
        own = str(await found(at_bank, payment))
        (tmp_path / "secret").write_text("a-secret")
        (tmp_path / "secret").chmod(0o600)
        table = {
            "company": at_bank.shop.ana.number, "dialect": "standard", "base_url": at_bank.bank.url,
            "token_url": f"{at_bank.bank.url}/oauth/token", "client_id": "client", "client_secret_file": "secret",
        }  # fmt: skip
        lines = [f"{name} = {json.dumps(value)}" for name, value in table.items()]
        keys = f'keys = {{ "{KEY}" = "{at_bank.shop.ana.account_number}" }}'
        (tmp_path / "banks.toml").write_text("\n".join([f"[{at_bank.rail}]", *lines, keys]))
        (tmp_path / "banks.toml").chmod(0o600)
        told = environment(own_database, tmp_path)
        alone, office = (Office(read(told | more)) for more in ({}, {"LASTRO_BANKS_FILE": str(tmp_path / "banks.toml")}))
        words = ("foreign", "claim", own, "--order", "Pedido 77", "--by", "rita")
        assert "gives no answer now" in await asyncio.to_thread(alone.declined, *words)
        at_bank.bank.shows(payment, devolucoes=[{"id": "m1", "valor": "0.01", "status": "EM_PROCESSAMENTO"}])
        assert "was given back at the bank" in await asyncio.to_thread(office.declined, *words)
        assert await at_bank.status() == ["INITIAL"]
        at_bank.bank.shows(payment)
        claimed = await asyncio.to_thread(office.asks, *words)
        assert (claimed["state"], claimed["orderId"]) == ("CLAIMED", made["id"])
        assert await at_bank.status() == ["PAID"]
    await cast.database.close()
