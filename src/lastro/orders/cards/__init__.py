"""Cards: read and checked, made a token of, authenticated, charged; what an issuer takes back."""
