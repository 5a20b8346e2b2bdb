"""The only code that speaks SQL, tantivy or vectors on disk."""
