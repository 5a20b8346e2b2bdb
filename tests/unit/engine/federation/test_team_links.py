"""Links to files and commits on forges, in the form of each, and the one form of a repository's address."""

from __future__ import annotations

import pytest

from scry.engine.federation.team_links import commit_link, file_link, normalize_forge, normalize_remote

SHA = "4f2a9c1d" * 5


@pytest.mark.parametrize(
    ("url", "file", "commit"),
    [
        (
            "https://github.com/shop/cart.git",
            f"https://github.com/shop/cart/blob/{SHA}/src/a%20b.py#L3-L9",
            f"https://github.com/shop/cart/commit/{SHA}",
        ),
        (
            "git@github.example.com:shop/cart.git",
            f"https://github.example.com/shop/cart/blob/{SHA}/src/a%20b.py#L3-L9",
            f"https://github.example.com/shop/cart/commit/{SHA}",
        ),
        (
            "ssh://git@gitlab.com:22/group/sub/cart.git",
            f"https://gitlab.com/group/sub/cart/-/blob/{SHA}/src/a%20b.py#L3-9",
            f"https://gitlab.com/group/sub/cart/-/commit/{SHA}",
        ),
        (
            "https://code.gitlab.example/shop/cart",
            f"https://code.gitlab.example/shop/cart/-/blob/{SHA}/src/a%20b.py#L3-9",
            f"https://code.gitlab.example/shop/cart/-/commit/{SHA}",
        ),
        (
            "https://bitbucket.org/shop/cart",
            f"https://bitbucket.org/shop/cart/src/{SHA}/src/a%20b.py#lines-3:9",
            f"https://bitbucket.org/shop/cart/commits/{SHA}",
        ),
        (
            "https://codeberg.org/shop/cart.git",
            f"https://codeberg.org/shop/cart/src/commit/{SHA}/src/a%20b.py#L3-L9",
            f"https://codeberg.org/shop/cart/commit/{SHA}",
        ),
        (
            "Ada@Gitea.example:shop/cart.git",
            f"https://gitea.example/shop/cart/src/commit/{SHA}/src/a%20b.py#L3-L9",
            f"https://gitea.example/shop/cart/commit/{SHA}",
        ),
        ("https://bitbucket.example.com/scm/shop/cart.git", "", ""),  # Bitbucket of one's own: other forms
        ("https://forge.example/shop/cart.git", "", ""),
        ("https://notgithub.example/shop/cart.git", "", ""),
        ("https://evil.example/github.com/shop/cart", "", ""),
        ("https://bitbucket.org.evil.example/shop/cart", "", ""),
        ("/srv/git/github.com/cart", "", ""),
        ("C:\\git\\cart", "", ""),
        ("https://github.com/", "", ""),
    ],
)
def test_links_have_the_form_of_the_forge(url: str, file: str, commit: str) -> None:
    assert file_link(url, SHA, "src/a%20b.py", (3, 9)) == file
    assert commit_link(url, SHA) == commit


def test_link_holds_no_password() -> None:
    assert normalize_forge("https://ada:secret@github.com/shop/cart.git") == "github.com/shop/cart"


@pytest.mark.parametrize(
    "url",
    [
        "https://forge.example/shop/cart.git",
        "https://ada@forge.example:8443/Shop/cart/",
        "ssh://git@forge.example/shop/cart.git",
        "git@forge.example:shop/cart.git",
        "forge.example:shop/cart",
    ],
)
def test_all_ways_to_a_repository_are_one_address(url: str) -> None:
    assert normalize_remote(url) == "forge.example/shop/cart"
