"""What partners that collect have in common, each kept under its name: items, payments, returns, and the stream of both.

`partner.py` has the one type that a partner fills in, `Partner`: how it calls what it tells, when its payments settle, what
it takes besides the exact amount once, which amounts are magic. A partner's folder has its paths and field names:

- `items.py`: `register`, `close`, `find`, `status`. An item is what somebody may pay: a voucher, an account number, a quote.
- `payments.py`: `take` keeps a payment; it settles at its time by itself, or is void. `void` ends one that is announced.
- `returns.py`: `give_back`, once under its id, never more than was paid.
- `movements.py`: `pulled` answers a long poll of the partner's stream, which payments and returns feed by themselves.
- `statements.py`: the movements of a day, for the page of `lastro_sim/statements.py`.
- `phone.py`: a payer types a reference: `read` says what it asks, `pay` judges and takes it, faults and magic included.

To add a partner: its `Partner` in its own folder, with its routes; a line in `lastro_sim/partners.py`, by which the timer
and the phone know it; its routes in `application.py`; its faults under its name in `faults.py`, and what is magic in
`scenarios.py`. `lastro_sim/cash` is the shortest example.
"""
