"""The payers' phones: a banking app as pages, for three bank customers."""
