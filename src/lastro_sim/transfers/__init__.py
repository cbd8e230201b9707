"""The banks that keep account numbers for others' orders: CLABEs of SPEI in Mexico, accounts for deposits in Brazil."""
