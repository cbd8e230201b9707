"""An order by card: charged at once, and paid once its payer is sure."""

import os
import time
from uuid import uuid4

from lastro_client import Client


def main() -> None:
    env = os.environ
    with Client(env["LASTRO_API_URL"], env["LASTRO_CLIENT_ID"], env["LASTRO_CLIENT_SECRET"]) as lastro:
        order = lastro.create_order({
            "customer": {
                "name": "Benito", "entityType": "INDIVIDUAL", "email": "benito@example.com", "phone": "+525512345678",
                "document": {"type": "RFC", "number": "GODE561231GR8"},
                "address": {
                    "state": "CDMX", "city": "Ciudad de Mexico", "street": "Reforma", "number": "10",
                    "neighborhood": "Centro", "postalCode": "06000",
                },
            },
            "order": {
                "externalId": f"card-{uuid4()}", "paymentMethod": "CREDIT_CARD", "description": "A book",
                "amount": {"currency": "MXN", "value": "123.45"},
                "notificationUrl": env["LASTRO_SIMULATOR_URL"] + "/merchant/webhooks/sdk",
                "paymentDetails": {
                    "creditCard": {
                        "holderName": "Benito", "holderDocument": "GOD**********", "number": "4000000000101008",
                        "cvv": "123", "expiry": "12/49", "installments": 3,
                    },
                    "browser": {
                        "userAgent": "Mozilla/5.0", "acceptHeader": "*/*", "language": "es-MX", "colorDepth": 24,
                        "screenHeight": 900, "screenWidth": 1440, "timeZoneOffset": 360, "javascriptEnabled": True,
                    },
                },
            },
        })  # fmt: skip
        print("order", order["status"], order["card"]["lastFour"])
        while (status := lastro.read_order(order["id"])["status"]) in {"INITIAL", "AUTHENTICATING"}:
            time.sleep(0.2)
        print("order", status)


if __name__ == "__main__":
    main()
