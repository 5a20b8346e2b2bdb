/** Runs an action of the user, and shows its error as one message with a button for the remedy. */

import * as vscode from "vscode";
import { messageOf, Problem, REMEDIES } from "./sidecar/problem";

export async function attempt(action: () => unknown): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof vscode.CancellationError)) void showError(error);
  }
}

async function showError(error: unknown): Promise<void> {
  const remedy = REMEDIES[error instanceof Problem ? error.remedy : "log"];
  const chosen = await vscode.window.showErrorMessage(`Scry: ${messageOf(error).replace(/^Scry: /, "")}`, remedy.title);
  if (chosen) await vscode.commands.executeCommand(remedy.command);
}
