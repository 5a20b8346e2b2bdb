import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Explanation } from "../src/generated/protocol";
import { escapeHtml, marked } from "../src/why/escape";
import { page } from "../src/why/html";

const SAMPLES = "../../protocol/samples/scry.why";

function explanation(name: string): Explanation {
  return JSON.parse(readFileSync(`${SAMPLES}/${name}.json`, "utf8")) as Explanation;
}

test("foreign text can't become markup, nor hide or reorder anything", () => {
  assert.equal(escapeHtml(`<b a="1" c='2'>&`), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
  assert.equal(escapeHtml("a\u202eb\u0007\n\tc"), "a\\u202eb\\u0007\n\tc");
});

test("words are marked whatever their case, the longest first, and never inside an entity", () => {
  assert.equal(
    marked("Retry & retryPolicy", ["retry", "retrypolicy"]),
    "<mark>Retry</mark> &amp; <mark>retryPolicy</mark>",
  );
  assert.equal(marked("a&b", ["amp"]), "a&amp;b");
  assert.equal(marked("f(x)", ["(", ""]), "f<mark>(</mark>x)");
});

test("the page shows every oracle, the shares, the structure, the history and the places", () => {
  const html = page({ explanation: explanation("valid-result-full"), full: undefined, nonce: "n" });
  for (const words of [
    "Semantic",
    "Lexical",
    "Temporal",
    "backoff → delay",
    "all other pairs",
    "importers",
    "14",
    "orient",
  ]) {
    assert.ok(html.includes(words), words);
  }
  assert.ok(html.includes('<rect class="less"'), "a share below zero has a bar of its own colour");
});

test("a page of a document that is not there has no empty sections", () => {
  const html = page({ explanation: explanation("valid-result-missing"), full: undefined, nonce: "n" });
  assert.ok(!html.includes("What each oracle says"));
});

test("the policy allows one stylesheet and nothing else", () => {
  const hostile = {
    ...explanation("valid-result-full"),
    summary: "<script>1</script><img src=https://example.invalid>",
  };
  const html = page({ explanation: hostile, full: undefined, nonce: "abc" });
  assert.ok(html.includes(`content="default-src 'none'; style-src 'nonce-abc'"`));
  assert.ok(!/<script|<img| style=/.test(html));
});
