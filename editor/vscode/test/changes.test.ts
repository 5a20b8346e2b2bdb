import assert from "node:assert/strict";
import { test } from "node:test";
import { parseChanges } from "../src/results/changes";

test("added, changed and deleted files are parsed", () => {
  assert.deepEqual(parseChanges("A\0new file.py\0M\0src/a.py\0D\0gone\n.py\0"), [
    { before: undefined, after: "new file.py" },
    { before: "src/a.py", after: "src/a.py" },
    { before: "gone\n.py", after: undefined },
  ]);
});

test("renamed and copied files have two paths", () => {
  assert.deepEqual(parseChanges("R087\0old.py\0new.py\0C100\0a\0b\0T\0link\0"), [
    { before: "old.py", after: "new.py" },
    { before: "a", after: "b" },
    { before: "link", after: "link" },
  ]);
});

test("a commit without files has no changes", () => {
  assert.deepEqual(parseChanges(""), []);
});
