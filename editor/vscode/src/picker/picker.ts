/** The picker: answers as you type, in the server's order, with a preview of the one that has the focus. */

import * as vscode from "vscode";
import type { Found } from "../found";
import type { Answer, IndexState } from "../generated/protocol";
import type { Settings } from "../settings";
import { wordsOf } from "../sidecar/problem";
import { type Action, actionOf, historyItems, type Item, itemsOf } from "./items";
import { Preview } from "./preview";

/** Who types fast asks once. Shorter than the pause between two keys of a fast typist, which is about 100 ms. */
const DEBOUNCE_MS = 50;

/** Between two looks at an index that grows while the picker is open. */
const REFRESH_MS = 700;

/** A kind of question that is asked in a picker. */
export interface Question {
  readonly title: string;
  readonly placeholder: string;
  /** Whether it is asked without words, too; else earlier questions are offered. */
  readonly needsNoWords: boolean;
  ask(words: string, limit: number, token: vscode.CancellationToken): Promise<Answer>;
}

/** What the picker needs done. */
export interface PickerHost {
  readonly settings: Settings;
  readonly queries: readonly string[];
  /** Fires whenever the state of an index changes. */
  readonly onIndex: vscode.Event<unknown>;
  /** Remembers words that led to something. */
  asked(words: string): Promise<void>;
  jump(found: Found, side: boolean): Promise<void>;
  act(action: Action, found: Found): Promise<void>;
  /** The last answer that was shown, when the picker closes. */
  closed(answer: Answer): void;
}

const STATUS_BUTTON = { tooltip: "Show Status", iconPath: new vscode.ThemeIcon("info") };

export class Picker {
  private readonly pick = vscode.window.createQuickPick<Item>();
  private readonly preview = new Preview();
  private readonly closing: vscode.Disposable[] = [];
  private asking = new vscode.CancellationTokenSource();
  private timer: NodeJS.Timeout | undefined;
  private refreshing: NodeJS.Timeout | undefined;
  private limit: number;
  private answer: Answer | undefined;
  private hasFailed = false;
  private hasNews = false;
  private isDone = false;

  constructor(
    private readonly question: Question,
    private readonly host: PickerHost,
  ) {
    this.limit = host.settings.limit;
    keepOrder(this.pick);
    this.pick.title = question.title;
    this.pick.placeholder = question.placeholder;
    this.closing.push(
      this.pick.onDidChangeValue(() => this.typed()),
      this.pick.onDidChangeActive(([item]) => this.focused(item)),
      this.pick.onDidAccept(() => void this.accept(false)),
      this.pick.onDidTriggerItemButton(({ item, button }) => void this.trigger(item, actionOf(button))),
      this.pick.onDidTriggerButton(() => void vscode.commands.executeCommand("scry.status")),
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
    this.limit = this.host.settings.limit;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), DEBOUNCE_MS);
  }

  private ask(): void {
    clearTimeout(this.timer);
    this.hasNews = false;
    this.asking.cancel();
    this.asking.dispose();
    this.asking = new vscode.CancellationTokenSource();
    const words = this.pick.value.trim();
    if (words || this.question.needsNoWords) void this.answerTo(words, this.asking.token);
    else this.rest();
  }

  /** Without words: earlier questions. */
  private rest(): void {
    this.pick.busy = false;
    this.answer = undefined;
    this.say(undefined);
    this.pick.items = historyItems(this.host.queries);
  }

  private async answerTo(words: string, token: vscode.CancellationToken): Promise<void> {
    this.pick.busy = true;
    try {
      const answer = await this.question.ask(words, this.limit, token);
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
    this.say(answer.results.length > 0 ? answer.notice : undefined);
    this.lookAgain();
  }

  /** What the person should know of the answer, in the picker's title, with a button that leads further. */
  private say(notice: string | undefined): void {
    this.pick.title = notice ? `${this.question.title}: ${notice}` : this.question.title;
    this.pick.buttons = notice ? [STATUS_BUTTON] : [];
  }

  /** An answer from a part of an index, or none at all, is asked for again when the index has changed since. */
  private lookAgain(): void {
    const isPartial = this.answer !== undefined && !isWhole(this.answer.index);
    if (this.refreshing || !this.hasNews || !(isPartial || this.hasFailed)) return;
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

/** A quick pick sorts by where its label matches the words. That is not in the API's types, and a test holds it. */
function keepOrder(pick: vscode.QuickPick<Item>): void {
  (pick as vscode.QuickPick<Item> & { sortByLabel: boolean }).sortByLabel = false;
}
