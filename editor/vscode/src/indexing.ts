/** Repeats a question that found nothing while the index was incomplete, when the index has grown. */

import * as vscode from "vscode";
import { type Answer, methods } from "./generated/protocol";
import type { Sidecar } from "./sidecar/sidecar";

/** How long a question is repeated before its empty answer is shown. */
const PATIENCE_MS = 30_000;

/** The longest pause between two questions, should no notification of the index arrive. */
const LOOK_MS = 1000;

export async function whenSearchable(sidecar: Sidecar, ask: () => Promise<Answer>): Promise<Answer> {
  const first = await unlessTooEarly(sidecar, ask);
  if (first) return first;
  const options = { location: vscode.ProgressLocation.Window, title: "Scry: waiting for the index" };
  return vscode.window.withProgress(options, async () => {
    const end = Date.now() + PATIENCE_MS;
    while (Date.now() < end) {
      await news(sidecar);
      const answer = await unlessTooEarly(sidecar, ask);
      if (answer) return answer;
    }
    return ask();
  });
}

/** The answer; undefined where it is empty, or an error (no such file yet), only because the index is incomplete. */
async function unlessTooEarly(sidecar: Sidecar, ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    const answer = await ask();
    return answer.results.length === 0 && isBeingMade(answer.index.state) ? undefined : answer;
  } catch {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const asked = folders.map(({ uri }) => sidecar.request(methods.status, { folder: uri.toString() }));
    const states = await Promise.all(asked).catch(() => []);
    return states.some(({ state }) => isBeingMade(state)) ? undefined : ask(); // it may just have been completed
  }
}

function isBeingMade(state: string): boolean {
  return state === "starting" || state === "indexing";
}

function news(sidecar: Sidecar): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, LOOK_MS);
    const subscription = sidecar.onStatus(done);
    function done(): void {
      clearTimeout(timer);
      subscription.dispose();
      resolve();
    }
  });
}
