"""The collecting partners, each under its name.

`partner.py` has the one type that a partner fills in, `Partner`; the table of them is `lastro_sim/partners.py`.

- `api.py`: one protocol for participants, and lists and acts for tests.
- `items.py`: `register`, `close`, `find`, `status`. An item is payable: a voucher, an account number, a quote.
- `payments.py`: `take` keeps a payment; it settles at its time by itself, or is void. `void` ends one that is announced.
- `returns.py`: `give_back`, once under its id, never more than was paid.
- `movements.py`: `pulled` answers a long poll of the partner's stream, which payments and returns feed by themselves.
- `statements.py`: the movements of a day, for the page of `lastro_sim/statements.py`.
- `phone.py`: a payer types a reference: `read` shows the item, `pay` judges and takes it, faults and magic included.
"""
