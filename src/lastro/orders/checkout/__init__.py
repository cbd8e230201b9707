"""The hosted page of an order: what is asked, how it is paid and what became of it, for whoever has its address."""
