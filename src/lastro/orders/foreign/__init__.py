"""Foreign payments: Pix at a merchant's own bank that no order of ours asked for. A person may claim one; none goes back."""
