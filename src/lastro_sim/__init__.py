"""The simulated network: what stands outside lastro, as a process of its own with a store of its own."""
