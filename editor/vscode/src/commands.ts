/** Registers every command. Their titles and conditions are in package.json. */

import * as os from "node:os";
import * as vscode from "vscode";
import { chooseFolder } from "./folders";
import { type IndexParams, methods, PROTOCOL } from "./generated/protocol";
import { askWhenSearchable } from "./index/indexing";
import { type Status, showStatus } from "./index/status";
import { addBelief, renameBelief, showBeliefs, showBeliefsHere } from "./knowledge/beliefs";
import { addMemory, addNote, showMemories, showNotes, showSessions } from "./knowledge/notes";
import type { PickerController } from "./picker/controller";
import type { Question } from "./picker/question";
import { addProject, chooseScope, hasTeam, OPEN_FOLDERS, scopedParams, TEAM_SCHEME } from "./projects";
import type { ResultActions } from "./results/actions";
import type { Answers } from "./results/answers";
import { isAnswer, type PlaceQuestion, placeQuestion, scopeOf, withQuestion } from "./results/asked";
import type { Details } from "./results/detail";
import { type Hit, isHit, isReference } from "./results/hit";
import type { Jumps } from "./results/jump";
import { openRelated } from "./results/related";
import { readSettings } from "./settings";
import type { Installer } from "./sidecar/install";
import { attempt } from "./sidecar/problem";
import type { Sidecar } from "./sidecar/sidecar";
import type { Subcommands } from "./sidecar/subcommands";
import type { Absences } from "./why/absence";
import type { WhyPanel } from "./why/panel";

/** The components that commands use. */
export interface Components {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly installer: Installer;
  readonly sidecar: Sidecar;
  readonly status: Status;
  readonly absences: Absences;
  readonly answers: Answers;
  readonly actions: ResultActions;
  readonly jumps: Jumps;
  readonly details: Details;
  readonly why: WhyPanel;
  readonly pickers: PickerController;
  readonly subcommands: Subcommands;
}

/** A command with what VS Code passes: a line of a view, and all lines that are selected with it. */
type Command = (argument: unknown, selection?: unknown) => unknown;

export function registerCommands(components: Components): vscode.Disposable[] {
  const table = {
    ...questionCommands(components),
    ...resultCommands(components),
    ...navigationCommands(components),
    ...knowledgeCommands(components),
    ...sidecarCommands(components),
  };
  return Object.entries(table).map(([name, command]) =>
    vscode.commands.registerCommand(`scry.${name}`, (argument: unknown, selection: unknown) =>
      attempt(() => command(argument, selection)),
    ),
  );
}

function questionCommands({ sidecar, pickers, absences, answers }: Components): Record<string, Command> {
  const ask = async (question: PlaceQuestion) => {
    const answer = await askWhenSearchable(sidecar, question);
    if (answer.results.length === 0) return void vscode.window.showInformationMessage(`Scry: ${answer.notice}`);
    const focusing = vscode.commands.executeCommand("scry.results.focus"); // awaited after the view has content
    answers.add(answer, false); // without content, a view that was never open does not take the focus
    await focusing;
  };
  const askAbout = (mode: PlaceQuestion["mode"], uri: vscode.Uri, line?: number) =>
    ask({ mode, path: uri.toString(), scope: scopeOf(uri), ...(line !== undefined && { line }) });
  return {
    askAgain: async (answer) => {
      if (!isAnswer(answer)) return;
      const { mode, scope, words } = answer;
      const question = placeQuestion(answer);
      if (question) await ask(question);
      else pickers.open(mode === "recent" ? recentQuestion(sidecar, scope) : findQuestion(sidecar, scope), words);
    },
    whyNotFound: (subject) => absences.explain(subject),
    removeAnswer: (answer) => {
      if (isAnswer(answer)) answers.remove(answer);
    },
    copyQuestion: async (answer) => {
      if (isAnswer(answer)) await vscode.env.clipboard.writeText(answer.query);
    },
    find: () => pickers.open(findQuestion(sidecar)),
    findInProjects: async () => {
      const scope = await chooseScope(sidecar);
      if (scope) pickers.open(findQuestion(sidecar, scope));
    },
    addProject: () => addProject(sidecar),
    findSelection: () => pickers.open(findQuestion(sidecar), selectedText()),
    recent: () => pickers.open(recentQuestion(sidecar)),
    orient: async (chosen) => {
      const uri = chosen instanceof vscode.Uri ? chosen : (folderOfTeamFile() ?? (await chooseFolder())?.uri);
      if (uri) await askAbout("orient", uri);
    },
    neighbors: async (chosen) => {
      const uri = chosen instanceof vscode.Uri ? chosen : vscode.window.activeTextEditor?.document.uri;
      if (!uri) throw new Error(vscode.l10n.t("Open a file first: its neighbours are looked for."));
      await askAbout("neighbors", uri);
    },
    similar: async () => {
      const editor = vscode.window.activeTextEditor;
      if (!editor)
        throw new Error(vscode.l10n.t("Open a file first: what resembles the place at the cursor is looked for."));
      await askAbout("similar", editor.document.uri, editor.selection.active.line + 1);
    },
  };
}

/** Returns the commands on one result: the view's line that VS Code passes, or else the current result. */
function resultCommands({ actions, answers, details, jumps, why }: Components): Record<string, Command> {
  const onResult = (command: (hit: Hit) => unknown) => (argument: unknown) => {
    const hit = isReference(argument)
      ? (jumps.hitNamed(argument) ?? answers.hitNamed(argument))
      : isHit(argument)
        ? argument
        : answers.current;
    if (!hit) throw new Error(vscode.l10n.t("There is no such result any more: ask a question first."));
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
    openResult: onResult((hit) => jumps.jump(hit, { preview: true, isOld: true })),
  };
}

function navigationCommands({ actions, answers, pickers, jumps, sidecar }: Components): Record<string, Command> {
  const step = (steps: number) => async () => {
    const hit = answers.neighbor(steps);
    if (hit) await jumps.jump(hit, { preview: true, isOld: true });
    else vscode.window.setStatusBarMessage(`Scry: ${vscode.l10n.t("no further result")}`, 3000);
  };
  return {
    nextResult: step(1),
    previousResult: step(-1),
    openToSide: async (argument) => {
      const hit = isHit(argument) ? argument : answers.current;
      if (pickers.isOpen) await pickers.accept("side");
      else if (hit) await jumps.jump(hit, { side: true, isOld: true });
    },
    openRelated: (argument) => openRelated(argument, answers, actions, sidecar),
    openInBackground: () => pickers.accept("background"),
    openSelected: async (argument, selection) => {
      const chosen = Array.isArray(selection) && selection.length > 0 ? selection : [argument];
      for (const hit of chosen.filter(isHit)) await jumps.jump(hit, { isOld: true });
    },
    toggleFurther: () => pickers.act("toggleFurther"),
    resultActions: () => pickers.act("showActions"),
    legend: () => pickers.act("toggleLegend"),
    completeFilter: () => pickers.act("complete"),
    showAllResults: () => pickers.act("showAll"),
    clearResults: () => answers.clear(),
  };
}

function knowledgeCommands({ sidecar, subcommands }: Components): Record<string, Command> {
  return {
    beliefs: () => showBeliefs(sidecar),
    beliefsHere: () => showBeliefsHere(sidecar),
    addBelief: () => addBelief(sidecar),
    renameBelief: () => renameBelief(sidecar),
    notes: () => showNotes(sidecar),
    addNote: () => addNote(sidecar),
    memory: () => showMemories(sidecar),
    observe: () => addMemory(sidecar),
    sessions: () => showSessions(sidecar),
    manageLog: () => subcommands.manageLog(),
    insights: () => subcommands.insights(),
    doctor: () => subcommands.doctor(),
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

/** Returns the folder of the file of the team that is being read; undefined for any other file. */
function folderOfTeamFile(): vscode.Uri | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri?.scheme === TEAM_SCHEME ? vscode.Uri.joinPath(uri, "..") : undefined;
}

/** The picker's name. A newer question of the same name cancels the older one, and only the last one is logged. */
const PICKER = "vscode";

function findQuestion(sidecar: Sidecar, scope = OPEN_FOLDERS): Question {
  return {
    title: vscode.l10n.t("Scry: Find"),
    placeholder: vscode.l10n.t(
      'Where is …? Words, names, "exact text"; lang:, path:, type: filter, with - in front they exclude',
    ),
    allowsEmptyQuery: false,
    scope,
    hasTeam: () => hasTeam(sidecar),
    ask: async (query, limit, currentScope, token) => {
      const params = { limit, picker: PICKER, ...scopedParams(query, currentScope) };
      return withQuestion(await sidecar.request(methods.find, params, token), query, currentScope);
    },
  };
}

function recentQuestion(sidecar: Sidecar, scope = OPEN_FOLDERS): Question {
  return {
    title: vscode.l10n.t("Scry: Recent Changes"),
    placeholder: vscode.l10n.t("What changed lately? Words narrow it down"),
    allowsEmptyQuery: true,
    scope,
    hasTeam: () => hasTeam(sidecar),
    ask: async (query, limit, currentScope, token) => {
      const params = { limit, picker: PICKER, ...scopedParams(query, currentScope) };
      return withQuestion(await sidecar.request(methods.recent, params, token), query, currentScope);
    },
  };
}

/** Shows debug information as JSON in an editor, so that the user can read it before sharing it. */
async function collectDebugInformation(
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
