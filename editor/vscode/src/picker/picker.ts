/** The picker: answers as you type, in the server's order, with a preview of the one that has the focus. */

import * as vscode from "vscode";
import type { Found } from "../found";
import type { Answer, IndexState } from "../generated/protocol";
import { ALL_PROJECTS, OPEN_FOLDERS, type Scope, wordsOfScope } from "../projects";
import type { Settings } from "../settings";
import { wordsOf } from "../sidecar/problem";
import { type Action, actionOf, historyItems, type Item, itemsOf } from "./items";
import { Preview } from "./preview";

/** At most one question in so long, however fast one types: a key after a pause is asked at once, and what is typed
 * sooner is asked together. Shorter than the pause between two keys of a fast typist, which is about 100 ms. */
const APART_MS = 50;

/** Milliseconds between two repeats of a question while the index grows. */
const REFRESH_MS = 700;

/** A kind of question that a picker asks. */
export interface Question {
  readonly title: string;
  readonly placeholder: string;
  /** Whether it is asked without words, too; else earlier questions are offered. */
  readonly needsNoWords: boolean;
  /** The projects that it is asked of at first; a button switches to all. */
  readonly scope: Scope;
  ask(words: string, limit: number, scope: Scope, token: vscode.CancellationToken): Promise<Answer>;
}

/** Services that the picker uses. */
export interface PickerHost {
  readonly settings: Settings;
  readonly queries: readonly string[];
  /** Fires whenever the state of an index changes. */
  readonly onIndex: vscode.Event<unknown>;
  /** Adds a query to the history. */
  asked(words: string): Promise<void>;
  jump(found: Found, side: boolean): Promise<void>;
  act(action: Action, found: Found): Promise<void>;
  /** The last answer that was shown, when the picker closes. */
  closed(answer: Answer): void;
}

const STATUS_BUTTON = { tooltip: "Show Status", iconPath: new vscode.ThemeIcon("info") };
const RESUME_BUTTON = { tooltip: "Resume Indexing", iconPath: new vscode.ThemeIcon("debug-start") };
const ALL_BUTTON = { tooltip: "Search All Projects", iconPath: new vscode.ThemeIcon("folder-library") };
const ADD_BUTTON = { tooltip: "Add Project…", iconPath: new vscode.ThemeIcon("add") };
const OPEN_BUTTON = { tooltip: "Search the Open Folders", iconPath: new vscode.ThemeIcon("folder-opened") };

const NO_OTHER = "no other project is known yet";

export class Picker {
  private readonly pick = vscode.window.createQuickPick<Item>();
  private readonly preview = new Preview();
  private readonly closing: vscode.Disposable[] = [];
  private asking = new vscode.CancellationTokenSource();
  private timer: NodeJS.Timeout | undefined;
  private askedAt = 0;
  private refreshing: NodeJS.Timeout | undefined;
  private limit: number;
  private scope: Scope;
  private answer: Answer | undefined;
  private hasFailed = false;
  private hasNews = false;
  private isDone = false;

  constructor(
    private readonly question: Question,
    private readonly host: PickerHost,
  ) {
    this.limit = host.settings.limit;
    this.scope = question.scope;
    keepOrder(this.pick);
    this.say("");
    this.pick.placeholder = question.placeholder;
    this.closing.push(
      this.pick.onDidChangeValue(() => this.typed()),
      this.pick.onDidChangeActive(([item]) => this.focused(item)),
      this.pick.onDidAccept(() => void this.accept(false)),
      this.pick.onDidTriggerItemButton(({ item, button }) => void this.trigger(item, actionOf(button))),
      this.pick.onDidTriggerButton((button) => this.press(button)),
      this.pick.onDidHide(() => void this.close()),
      host.onIndex(() => {
        this.hasNews = true;
        this.lookAgain();
      }),
    );
  }

  show(words: string): void {
    void vscode.commands.executeCommand("setContext", "scry.pickerOpen", true);
    this.pick.value = words;
    this.pick.show();
    this.ask();
  }

  /** Takes the result that has the focus; without one, does nothing. */
  async accept(side: boolean): Promise<void> {
    const [item] = this.pick.activeItems;
    if (item?.type === "more") this.more();
    else if (item?.type === "query") this.pick.value = item.query;
    if (item?.type === "query") this.ask();
    if (item?.type !== "found") return;
    await this.host.asked(this.pick.value);
    await this.leave();
    await this.host.jump(item.found, side);
  }

  private typed(): void {
    this.preview.typed();
    this.limit = this.host.settings.limit;
    clearTimeout(this.timer);
    const wait = this.askedAt + APART_MS - Date.now();
    if (wait <= 0) this.ask();
    else this.timer = setTimeout(() => this.ask(), wait);
  }

  private ask(): void {
    clearTimeout(this.timer);
    this.askedAt = Date.now();
    this.hasNews = false;
    this.asking.cancel();
    this.asking.dispose();
    this.asking = new vscode.CancellationTokenSource();
    const words = this.pick.value.trim();
    if (words || this.question.needsNoWords) void this.answerTo(words, this.asking.token);
    else this.rest();
  }

  /** Shows earlier queries where nothing is typed. */
  private rest(): void {
    this.pick.busy = false;
    this.answer = undefined;
    this.say("");
    this.pick.items = historyItems(this.host.queries);
  }

  private async answerTo(words: string, token: vscode.CancellationToken): Promise<void> {
    this.pick.busy = true;
    try {
      const answer = await this.question.ask(words, this.limit, this.scope, token);
      if (token.isCancellationRequested) return;
      this.hasFailed = false;
      this.present(answer);
    } catch (error) {
      if (token.isCancellationRequested) return;
      this.hasFailed = true;
      this.lookAgain();
      this.pick.items = [{ type: "notice", label: `$(error) ${wordsOf(error)}`, alwaysShow: true }];
    } finally {
      if (!token.isCancellationRequested) this.pick.busy = false;
    }
  }

  private present(answer: Answer): void {
    const isSame = this.answer?.query === answer.query;
    const before = this.pick.activeItems[0];
    const at = this.pick.items.indexOf(before as Item);
    this.answer = answer;
    this.pick.items = itemsOf(answer, this.limit);
    const focus = isSame
      ? (this.pick.items.find((item) => isSameResult(item, before)) ?? this.pick.items[at])
      : undefined;
    if (focus) this.pick.activeItems = [focus];
    const isAlone = this.scope.all_projects === true && (answer.projects ?? []).length < 2;
    this.say(isAlone ? NO_OTHER : answer.results.length > 0 ? (answer.notice ?? "") : "");
    this.lookAgain();
  }

  /** Shows a notice about the answer in the picker's title, with a button for the next step. */
  private say(notice: string): void {
    const head = `${this.question.title}${wordsOfScope(this.scope)}`;
    const title = notice ? `${head}: ${notice}` : head;
    if (this.pick.title === title) return; // each assignment redraws the picker
    const others = this.scope === OPEN_FOLDERS ? ALL_BUTTON : OPEN_BUTTON;
    this.pick.title = title;
    this.pick.buttons = notice ? [...this.furtherFrom(notice), others] : [others];
  }

  private furtherFrom(notice: string): vscode.QuickInputButton[] {
    if (notice === NO_OTHER) return [ADD_BUTTON];
    return this.answer?.index.state === "paused" ? [RESUME_BUTTON, STATUS_BUTTON] : [STATUS_BUTTON];
  }

  private press(button: vscode.QuickInputButton): void {
    if (button.tooltip === STATUS_BUTTON.tooltip) return void vscode.commands.executeCommand("scry.status");
    if (button.tooltip === RESUME_BUTTON.tooltip) return void vscode.commands.executeCommand("scry.resume");
    if (button.tooltip === ADD_BUTTON.tooltip) return void vscode.commands.executeCommand("scry.addProject");
    this.scope = this.scope === OPEN_FOLDERS ? ALL_PROJECTS : OPEN_FOLDERS;
    this.answer = undefined; // its results may have other names in another scope
    this.say("");
    this.ask();
  }

  /** An answer from a part of an index, or none at all, is asked for again when the index has changed since; of projects
   * that are not open no news come, so that it is asked for as long as they are being indexed. */
  private lookAgain(): void {
    const index = this.answer?.index;
    const isPartial = index !== undefined && !isWhole(index);
    const isElsewhere = this.scope !== OPEN_FOLDERS && isPartial && !isHeld(index);
    if (this.refreshing || !(this.hasNews || isElsewhere) || !(isPartial || this.hasFailed)) return;
    this.refreshing = setTimeout(() => {
      this.refreshing = undefined;
      this.ask();
    }, REFRESH_MS);
  }

  private more(): void {
    this.limit += this.host.settings.limit;
    this.ask();
  }

  private focused(item: Item | undefined): void {
    if (item?.type === "found" && this.host.settings.preview) this.preview.soon(item.found);
  }

  private async trigger(item: Item, action: Action | undefined): Promise<void> {
    if (item.type !== "found" || !action) return;
    await this.host.asked(this.pick.value);
    if (action === "why" || action === "detail") await this.leave();
    await this.host.act(action, item.found);
  }

  /** Closes the picker because something was chosen. */
  private async leave(): Promise<void> {
    this.isDone = true;
    await this.preview.keep();
    this.pick.hide();
  }

  private async close(): Promise<void> {
    void vscode.commands.executeCommand("setContext", "scry.pickerOpen", false);
    clearTimeout(this.timer);
    clearTimeout(this.refreshing);
    this.asking.cancel();
    this.asking.dispose();
    if (this.answer) this.host.closed(this.answer);
    if (!this.isDone) await this.preview.restore();
    this.preview.dispose();
    for (const each of this.closing) each.dispose();
    this.pick.dispose();
  }
}

function isSameResult(item: Item, other: Item | undefined): boolean {
  return item.type === "found" && other?.type === "found" && item.found.result.doc_id === other.found.result.doc_id;
}

function isWhole({ state, history }: IndexState): boolean {
  return state === "ready" && history !== "pending";
}

/** Whether the index stays as it is until a person acts. */
function isHeld({ state }: IndexState): boolean {
  return state === "paused" || state === "failed";
}

/** A quick pick sorts by where its label matches the words. That is not in the API's types, and a test holds it. */
function keepOrder(pick: vscode.QuickPick<Item>): void {
  (pick as vscode.QuickPick<Item> & { sortByLabel: boolean }).sortByLabel = false;
}
