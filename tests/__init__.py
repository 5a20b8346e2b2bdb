"""Scry's tests, and (in `gates`) what holds for all of them."""
