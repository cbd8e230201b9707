"""Static QR codes: printed once, paid any number of times. What is paid to one makes an order, as all money unasked does."""
