"""The documentation site: pages made from definitions and from true output, and the hooks that build it."""
