"""A plan of payouts, for asyncio: checked whole, before anybody signs it."""

import asyncio
import os
from uuid import uuid4

from lastro_client import AsyncClient


async def main() -> None:
    env = os.environ
    async with AsyncClient(env["LASTRO_API_URL"], env["LASTRO_CLIENT_ID"], env["LASTRO_CLIENT_SECRET"]) as lastro:
        lines = [("fabio@fora.example", "10.50"), ("98765432100", "20.25")]
        plan = await lastro.create_payout_plan({
            "payouts": [
                {
                    "externalId": f"jan-{uuid4()}", "accountId": env["LASTRO_ACCOUNT_ID"], "paymentMethod": "PIX",
                    "paymentData": {"pixKey": key}, "amount": {"currency": "BRL", "value": value},
                    "description": "Salary",
                }
                for key, value in lines
            ]
        })  # fmt: skip
        while plan["status"] == "VALIDATING":
            await asyncio.sleep(0.2)
            plan = await lastro.read_payout_plan(plan["id"])
        print("plan", plan["status"], plan["lines"])
        async for line in lastro.iterate_payout_plan_lines(plan["id"]):
            print("line", line["line"], line["status"])


if __name__ == "__main__":
    asyncio.run(main())
