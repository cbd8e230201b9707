"""How a payout is found that another one would repeat."""
