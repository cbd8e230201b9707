"""Pay-ins: the second door to Pix orders. What is made here is an order like any other."""
