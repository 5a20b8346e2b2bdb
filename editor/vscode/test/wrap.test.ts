import assert from "node:assert/strict";
import { test } from "node:test";
import { wrap } from "../src/picker/wrap";

test("a text is broken at spaces, and a long word is kept whole", () => {
  assert.deepEqual(wrap("Nothing found in 6 files.  Try other words.", 18), [
    "Nothing found in 6",
    "files. Try other",
    "words.",
  ]);
  assert.deepEqual(wrap("a incomprehensibilities b", 5), ["a", "incomprehensibilities", "b"]);
});
