/** Lets one process at a time install the sidecar, and replaces a lock whose owner has ended. Needs no editor.
 *
 * A lock is a file `lock.N` that holds its owner's process id, or 0 after a release. The highest N counts. A process takes
 * the lock by creating the next file, which only one process can, and removes the lower ones. The highest file is never
 * removed: so a process that was slow to take over a lock sees that another one was faster. */

import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds between two looks whether the owner has released the lock. */
const POLL_MS = 500;

/** Milliseconds that an owner may take to write its process id into the file that it has created. */
const WRITE_TIMEOUT_MS = 5000;

const NAME = /^lock\.([0-9]{1,9})$/;

/** The id of no process: the lock is free. */
const NOBODY = 0;

export interface Lock {
  /** Whether another process had the lock in the meantime. */
  readonly hasWaited: boolean;
  release(): Promise<void>;
}

/** Waits until no other process has the lock of a folder, and takes it. onWait: called before each wait. */
export async function takeLock(folder: string, onWait: () => void, pollMs = POLL_MS): Promise<Lock> {
  for (let hasWaited = false; ; hasWaited = true) {
    const file = await tryLock(folder);
    if (file) return { hasWaited, release: () => writeFile(file, String(NOBODY)) };
    onWait();
    await sleep(pollMs);
  }
}

/** Returns the file of the taken lock; undefined where another process has it, or was faster. */
async function tryLock(folder: string): Promise<string | undefined> {
  const highest = Math.max(0, ...(await numbers(folder)));
  if (highest > 0 && !(await isFree(fileOf(folder, highest)))) return undefined;
  const own = highest + 1;
  const file = fileOf(folder, own);
  try {
    await writeFile(file, String(process.pid), { flag: "wx" });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return undefined;
    throw error;
  }
  const others = (await numbers(folder)).filter((number) => number !== own);
  if (others.some((number) => number > own)) {
    await rm(file, { force: true });
    return undefined;
  }
  await Promise.all(others.map((number) => rm(fileOf(folder, number), { force: true })));
  return file;
}

/** Returns whether a lock was released, or its owner has ended. A lock that was just replaced is not free. */
async function isFree(file: string): Promise<boolean> {
  try {
    const text = await readFile(file, "utf8");
    if (text === "") return Date.now() - (await stat(file)).mtimeMs > WRITE_TIMEOUT_MS;
    const owner = Number(text);
    return owner === NOBODY || owner === process.pid || !isAlive(owner);
  } catch {
    return false;
  }
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false; // also where it is another user's: this folder's owners are all the same user's
  }
}

async function numbers(folder: string): Promise<number[]> {
  return (await readdir(folder)).flatMap((name) => {
    const number = NAME.exec(name)?.[1];
    return number ? [Number(number)] : [];
  });
}

function fileOf(folder: string, number: number): string {
  return path.join(folder, `lock.${number}`);
}
