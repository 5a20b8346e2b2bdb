"""Texts to vectors: the bundled static model, or any other."""
