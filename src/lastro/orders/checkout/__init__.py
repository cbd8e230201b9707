"""The hosted page of an order. It shows the request, the payment steps and the outcome to anybody who has its address."""
