/** The composition root: creates the components and disposes of them. */

import * as vscode from "vscode";
import { registerCommands } from "./commands";
import { completeAnswers } from "./index/indexing";
import { Status } from "./index/status";
import { registerLenses } from "./knowledge/lens";
import { PickerController, QueryHistory } from "./picker/controller";
import { registerPreviews } from "./picker/preview";
import { registerTeamFiles } from "./projects";
import { ResultActions } from "./results/actions";
import { Answers } from "./results/answers";
import { Details } from "./results/detail";
import { Jumps } from "./results/jump";
import { createRelatedView } from "./results/related";
import { createResultsView } from "./results/view";
import { requiresRestart } from "./settings";
import { Installer, offerInstallation } from "./sidecar/install";
import { Sidecar } from "./sidecar/sidecar";
import { registerReports, Subcommands } from "./sidecar/subcommands";
import { Absences } from "./why/absence";
import { WhyHover } from "./why/hover";
import { WhyPanel } from "./why/panel";

let sidecar: Sidecar | undefined;

/** Registers everything and starts the sidecar, without waiting for it. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Scry", { log: true });
  const installer = new Installer(context, log);
  sidecar = new Sidecar(context, installer, log);
  const status = new Status(sidecar);
  const answers = new Answers(context.workspaceState);
  const actions = new ResultActions(sidecar, log);
  const details = new Details(sidecar);
  const jumps = new Jumps(actions, answers, details, sidecar);
  const why = new WhyPanel(sidecar);
  const absences = new Absences(answers, sidecar, why);
  const history = new QueryHistory(context.workspaceState);
  const pickers = new PickerController(absences, actions, answers, details, history, jumps, why, sidecar);
  const subcommands = new Subcommands(context, installer);
  const components = {
    context,
    log,
    installer,
    sidecar,
    status,
    absences,
    answers,
    actions,
    jumps,
    details,
    why,
    pickers,
    subcommands,
  };
  context.subscriptions.push(log, status, answers, why, ...registerCommands(components));
  context.subscriptions.push(
    createResultsView(answers),
    completeAnswers(answers, sidecar),
    registerPreviews(),
    details,
    registerReports(),
    registerTeamFiles(sidecar),
    createRelatedView(answers, sidecar),
    registerLenses(sidecar),
    new WhyHover(sidecar, jumps).register(),
    offerInstallation(sidecar, installer),
    ...restartOnChanges(sidecar),
  );
  void sidecar.start();
}

/** Waits until the sidecar has ended, so that no process outlives the window. */
export async function deactivate(): Promise<void> {
  await sidecar?.dispose();
}

/** Restarts the sidecar after a change of its settings, and starts it when the workspace becomes trusted. */
function restartOnChanges(sidecar: Sidecar): vscode.Disposable[] {
  return [
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (requiresRestart(change)) void sidecar.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void sidecar.start()),
  ];
}
