"""A first order: asked for, paid, and given back. Settings: eval "$(lastro sandbox env)"."""

import os
import time
from typing import TYPE_CHECKING
from uuid import uuid4

import httpx

from lastro_client import Client, InvalidRequest

if TYPE_CHECKING:
    from lastro_client.models import CreateOrder, CreateRefund


def main() -> None:
    env = os.environ
    with Client(env["LASTRO_API_URL"], env["LASTRO_CLIENT_ID"], env["LASTRO_CLIENT_SECRET"]) as lastro:
        asked: CreateOrder = {
            "customer": {
                "name": "Bento", "entityType": "INDIVIDUAL", "email": "bento@example.com",
                "document": {"type": "CPF", "number": "12345678909"},
            },
            "order": {
                "externalId": f"book-{uuid4()}", "paymentMethod": "PIX", "description": "A book",
                "amount": {"currency": "BRL", "value": "10.50"},
                "notificationUrl": env.get("NOTIFICATION_URL", env["LASTRO_SIMULATOR_URL"] + "/merchant/webhooks/sdk"),
            },
        }  # fmt: skip
        order = lastro.create_order(asked)
        print("order", order["status"])

        # Your customer pays it with his bank's app. In the sandbox the simulated phone does.
        paid = {"qrcodeData": order["pix"]["qrcodeData"]}
        httpx.post(env["LASTRO_SIMULATOR_URL"] + "/phone/pay", json=paid).raise_for_status()
        while (status := lastro.read_order(order["id"])["status"]) == "INITIAL":
            time.sleep(0.2)
        print("order", status)

        back: CreateRefund = {
            "orderId": order["id"], "externalId": f"back-{uuid4()}", "amount": {"currency": "BRL", "value": "5.25"},
            "refundCode": "MD06", "refundReason": "Out of stock",
        }  # fmt: skip
        try:
            lastro.create_refund({**back, "externalId": f"more-{uuid4()}", "amount": {"currency": "BRL", "value": "99.00"}})
        except InvalidRequest as error:
            print("refused", error.field, error.issue)
        refund = lastro.create_refund(back)
        while (refund_status := lastro.read_refund(refund["id"])["status"]) == "PENDING":
            time.sleep(0.2)
        print("refund", refund_status, lastro.read_order(order["id"])["status"])
        mine = [one["id"] for one in lastro.iterate_orders(external_id=asked["order"]["externalId"])]
        print("listed", mine.count(order["id"]))


if __name__ == "__main__":
    main()
