import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResultItem } from "../src/generated/protocol";
import { findWords, matchedWords } from "../src/results/highlights";

test("words are found regardless of case, and the longest one wins", () => {
  assert.deepEqual(findWords("sendReceipt receipt", ["receipt", "send", "sendreceipt"]), [
    [0, 11],
    [12, 19],
  ]);
  assert.deepEqual(findWords("a.b", ["."]), [[1, 2]]);
  assert.deepEqual(findWords("anything", []), []);
});

test("the words of all oracles are collected once, without the sign of a prefix", () => {
  const lexical = { rank: 1, raw_score: 1, score_type: "bm25", matches: ["mail", "rece…"] };
  const temporal = { rank: 1, raw_score: 1, score_type: "bm25", matches: ["mail"] };
  const result = { contributions: { lexical, temporal } } as unknown as ResultItem;
  assert.deepEqual(matchedWords(result), ["mail", "rece"]);
});
