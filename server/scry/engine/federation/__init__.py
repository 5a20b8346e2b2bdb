"""Choose the projects that answer a question, ask them, and merge their answers by rank."""
