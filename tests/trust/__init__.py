"""What a person may rely on whatever happens: the promises of docs/trust.md, each with its test."""
