"""How the bundled static model was made: download, mine, vocabulary, train, evaluate, export, card. Never part of Scry."""
