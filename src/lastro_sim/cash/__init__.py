"""The shops that take cash in Mexico: OXXO, OXXO Pay and Paynet, each with its own token and paths, in one protocol."""
