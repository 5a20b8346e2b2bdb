/** Shows debug information as JSON in an editor, so that the user can read it before sharing it. */

import * as os from "node:os";
import * as vscode from "vscode";
import { PROTOCOL } from "./generated/protocol";
import { readSettings } from "./settings";
import type { Sidecar } from "./sidecar/sidecar";
import type { Status } from "./status";

export async function collectDebugInformation(
  context: vscode.ExtensionContext,
  sidecar: Sidecar,
  status: Status,
): Promise<void> {
  const facts = {
    extension: context.extension.packageJSON.version as string,
    protocol: PROTOCOL,
    editor: `${vscode.env.appName} ${vscode.version}${vscode.env.remoteName ? `, remote: ${vscode.env.remoteName}` : ""}`,
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    trusted: vscode.workspace.isTrusted,
    sidecar: sidecar.state,
    process: sidecar.processId,
    settings: readSettings(),
    folders: Object.fromEntries(status.folders),
  };
  const content = JSON.stringify(facts, undefined, 2);
  const document = await vscode.workspace.openTextDocument({ language: "json", content });
  await vscode.window.showTextDocument(document);
}
