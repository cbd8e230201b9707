"""A random Pix key: made, found in the list, and deleted."""

import os

from lastro_client import Client


def main() -> None:
    env = os.environ
    with Client(env["LASTRO_API_URL"], env["LASTRO_CLIENT_ID"], env["LASTRO_CLIENT_SECRET"]) as lastro:
        account = env["LASTRO_ACCOUNT_ID"]
        made = lastro.create_key(account, {"type": "RANDOM"})
        print("key", made["type"])
        listed = {one["id"] for one in lastro.iterate_keys(account)}
        print("listed", made["id"] in listed)
        lastro.delete_key(account, made["id"])


if __name__ == "__main__":
    main()
