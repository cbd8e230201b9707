"""An order whose customer is sent to its page, and comes back to yours."""

import os
from uuid import uuid4

from lastro_client import Client


def main() -> None:
    env = os.environ
    with Client(env["LASTRO_API_URL"], env["LASTRO_CLIENT_ID"], env["LASTRO_CLIENT_SECRET"]) as lastro:
        order = lastro.create_order({
            "customer": {
                "name": "Bento", "entityType": "INDIVIDUAL", "email": "bento@example.com",
                "document": {"type": "CPF", "number": "12345678909"},
            },
            "order": {
                "externalId": f"book-{uuid4()}", "paymentMethod": "PIX", "description": "A book",
                "amount": {"currency": "BRL", "value": "10.50"}, "returnUrl": "https://shop.example.com/thanks",
                "notificationUrl": env["LASTRO_SIMULATOR_URL"] + "/merchant/webhooks/sdk",
            },
        })  # fmt: skip
        page = order["checkoutUrl"] + "?lang=pt"
        print("page", page.startswith(f"{env['LASTRO_API_URL']}/checkout/"))


if __name__ == "__main__":
    main()
