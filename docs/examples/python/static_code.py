"""A static code: printed once, paid twice, and what came of it."""

import os
import time

import httpx

from lastro_client import Client


def main() -> None:
    env = os.environ
    with Client(env["LASTRO_API_URL"], env["LASTRO_CLIENT_ID"], env["LASTRO_CLIENT_SECRET"]) as lastro:
        code = lastro.create_static_qrcode({
            "accountId": env["LASTRO_ACCOUNT_ID"], "pixKey": env["LASTRO_PIX_KEY"],
            "amount": {"currency": "BRL", "value": "7.50"}, "description": "Coffee",
        })  # fmt: skip
        print("code", code["qrcodeData"][:6])
        for _ in range(2):
            paid = {"qrcodeData": code["qrcodeData"]}
            httpx.post(env["LASTRO_SIMULATOR_URL"] + "/phone/pay", json=paid).raise_for_status()
        while len(lastro.list_orders(static_qrcode_id=code["id"])["data"]) < 2:
            time.sleep(0.2)
        for order in lastro.iterate_orders(static_qrcode_id=code["id"]):
            print("order", order["status"], order["amount"]["value"])


if __name__ == "__main__":
    main()
