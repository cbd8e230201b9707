"""Static QR codes: printed once, paid any number of times. Each payment makes an order, as all unasked money does."""
