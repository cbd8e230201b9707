"""The acquirer of cards with its tokenizer and its 3-D Secure server, and the issuer's challenge page."""
