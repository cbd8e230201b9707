"""Pay-ins: the second API of Pix orders. Its orders are like any other."""
