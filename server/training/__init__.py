"""Make the bundled static model, from the download to its card. Scry never imports this package."""
