"""Read notes of the project (`.scry`) and test reports."""
