"""A subscription by Pix Automático: made, authorized with its first charge, and canceled."""

import os
import time
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import httpx

from lastro_client import Client


def main() -> None:
    env = os.environ
    in_20_days = (datetime.now(UTC) + timedelta(days=20)).date().isoformat()
    with Client(env["LASTRO_API_URL"], env["LASTRO_CLIENT_ID"], env["LASTRO_CLIENT_SECRET"]) as lastro:
        made = lastro.create_subscription({
            "accountId": env["LASTRO_ACCOUNT_ID"], "type": "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
            "frequencyType": "MONTHLY",
            "startDate": env.get("START_DATE", in_20_days), "externalId": f"contract-{uuid4()}",
            "fixedAmount": {"currency": "BRL", "value": "29.90"}, "allowChargeAfterDueDate": True,
            "allowAdjustToBusinessDay": True, "webhookUrl": env["LASTRO_SIMULATOR_URL"] + "/merchant/webhooks/sdk",
            "debtor": {"name": "Bento Braga", "document": {"type": "CPF", "number": "12345678909"}},
            "initialCharge": {"pixKey": env["LASTRO_PIX_KEY"], "amount": {"currency": "BRL", "value": "29.90"}},
        })  # fmt: skip
        print("subscription", made["status"])

        # The payer agrees with his bank's app. In the sandbox the simulated phone does.
        httpx.post(env["LASTRO_SIMULATOR_URL"] + "/phone/pay", json={"qrcodeData": made["qrcodeData"]}).raise_for_status()
        while (status := lastro.read_subscription(made["id"])["status"]) == "PENDING_AUTHORIZATION":
            time.sleep(0.2)
        print("subscription", status)

        lastro.cancel_subscription(made["id"], {"reason": "OTHER"})
        while (status := lastro.read_subscription(made["id"])["status"]) == "ACCEPTED":
            time.sleep(0.2)
        print("subscription", status)


if __name__ == "__main__":
    main()
