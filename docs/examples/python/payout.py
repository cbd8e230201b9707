"""A payout by Pix key, for asyncio; its receipt as a PDF."""

import asyncio
import os
from uuid import uuid4

from lastro_client import AsyncClient


async def main() -> None:
    env = os.environ
    async with AsyncClient(env["LASTRO_API_URL"], env["LASTRO_CLIENT_ID"], env["LASTRO_CLIENT_SECRET"]) as lastro:
        made = await lastro.create_payout({
            "externalId": f"salary-{uuid4()}", "accountId": env["LASTRO_ACCOUNT_ID"], "paymentMethod": "PIX",
            "paymentData": {"pixKey": "fabio@fora.example"}, "amount": {"currency": "BRL", "value": "12.34"},
            "description": "Salary",
        })  # fmt: skip
        print("payout", made["status"])
        while (status := (await lastro.read_payout(made["id"]))["status"]) == "PENDING":
            await asyncio.sleep(0.2)
        print("payout", status)
        receipt = await lastro.read_payout_receipt_as_pdf(made["id"])
        print("receipt", receipt[:4].decode())


if __name__ == "__main__":
    asyncio.run(main())
