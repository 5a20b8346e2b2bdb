/** An index that is only being made may have nothing to say yet: then the same is asked again when it has grown. */

import * as vscode from "vscode";
import type { Answer } from "./generated/protocol";
import type { Sidecar } from "./sidecar/sidecar";

/** How long a person waits for an answer rather than for the news that there is none. */
const PATIENCE_MS = 30_000;

/** A look at least so often, should no news of the index come. */
const LOOK_MS = 1000;

export async function whenSearchable(sidecar: Sidecar, ask: () => Promise<Answer>): Promise<Answer> {
  const first = await ask();
  if (!isTooEarly(first)) return first;
  const options = { location: vscode.ProgressLocation.Window, title: "Scry: waiting for the index" };
  return vscode.window.withProgress(options, async () => {
    const end = Date.now() + PATIENCE_MS;
    let answer = first;
    while (isTooEarly(answer) && Date.now() < end) {
      await news(sidecar);
      answer = await ask();
    }
    return answer;
  });
}

function isTooEarly({ results, index }: Answer): boolean {
  return results.length === 0 && (index.state === "starting" || index.state === "indexing");
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
