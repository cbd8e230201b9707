"""The card acquirer, its tokenizer and 3-D Secure server, the challenge page."""
