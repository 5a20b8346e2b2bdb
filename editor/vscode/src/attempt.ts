/** Runs an action of the person and shows its error in one message, with a remedy where there is one. */

import * as vscode from "vscode";
import { Problem, REMEDIES, wordsOf } from "./sidecar/problem";

export async function attempt(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof vscode.CancellationError)) void tell(error);
  }
}

async function tell(error: unknown): Promise<void> {
  const remedy = REMEDIES[error instanceof Problem ? error.remedy : "log"];
  const chosen = await vscode.window.showErrorMessage(`Scry: ${wordsOf(error).replace(/^Scry: /, "")}`, remedy.title);
  if (chosen) await vscode.commands.executeCommand(remedy.command);
}
