"""What holds for all tests: which acceptance item each one proves, and which parts of the machine it needs."""
