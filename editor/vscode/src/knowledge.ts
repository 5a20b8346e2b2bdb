/** Lists beliefs, the user's notes, memories and sessions, and adds to them. */

import * as vscode from "vscode";
import { type Belief, type MemoryEntry, methods, type ObserveParams, type PersonaNote } from "./generated/protocol";
import { escapeIcons } from "./hit";
import type { Sidecar } from "./sidecar/sidecar";

interface Item<T> extends vscode.QuickPickItem {
  readonly value: T;
}

/** Shows the beliefs of the project; the chosen one's file is opened. */
export async function showBeliefs(sidecar: Sidecar): Promise<void> {
  const { beliefs } = await sidecar.request(methods.beliefs, { action: "list" });
  const chosen = await choose("Scry: Beliefs", beliefs.map(beliefItem), "There are no beliefs yet.");
  if (chosen) await openBelief(chosen);
}

/** Gives the chosen belief another id, and opens its file. */
export async function renameBelief(sidecar: Sidecar): Promise<void> {
  const { beliefs } = await sidecar.request(methods.beliefs, { action: "list" });
  const chosen = await choose("Scry: Rename Belief", beliefs.map(beliefItem), "There are no beliefs yet.");
  if (!chosen) return;
  const id = await ask("Scry: Rename Belief", "What is its new id? Empty: one of its statement's words");
  if (id === undefined) return;
  const renamed = await sidecar.request(methods.beliefs, {
    action: "rename",
    id: chosen.doc_id,
    ...(id && { new_id: id }),
  });
  tell(renamed.note ?? "");
  if (renamed.beliefs[0]) await openBelief(renamed.beliefs[0]);
}

/** Writes a belief, and opens its file, so that evidence can be added. */
export async function addBelief(sidecar: Sidecar): Promise<void> {
  const statement = await ask("Scry: Add Belief", "What does the team believe, in a sentence?");
  if (!statement) return;
  const { beliefs } = await sidecar.request(methods.believe, { statement });
  if (beliefs[0]) await openBelief(beliefs[0]);
}

/** Shows the user's own notes; the chosen one can be copied or forgotten. */
export async function showNotes(sidecar: Sidecar): Promise<void> {
  const { notes } = await sidecar.request(methods.persona, { action: "list" });
  const chosen = await choose("Scry: My Notes", notes.map(noteItem), "You have no notes yet.");
  if (!chosen) return;
  await copyOrForget(chosen.text, async () => {
    const { note } = await sidecar.request(methods.persona, { action: "forget", doc_id: chosen.doc_id });
    return note ?? "";
  });
}

/** Keeps a note of the user, for all projects. */
export async function addNote(sidecar: Sidecar): Promise<void> {
  const text = await ask("Scry: Remember", "What do you want to be known in all projects?");
  if (!text) return;
  const { note } = await sidecar.request(methods.remember, { text });
  tell(note ?? "");
}

/** Shows the memories of the project; the chosen one can be copied or forgotten. */
export async function showMemories(sidecar: Sidecar): Promise<void> {
  const { memories } = await sidecar.request(methods.memory, { action: "list" });
  const chosen = await choose("Scry: Memory", memories.map(memoryItem), "Nothing is remembered here yet.");
  if (!chosen) return;
  await copyOrForget(chosen.text, async () => {
    const { note } = await sidecar.request(methods.memory, { action: "forget", ids: [chosen.doc_id] });
    return note ?? "";
  });
}

const KINDS: ObserveParams["kind"][] = ["decision", "note", "error", "command", "test", "message"];

/** Keeps something in the memory of the project. */
export async function addMemory(sidecar: Sidecar): Promise<void> {
  const kind = await vscode.window.showQuickPick(KINDS, { title: "Scry: Observe", placeHolder: "What is it?" });
  if (!kind) return;
  const text = await ask("Scry: Observe", `The ${kind}, in a sentence that makes sense by itself`);
  if (!text) return;
  const { doc_id, note } = await sidecar.request(methods.observe, { kind: kind as ObserveParams["kind"], text });
  tell(doc_id ? `remembered as ${doc_id}` : (note ?? ""));
}

/** Shows the sessions of work, which can be begun and ended. */
export async function showSessions(sidecar: Sidecar): Promise<void> {
  const { sessions } = await sidecar.request(methods.session, { action: "list" });
  const listed = sessions.map(({ intent, started, ended, memories }) => ({
    label: escapeIcons(intent) || "(without an aim)",
    description: `${started}${ended ? "" : "  ·  open"}  ·  ${memories} memories`,
    value: "" as const,
  }));
  const acts = [
    { label: "$(add) Begin a Session…", value: "start" as const },
    { label: "$(check) End the Session", value: "end" as const },
  ];
  const chosen = await vscode.window.showQuickPick([...acts, ...listed], { title: "Scry: Sessions" });
  if (chosen?.value === "end") tell((await sidecar.request(methods.session, { action: "end" })).note ?? "");
  if (chosen?.value !== "start") return;
  const intent = await ask("Scry: Begin a Session", "What is the work about?");
  if (intent) tell((await sidecar.request(methods.session, { action: "start", intent })).note ?? "");
}

function beliefItem(belief: Belief): Item<Belief> {
  const { status, statement, impact } = belief;
  const warnings = (impact.warnings ?? []).map((warning) => `$(warning) ${escapeIcons(warning)}`).join("  ");
  return {
    label: escapeIcons(statement),
    description: status === "active" ? "" : status,
    detail: warnings,
    value: belief,
  };
}

function noteItem(note: PersonaNote): Item<PersonaNote> {
  return { label: escapeIcons(oneLine(note.text)), description: note.domains.join(", "), value: note };
}

function memoryItem(memory: MemoryEntry): Item<MemoryEntry> {
  return {
    label: escapeIcons(oneLine(memory.text)),
    description: memory.kind,
    detail: memory.timestamp,
    value: memory,
  };
}

async function choose<T>(title: string, items: Item<T>[], empty: string): Promise<T | undefined> {
  if (items.length === 0) {
    void vscode.window.showInformationMessage(`Scry: ${empty}`);
    return undefined;
  }
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.value;
}

async function copyOrForget(text: string, forget: () => Promise<string>): Promise<void> {
  const act = await vscode.window.showQuickPick(["Copy", "Forget"], { title: oneLine(text) });
  if (act === "Copy") await vscode.env.clipboard.writeText(text);
  if (act === "Forget") tell(await forget());
}

async function openBelief({ location }: Belief): Promise<void> {
  if (!location) return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(location.uri));
  const { line, character } = location.range.start;
  const start = new vscode.Position(line, character);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(start, start) });
}

function ask(title: string, prompt: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true });
}

function tell(text: string): void {
  vscode.window.setStatusBarMessage(`Scry: ${escapeIcons(text)}`, 5000);
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
