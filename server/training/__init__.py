"""How the bundled static model is made, from the download to its card. Scry never imports this package."""
