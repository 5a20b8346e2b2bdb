/** Waits for events of the editor. */

import type * as vscode from "vscode";

/** Resolves at the next event, or after `timeoutMs` without one. */
export function nextEvent(event: vscode.Event<unknown>, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, timeoutMs);
    const subscription = event(done);
    function done(): void {
      clearTimeout(timer);
      subscription.dispose();
      resolve();
    }
  });
}
