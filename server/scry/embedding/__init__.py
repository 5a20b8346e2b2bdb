"""Text to vectors: the bundled static model, or any sentence-transformers model."""
