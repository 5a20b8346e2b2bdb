"""The walkthrough, as a person goes through it: in a real VS Code."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.vscode.window import Window
from tests.gates.translations import read_manifest

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]

_IS_LOADED = "picture => picture.complete && picture.naturalWidth > 300"


@pytest.mark.acceptance("C1")
def test_find_is_first_for_scry_and_the_state_is_always_shown(window: Window) -> None:
    window.press("F1")
    expect(window.box).to_be_focused()
    window.box.fill(">scry")
    expect(window.rows.first).to_have_attribute("aria-label", re.compile("^Scry: Find($|, )"))
    window.press("Escape")
    state = window.page.locator(".part.statusbar .statusbar-item [aria-label^='Scry: ']")  # without any editor
    expect(state).to_have_text(re.compile("Scry$"))
    expect(state).to_have_attribute("aria-label", re.compile("Scry: 4 files indexed"))
    state.click()
    expect(window.title).to_have_text("Scry: Status")
    expect(window.row("shop")).to_contain_text("4 files indexed")


@pytest.mark.acceptance("C1")
def test_walkthrough_shows_pictures_and_completes_steps(window: Window) -> None:
    manifest = read_manifest()
    [walkthrough] = manifest["contributes"]["walkthroughs"]
    window.press("Control+b")  # without the side bar there is room for the pictures
    window.command("Welcome: Open Walkthrough...")
    window.row(walkthrough["title"]).click()
    page = window.page.locator(".gettingStartedContainer")
    expect(page.get_by_text(walkthrough["title"], exact=True).first).to_be_visible()
    for step in walkthrough["steps"]:
        line = page.locator(f".getting-started-step[data-step-id$='{step['id']}']")
        expect(line).to_contain_text(step["title"])
        if line.get_attribute("aria-expanded") != "true":
            line.click(position={"x": 60, "y": 12})  # its title, and none of its buttons
        expect(line).to_have_attribute("aria-expanded", "true")
        if "image" in step["media"]:
            picture = page.locator(".getting-started-media img")
            expect(picture).to_have_attribute("alt", step["media"]["altText"])
            window.page.wait_for_function(_IS_LOADED, arg=picture.element_handle())
    ask = page.locator(".getting-started-step[data-step-id$='ask']")
    ask.click(position={"x": 60, "y": 12})
    page.get_by_role("button", name="Ask a Question", exact=True).click()
    expect(window.title).to_contain_text("Scry: Find")
    window.press("Escape")
    expect(ask).to_have_attribute("aria-checked", "true")
