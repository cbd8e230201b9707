"""The simulated network around lastro, a separate process with its own store."""
