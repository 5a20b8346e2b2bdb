import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Explanation } from "../src/generated/protocol";
import { escapeHtml, highlightWords, renderPage } from "../src/why/html";

const SAMPLES = "../../protocol/samples/scry.why";

/** Leaves a text as it is, as an English editor does. */
function english(message: string, ...args: (string | number)[]): string {
  return message.replaceAll(/\{(\d)\}/g, (_, index) => `${args[Number(index)]}`);
}

function explanation(name: string): Explanation {
  return JSON.parse(readFileSync(`${SAMPLES}/${name}.json`, "utf8")) as Explanation;
}

test("untrusted text can't become markup, nor hide or reorder text", () => {
  assert.equal(escapeHtml(`<b a="1" c='2'>&`), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
  assert.equal(escapeHtml("a\u202eb\u0007\n\tc"), "a\\u202eb\\u0007\n\tc");
});

test("words are marked regardless of case, the longest first, and never inside an entity", () => {
  assert.equal(
    highlightWords("Retry & retryPolicy", ["retry", "retrypolicy"]),
    "<mark>Retry</mark> &amp; <mark>retryPolicy</mark>",
  );
  assert.equal(highlightWords("a&b", ["amp"]), "a&amp;b");
  assert.equal(highlightWords("f(x)", ["(", ""]), "f<mark>(</mark>x)");
});

test("the page shows oracles, shares, structure, history and ranks in each mode", () => {
  const html = renderPage({ explanation: explanation("valid-result-full"), full: undefined, nonce: "n", t: english });
  for (const text of [
    "Semantic",
    "Lexical",
    "Temporal",
    "backoff → delay",
    "all other pairs",
    "importers",
    "14",
    "orient",
  ]) {
    assert.ok(html.includes(text), text);
  }
  assert.ok(html.includes('<rect class="less"'), "a negative share has a bar of its own colour");
});

test("the page names the other repositories that hold the content, and why another copy is shown", () => {
  const full = explanation("valid-result-full");
  assert.ok(full.result);
  const also_in = [{ project: "fork", doc_id: "fork:./<b>.py::f" }];
  const copied = {
    ...full,
    reason: "the answer shows core:./b.py::f instead",
    result: { ...full.result, copies: 3, also_in },
  };
  const html = renderPage({ explanation: copied, full: undefined, nonce: "n", t: english });
  for (const text of [
    "Same content in other repositories",
    "fork:./&lt;b&gt;.py::f",
    "and 2 more",
    "core:./b.py::f instead",
  ]) {
    assert.ok(html.includes(text), text);
  }
  const single = renderPage({ explanation: full, full: undefined, nonce: "n", t: english });
  assert.ok(!single.includes("Same content"));
});

test("the page of a missing document has no empty sections", () => {
  const html = renderPage({
    explanation: explanation("valid-result-missing"),
    full: undefined,
    nonce: "n",
    t: english,
  });
  assert.ok(!html.includes("What each oracle says"));
});

test("the content security policy allows only the stylesheet", () => {
  const hostile = {
    ...explanation("valid-result-full"),
    summary: "<script>1</script><img src=https://example.invalid>",
  };
  const html = renderPage({ explanation: hostile, full: undefined, nonce: "abc", t: english });
  assert.ok(html.includes(`content="default-src 'none'; style-src 'nonce-abc'"`));
  assert.ok(!/<script|<img| style=/.test(html));
});

test("the page says what it knows of a file that was not found", () => {
  const full = explanation("valid-result-full");
  const { result: _, ...rest } = full;
  const index = { ...full.index, state: "indexing", summary: "indexing 3 of 9 files" };
  const absent = { ...rest, doc_id: "./src/<a>.py", index, near: ["./src/b.py"], summary: "Not found", reason: "" };
  const html = renderPage({
    explanation: absent,
    full: undefined,
    remark: "not asked in core",
    nonce: "n",
    t: english,
  });
  for (const text of [
    "<h1>&lt;a&gt;.py ",
    "./src/&lt;a&gt;.py</p>",
    "not asked in core",
    "Similar names: ./src/b.py",
    "The index is not complete: indexing 3 of 9 files",
  ]) {
    assert.ok(html.includes(text), text);
  }
});

test("the page of a file names the place in it that ranks best", () => {
  const full = explanation("valid-result-full");
  const ofFile = { ...full, doc_id: "./src/retry.py" };
  const html = renderPage({ explanation: ofFile, full: undefined, nonce: "n", t: english });
  assert.ok(html.includes(`The best place in it: ${full.result?.doc_id}`));
});
