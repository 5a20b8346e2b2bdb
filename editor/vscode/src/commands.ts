/** Registers every command. Titles and conditions are in package.json. */

import * as vscode from "vscode";
import type { ResultActions } from "./actions";
import type { Answers } from "./answers";
import { attempt } from "./attempt";
import { collectDebugInformation } from "./debug";
import type { Details } from "./detail";
import type { Found } from "./found";
import { type Answer, type IndexParams, methods } from "./generated/protocol";
import { whenSearchable } from "./indexing";
import type { Jumps } from "./jump";
import type { PickerController } from "./picker/controller";
import { addProject, chooseScope } from "./projects";
import { findQuestion, recentQuestion } from "./questions";
import { isFound } from "./results/tree";
import { readSettings } from "./settings";
import type { Installer } from "./sidecar/install";
import type { Sidecar } from "./sidecar/sidecar";
import { type Status, showStatus } from "./status";
import type { WhyPanel } from "./why/panel";

/** The components that commands use. */
export interface Parts {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly installer: Installer;
  readonly sidecar: Sidecar;
  readonly status: Status;
  readonly answers: Answers;
  readonly actions: ResultActions;
  readonly jumps: Jumps;
  readonly details: Details;
  readonly why: WhyPanel;
  readonly pickers: PickerController;
}

type Command = (argument: unknown) => unknown;

export function registerCommands(parts: Parts): vscode.Disposable[] {
  const table = { ...asking(parts), ...about(parts), ...walking(parts), ...running(parts) };
  return Object.entries(table).map(([name, command]) =>
    vscode.commands.registerCommand(`scry.${name}`, (argument: unknown) => attempt(() => command(argument))),
  );
}

function asking({ sidecar, pickers, answers }: Parts): Record<string, Command> {
  const keep = async (answer: Answer) => {
    if (answer.results.length === 0) return void vscode.window.showInformationMessage(`Scry: ${answer.notice}`);
    const focused = vscode.commands.executeCommand("scry.results.focus"); // first: who sees the results may go on
    answers.keep(answer); // at once: a view that was never open may take the focus only when it has something to show
    await focused;
  };
  return {
    find: () => pickers.open(findQuestion(sidecar)),
    findInProjects: async () => {
      const scope = await chooseScope(sidecar);
      if (scope) pickers.open(findQuestion(sidecar, scope));
    },
    addProject: () => addProject(sidecar),
    findSelection: () => pickers.open(findQuestion(sidecar), selectedText()),
    recent: () => pickers.open(recentQuestion(sidecar)),
    orient: async (chosen) => {
      const uri = chosen instanceof vscode.Uri ? chosen : await chooseFolder();
      if (!uri) return;
      const asked = { path: uri.toString(), limit: readSettings().limit };
      await keep(await whenSearchable(sidecar, () => sidecar.request(methods.orient, asked)));
    },
    neighbors: async (chosen) => {
      const uri = chosen instanceof vscode.Uri ? chosen : vscode.window.activeTextEditor?.document.uri;
      if (!uri) throw new Error("Open a file first: its neighbours are looked for.");
      const asked = { file: uri.toString(), limit: readSettings().limit };
      await keep(await whenSearchable(sidecar, () => sidecar.request(methods.neighbors, asked)));
    },
  };
}

/** Commands about one result: the one that is given (a line of the view), else the current one. */
function about({ actions, answers, details, jumps, why }: Parts): Record<string, Command> {
  const one = (command: (found: Found) => unknown) => (given: unknown) => {
    const found = isFound(given) ? given : answers.current;
    if (!found) throw new Error("There is no result yet: ask a question first.");
    return command(found);
  };
  return {
    why: one((found) => why.show(found)),
    detail: one(async (found) => {
      await details.show(found);
      await actions.used(found, "detail");
    }),
    copy: one((found) => actions.copy(found)),
    good: one((found) => actions.rate(found, "good")),
    bad: one((found) => actions.rate(found, "bad")),
    openResult: one((found) => jumps.jump(found, { peek: true })),
  };
}

function walking({ answers, pickers, jumps }: Parts): Record<string, Command> {
  const step = (steps: number) => async () => {
    const found = answers.neighbor(steps);
    if (found) await jumps.jump(found, { peek: true });
    else vscode.window.setStatusBarMessage("Scry: no further result", 3000);
  };
  return {
    nextResult: step(1),
    previousResult: step(-1),
    openToSide: async (given) => {
      const found = isFound(given) ? given : answers.current;
      if (pickers.isOpen) await pickers.acceptToSide();
      else if (found) await jumps.jump(found, { side: true });
    },
    clearResults: () => answers.clear(),
  };
}

function running({ context, installer, log, sidecar, status }: Parts): Record<string, Command> {
  const control = (action: IndexParams["action"]) => async () => {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      await sidecar.request(methods.index, { action, folder: folder.uri.toString() });
    }
  };
  return {
    rebuild: control("rebuild"),
    pause: control("pause"),
    resume: control("resume"),
    status: () => showStatus(sidecar),
    settings: () => vscode.commands.executeCommand("workbench.action.openSettings", "@ext:scry.scry"),
    log: () => log.show(),
    restart: () => sidecar.restart(),
    install: async () => {
      await installer.install(readSettings().interpreter, vscode.ProgressLocation.Notification);
      await sidecar.restart();
    },
    debugInformation: () => collectDebugInformation(context, sidecar, status),
  };
}

function selectedText(): string {
  const editor = vscode.window.activeTextEditor;
  return editor?.document.getText(editor.selection).trim().replaceAll(/\s+/g, " ") ?? "";
}

async function chooseFolder(): Promise<vscode.Uri | undefined> {
  const [only, ...others] = vscode.workspace.workspaceFolders ?? [];
  if (only && others.length === 0) return only.uri;
  return (await vscode.window.showWorkspaceFolderPick({ placeHolder: "Which folder?" }))?.uri;
}
