/** Lists the user's notes, memories and sessions, and adds to them. */

import * as vscode from "vscode";
import { currentFolder, fromEachFolder, type InFolder } from "../folders";
import { type MemoryEntry, methods, type ObserveParams, type PersonaNote, type Session } from "../generated/protocol";
import { escapeIcons } from "../results/hit";
import type { Sidecar } from "../sidecar/sidecar";
import { ask, choose, type Item, oneLine, tell, timeOf } from "./dialogs";

/** Shows the user's own notes; the chosen one can be copied or forgotten. */
export async function showNotes(sidecar: Sidecar): Promise<void> {
  const { notes } = await sidecar.request(methods.persona, { action: "list" });
  const chosen = await choose(
    vscode.l10n.t("Scry: My Notes"),
    notes.map(noteItem),
    vscode.l10n.t("You have no notes yet."),
  );
  if (!chosen) return;
  await copyOrForget(chosen.text, async () => {
    const { note } = await sidecar.request(methods.persona, { action: "forget", doc_id: chosen.doc_id });
    return note ?? "";
  });
}

/** Keeps a note of the user, for all projects. */
export async function addNote(sidecar: Sidecar): Promise<void> {
  const text = await ask(
    vscode.l10n.t("Scry: Remember"),
    vscode.l10n.t("What do you want to be known in all projects?"),
  );
  if (!text) return;
  const { note } = await sidecar.request(methods.remember, { text });
  tell(note ?? "");
}

/** Shows the memories of the open projects, newest first; the chosen one can be copied or forgotten. */
export async function showMemories(sidecar: Sidecar): Promise<void> {
  const memories = await fromEachFolder(
    sidecar,
    async (folder) => (await sidecar.request(methods.memory, { action: "list", folder })).memories,
  );
  memories.sort((one, other) => other.entry.timestamp.localeCompare(one.entry.timestamp));
  const chosen = await choose(
    vscode.l10n.t("Scry: Memory"),
    memories.map(memoryItem),
    vscode.l10n.t("Nothing is remembered here yet."),
  );
  if (!chosen) return;
  const { entry, folder } = chosen;
  await copyOrForget(entry.text, async () => {
    const { note } = await sidecar.request(methods.memory, { action: "forget", ids: [entry.doc_id], folder });
    return note ?? "";
  });
}

const KINDS: ObserveParams["kind"][] = ["decision", "note", "error", "command", "test", "message"];

/** Keeps something in the memory of the project. */
export async function addMemory(sidecar: Sidecar): Promise<void> {
  const folder = (await currentFolder())?.uri.toString();
  if (folder === undefined) return;
  const kind = await vscode.window.showQuickPick(KINDS, {
    title: vscode.l10n.t("Scry: Observe"),
    placeHolder: vscode.l10n.t("What is it?"),
  });
  if (!kind) return;
  const text = await ask(
    vscode.l10n.t("Scry: Observe"),
    vscode.l10n.t("The {0}, in a sentence that makes sense by itself", kind),
  );
  if (!text) return;
  const { doc_id, note } = await sidecar.request(methods.observe, {
    kind: kind as ObserveParams["kind"],
    text,
    folder,
  });
  tell(doc_id ? vscode.l10n.t("remembered as {0}", doc_id) : (note ?? ""));
}

/** Shows the sessions of work in the open projects, newest first; one can be begun, or ended, in one project. */
export async function showSessions(sidecar: Sidecar): Promise<void> {
  const sessions = await fromEachFolder(
    sidecar,
    async (folder) => (await sidecar.request(methods.session, { action: "list", folder })).sessions,
  );
  sessions.sort((one, other) => other.entry.started.localeCompare(one.entry.started));
  const acts = [
    { label: `$(add) ${vscode.l10n.t("Begin a Session…")}`, value: "start" as const },
    { label: `$(check) ${vscode.l10n.t("End the Session")}`, value: "end" as const },
  ];
  const items = [...acts, ...sessions.map(sessionItem)];
  const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Scry: Sessions") });
  const folder = chosen?.value && (await currentFolder())?.uri.toString();
  if (!folder) return;
  if (chosen.value === "end")
    return tell((await sidecar.request(methods.session, { action: "end", folder })).note ?? "");
  const intent = await ask(vscode.l10n.t("Scry: Begin a Session"), vscode.l10n.t("What is the work about?"));
  if (intent) tell((await sidecar.request(methods.session, { action: "start", intent, folder })).note ?? "");
}

function sessionItem({ entry, project }: InFolder<Session>): Item<""> {
  const { intent, started, ended, memories } = entry;
  const facts = [timeOf(started), ended ? "" : vscode.l10n.t("open"), vscode.l10n.t("{0} memories", memories)];
  return {
    label: escapeIcons(intent) || vscode.l10n.t("(without an aim)"),
    description: [...facts, escapeIcons(project)].filter(Boolean).join("  ·  "),
    value: "",
  };
}

function noteItem(note: PersonaNote): Item<PersonaNote> {
  return { label: escapeIcons(oneLine(note.text)), description: note.domains.join(", "), value: note };
}

function memoryItem(memory: InFolder<MemoryEntry>): Item<InFolder<MemoryEntry>> {
  const { text, kind, timestamp } = memory.entry;
  return {
    label: escapeIcons(oneLine(text)),
    description: [kind, escapeIcons(memory.project)].filter(Boolean).join("  ·  "),
    detail: timeOf(timestamp),
    value: memory,
  };
}

async function copyOrForget(text: string, forget: () => Promise<string>): Promise<void> {
  const acts = [
    { label: vscode.l10n.t("Copy"), run: () => vscode.env.clipboard.writeText(text) },
    { label: vscode.l10n.t("Forget"), run: async () => tell(await forget()) },
  ];
  await (await vscode.window.showQuickPick(acts, { title: oneLine(text) }))?.run();
}
