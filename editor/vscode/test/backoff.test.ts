import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../src/sidecar/backoff";

const MINUTE = 60_000;

test("the wait doubles after each crash, up to a minute", () => {
  const backoff = new Backoff();
  const waits = Array.from({ length: 10 }, () => backoff.next(10));
  assert.deepEqual(waits.slice(0, 4), [500, 1000, 2000, 4000]);
  assert.equal(waits.at(-1), MINUTE);
});

test("a long uptime and a reset start the waits anew", () => {
  const backoff = new Backoff();
  backoff.next(10);
  backoff.next(10);
  assert.equal(backoff.next(3 * MINUTE), 500);
  assert.equal(backoff.next(10), 1000);
  backoff.reset();
  assert.equal(backoff.next(10), 500);
});
