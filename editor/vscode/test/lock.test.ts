import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { takeLock } from "../src/sidecar/lock";

// This file is a process that takes the lock, too: it is started with what it shall do and the folder.
const [role, folder = ""] = process.argv.slice(2);

const ROUNDS = 20;
const POLL_MS = 1;

/** Exit status of a process that had the lock together with another one. */
const NOT_ALONE = 3;

if (role) void work();
else runTests();

async function work(): Promise<void> {
  process.send?.("ready");
  await once(process, "message");
  for (let round = 0; round < ROUNDS; round += 1) {
    const lock = await takeLock(folder, () => undefined, POLL_MS);
    const inside = path.join(folder, "inside");
    await writeFile(inside, "", { flag: "wx" }).catch(() => process.exit(NOT_ALONE));
    await sleep(1);
    await rm(inside);
    if (role === "ends") process.kill(process.pid, "SIGKILL");
    await lock.release();
  }
  process.disconnect();
}

function runTests(): void {
  const made: string[] = [];
  const newFolder = async () => {
    made.push(await mkdtemp(path.join(tmpdir(), "scry-lock-")));
    return made.at(-1) ?? "";
  };
  after(() => Promise.all(made.map((each) => rm(each, { recursive: true }))));

  test("of several processes one has the lock, also when owners are killed", async () => {
    const place = await newFolder();
    const roles = ["releases", "ends", "releases", "ends", "releases", "ends"];
    const children = await Promise.all(roles.map((each) => start(each, place)));
    const ends = children.map((child) => once(child, "exit"));
    for (const child of children) child.send("go");
    const outcomes = await Promise.all(ends);
    assert.deepEqual(
      outcomes,
      roles.map((each) => (each === "ends" ? [null, "SIGKILL"] : [0, null])),
    );
  });

  test("a process that waited is told so", async () => {
    const place = await newFolder();
    const first = await takeLock(place, assert.fail);
    // The lock of this process is free for itself, which installs once at a time: the owner here is its parent.
    await writeFile(path.join(place, "lock.1"), String(process.ppid));
    let waits = 0;
    const second = await takeLock(
      place,
      () => {
        waits += 1;
        if (waits === 2) void first.release();
      },
      POLL_MS,
    );
    assert.deepEqual([first.hasWaited, second.hasWaited], [false, true]);
  });

  test("a lock that its owner did not write is free after a while", async () => {
    const place = await newFolder();
    await writeFile(path.join(place, "lock.7"), "");
    let waits = 0;
    await takeLock(
      place,
      () => {
        waits += 1;
        void utimes(path.join(place, "lock.7"), 0, 0);
      },
      POLL_MS,
    );
    assert.ok(waits > 0);
  });
}

async function start(what: string, place: string): Promise<ChildProcess> {
  const child = fork(__filename, [what, place], { execArgv: [] });
  await once(child, "message");
  return child;
}
