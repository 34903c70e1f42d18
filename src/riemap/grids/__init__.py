"""Many runs, listed in a file: their records, the executors that do them, and tables of their scores."""
