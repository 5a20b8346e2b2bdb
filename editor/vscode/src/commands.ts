/** Registers every command. Their titles and conditions are in package.json. */

import * as vscode from "vscode";
import type { ResultActions } from "./actions";
import type { Answers } from "./answers";
import { attempt } from "./attempt";
import { collectDebugInformation } from "./debug";
import type { Details } from "./detail";
import { type Answer, type IndexParams, methods } from "./generated/protocol";
import type { Hit } from "./hit";
import { askWhenSearchable } from "./indexing";
import type { Jumps } from "./jump";
import type { PickerController } from "./picker/controller";
import { addProject, chooseScope } from "./projects";
import { findQuestion, recentQuestion } from "./questions";
import { isHit } from "./results/tree";
import { readSettings } from "./settings";
import type { Installer } from "./sidecar/install";
import type { Sidecar } from "./sidecar/sidecar";
import { type Status, showStatus } from "./status";
import type { WhyPanel } from "./why/panel";

/** The components that commands use. */
export interface Components {
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

export function registerCommands(components: Components): vscode.Disposable[] {
  const table = {
    ...questionCommands(components),
    ...resultCommands(components),
    ...navigationCommands(components),
    ...sidecarCommands(components),
  };
  return Object.entries(table).map(([name, command]) =>
    vscode.commands.registerCommand(`scry.${name}`, (argument: unknown) => attempt(() => command(argument))),
  );
}

function questionCommands({ sidecar, pickers, answers }: Components): Record<string, Command> {
  const showAnswer = async (answer: Answer) => {
    if (answer.results.length === 0) return void vscode.window.showInformationMessage(`Scry: ${answer.notice}`);
    const focusing = vscode.commands.executeCommand("scry.results.focus"); // awaited after the view has content
    answers.add(answer); // without content, a view that was never open does not take the focus
    await focusing;
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
      const params = { path: uri.toString(), limit: readSettings().limit };
      await showAnswer(await askWhenSearchable(sidecar, () => sidecar.request(methods.orient, params)));
    },
    neighbors: async (chosen) => {
      const uri = chosen instanceof vscode.Uri ? chosen : vscode.window.activeTextEditor?.document.uri;
      if (!uri) throw new Error("Open a file first: its neighbours are looked for.");
      const params = { file: uri.toString(), limit: readSettings().limit };
      await showAnswer(await askWhenSearchable(sidecar, () => sidecar.request(methods.neighbors, params)));
    },
  };
}

/** Returns the commands on one result: the view's line that VS Code passes, or else the current result. */
function resultCommands({ actions, answers, details, jumps, why }: Components): Record<string, Command> {
  const onResult = (command: (hit: Hit) => unknown) => (argument: unknown) => {
    const hit = isHit(argument) ? argument : answers.current;
    if (!hit) throw new Error("There is no result yet: ask a question first.");
    return command(hit);
  };
  return {
    why: onResult((hit) => why.show(hit)),
    detail: onResult(async (hit) => {
      await details.show(hit);
      await actions.recordUse(hit, "detail");
    }),
    copy: onResult((hit) => actions.copy(hit)),
    good: onResult((hit) => actions.rate(hit, "good")),
    bad: onResult((hit) => actions.rate(hit, "bad")),
    openResult: onResult((hit) => jumps.jump(hit, { preview: true })),
  };
}

function navigationCommands({ answers, pickers, jumps }: Components): Record<string, Command> {
  const step = (steps: number) => async () => {
    const hit = answers.neighbor(steps);
    if (hit) await jumps.jump(hit, { preview: true });
    else vscode.window.setStatusBarMessage("Scry: no further result", 3000);
  };
  return {
    nextResult: step(1),
    previousResult: step(-1),
    openToSide: async (argument) => {
      const hit = isHit(argument) ? argument : answers.current;
      if (pickers.isOpen) await pickers.acceptToSide();
      else if (hit) await jumps.jump(hit, { side: true });
    },
    clearResults: () => answers.clear(),
  };
}

function sidecarCommands({ context, installer, log, sidecar, status }: Components): Record<string, Command> {
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
