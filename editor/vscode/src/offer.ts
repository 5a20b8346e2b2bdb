/** Offers to install a missing sidecar, with one notification per session. */

import * as vscode from "vscode";
import type { Sidecar } from "./sidecar/sidecar";

export function offerInstallation(sidecar: Sidecar): vscode.Disposable {
  let isOffered = false;
  return sidecar.onState((state) => {
    if (isOffered || state.kind !== "failed" || state.problem.remedy !== "install") return;
    isOffered = true;
    void offer();
  });
}

async function offer(): Promise<void> {
  const install = "Install";
  const settings = "Open Settings";
  const chosen = await vscode.window.showInformationMessage(
    "Scry needs its sidecar, a Python program that this extension carries. Install it now, for this extension alone? What it needs is fetched from PyPI (about 100 MB).",
    install,
    settings,
  );
  if (chosen === install) await vscode.commands.executeCommand("scry.install");
  if (chosen === settings) await vscode.commands.executeCommand("scry.settings");
}
