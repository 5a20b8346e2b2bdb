/** Repeats a question that found nothing in an incomplete index, until it is answered or the index is complete. */

import * as vscode from "vscode";
import { nextEvent } from "../event";
import { type Answer, methods } from "../generated/protocol";
import type { Sidecar } from "../sidecar/sidecar";

/** Milliseconds after which an empty answer is shown even though the index is incomplete. */
const TIMEOUT_MS = 30_000;

/** Milliseconds after which the question is repeated if the index has sent no notification. */
const POLL_MS = 1000;

export async function askWhenSearchable(sidecar: Sidecar, ask: () => Promise<Answer>): Promise<Answer> {
  const first = await askUnlessIncomplete(sidecar, ask);
  if (first) return first;
  const options = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Scry: waiting for the index") };
  return vscode.window.withProgress(options, async () => {
    const end = Date.now() + TIMEOUT_MS;
    while (Date.now() < end) {
      await nextEvent(sidecar.onStatus, POLL_MS);
      const answer = await askUnlessIncomplete(sidecar, ask);
      if (answer) return answer;
    }
    return ask();
  });
}

/** Returns the answer; undefined where it is empty or an error (as for an unknown file) and the index is incomplete. */
async function askUnlessIncomplete(sidecar: Sidecar, ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    const answer = await ask();
    return answer.results.length === 0 && isIncomplete(answer.index.state) ? undefined : answer;
  } catch {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const requests = folders.map(({ uri }) => sidecar.request(methods.status, { folder: uri.toString() }));
    const states = await Promise.all(requests).catch(() => []);
    return states.some(({ state }) => isIncomplete(state)) ? undefined : ask(); // it may just have become complete
  }
}

function isIncomplete(state: string): boolean {
  return state === "starting" || state === "indexing";
}
