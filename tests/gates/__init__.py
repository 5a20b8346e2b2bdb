"""Rules for all tests: the acceptance items that each one proves, and the parts of the machine that it needs."""
