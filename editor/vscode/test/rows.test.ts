import assert from "node:assert/strict";
import { test } from "node:test";
import { shortenPlace } from "../src/picker/rows";

const LONG = "packages/server/engine/federation/selection.py:120";

test("a place that has room is whole", () => {
  assert.equal(shortenPlace("shop/mail.py:1", "send_receipt"), "shop/mail.py:1");
  assert.equal(shortenPlace("mail.py:1", "x".repeat(80)), "mail.py:1");
});

test("folders are cut off from the left, whole ones, and the file and line stay", () => {
  assert.equal(shortenPlace(LONG, "select_projects"), "…/engine/federation/selection.py:120");
  assert.equal(shortenPlace(LONG, "x".repeat(60)), "…/selection.py:120");
  assert.equal(shortenPlace(`a/${"b".repeat(70)}.py:1`, ""), `…/${"b".repeat(70)}.py:1`);
});

test("the shortened place fits into its room", () => {
  for (let length = 0; length < 40; length += 1) {
    const shown = shortenPlace(LONG, "x".repeat(length));
    assert.ok(shown.length <= Math.max(24, 52 - length));
  }
});
