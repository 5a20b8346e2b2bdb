/** The picker: shows answers while the user types, in the server's order, and previews the focused result. */

import * as vscode from "vscode";
import type { Answer, IndexState } from "../generated/protocol";
import type { Hit } from "../hit";
import { ALL_PROJECTS, OPEN_FOLDERS, type Scope, scopeLabel, TEAM } from "../projects";
import type { Settings } from "../settings";
import { REMEDIES, type Remedy } from "../sidecar/problem";
import { type Action, actionOf, errorItems, historyItems, type Item, isFurtherButton, itemsOf } from "./items";
import { Preview } from "./preview";

/** The least number of milliseconds between two requests while the user types. A key after a pause sends its request at
 * once; keys within the interval share a request. It is shorter than the 100 ms between two keys of a fast typist. */
const MIN_INTERVAL_MS = 50;

/** Milliseconds between two repeats of a request while the index grows. */
const REFRESH_MS = 700;

/** Milliseconds that Enter waits for the answer to what was typed. */
const ACCEPT_TIMEOUT_MS = 5000;

/** Milliseconds after which an answer that stands counts as looked at, as in the log: it is kept when the picker closes. */
const SETTLE_MS = 1000;

/** A kind of question, such as find or recent. */
export interface Question {
  readonly title: string;
  readonly placeholder: string;
  /** Whether an empty input is sent, too. If not, the picker shows earlier queries instead. */
  readonly allowsEmptyQuery: boolean;
  /** The projects that are searched at first. A button switches to all projects. */
  readonly scope: Scope;
  /** Returns whether the index of a team can be searched, too. */
  hasTeam(): Promise<boolean>;
  ask(query: string, limit: number, scope: Scope, token: vscode.CancellationToken): Promise<Answer>;
}

/** The services and events that the picker needs from the rest of the extension. */
export interface PickerHost {
  readonly settings: Settings;
  readonly queries: readonly string[];
  /** Fires whenever the state of an index changes. */
  readonly onIndexChange: vscode.Event<unknown>;
  /** Fires whenever the sidecar is started, or fails. */
  readonly onSidecarChange: vscode.Event<unknown>;
  /** Adds a query to the history. */
  recordQuery(query: string): Promise<void>;
  jump(hit: Hit, side: boolean): Promise<void>;
  perform(action: Action, hit: Hit): Promise<void>;
  /** Is called when the picker closes, with the last answer if it was used, or shown for long enough to be looked at. */
  onClose(answer: Answer | undefined): void;
}

const STATUS_BUTTON = { tooltip: "Show Status", iconPath: new vscode.ThemeIcon("info") };
const RESUME_BUTTON = { tooltip: "Resume Indexing", iconPath: new vscode.ThemeIcon("debug-start") };
const ALL_BUTTON = { tooltip: "Search All Projects", iconPath: new vscode.ThemeIcon("folder-library") };
const TEAM_BUTTON = { tooltip: "Search the Team's Index", iconPath: new vscode.ThemeIcon("organization") };
const ADD_BUTTON = { tooltip: "Add Project…", iconPath: new vscode.ThemeIcon("add") };
const OPEN_BUTTON = { tooltip: "Search the Open Folders", iconPath: new vscode.ThemeIcon("folder-opened") };

const NO_OTHER_PROJECT = "no other project is known yet";

export class Picker {
  private readonly pick = vscode.window.createQuickPick<Item>();
  private readonly preview = new Preview();
  private readonly subscriptions: vscode.Disposable[] = [];
  private cancellation = new vscode.CancellationTokenSource();
  private inputTimer: NodeJS.Timeout | undefined;
  private requestedAt = 0;
  private refreshTimer: NodeJS.Timeout | undefined;
  private limit: number;
  private scope: Scope;
  private answer: Answer | undefined;
  private answeredAt = 0;
  /** The words that the lines are about; undefined while no answer to what is typed is there. */
  private listed: string | undefined;
  /** An Enter that waits for the answer to what is typed. */
  private awaited: { readonly side: boolean; readonly timer: NodeJS.Timeout } | undefined;
  /** The doc_ids of the results below which the further places of their files are listed. */
  private readonly expanded = new Set<string>();
  private hasFailed = false;
  private hasIndexChanged = false;
  private isAccepted = false;
  private isUsed = false;
  private hasTeam = false;
  private notice = "";

  constructor(
    private readonly question: Question,
    private readonly host: PickerHost,
  ) {
    this.limit = host.settings.limit;
    this.scope = question.scope;
    keepOrder(this.pick);
    this.showNotice("");
    this.pick.placeholder = question.placeholder;
    this.subscriptions.push(
      this.pick.onDidChangeValue(() => this.onInput()),
      this.pick.onDidChangeActive(([item]) => this.onFocus(item)),
      this.pick.onDidAccept(() => void this.accept(false)),
      this.pick.onDidTriggerItemButton(({ item, button }) => {
        if (isFurtherButton(button)) this.toggleFurther(item);
        else void this.onItemButton(item, actionOf(button));
      }),
      this.pick.onDidTriggerButton((button) => this.onButton(button)),
      this.pick.onDidHide(() => void this.close()),
      host.onSidecarChange(() => {
        if (this.hasFailed) this.ask();
      }),
      host.onIndexChange(() => {
        this.hasIndexChanged = true;
        this.scheduleRefresh();
      }),
    );
  }

  show(query: string): void {
    void vscode.commands.executeCommand("setContext", "scry.pickerOpen", true);
    this.pick.value = query;
    this.pick.show();
    this.ask();
    void this.question.hasTeam().then((hasTeam) => {
      this.hasTeam = hasTeam;
      if (hasTeam) this.showButtons();
    });
  }

  /** Performs the line that has the focus: opens its result, requests more results, repeats its query or applies a remedy.
   *
   * While the lines are not about what is typed, it waits for those that are, and performs the first of them. */
  async accept(side: boolean): Promise<void> {
    if (this.listed !== this.pick.value.trim()) this.awaitAnswer(side);
    else await this.perform(this.focusedItem(), side);
  }

  /** Returns the line that has the focus; the first one while VS Code still reports one of an earlier list. */
  private focusedItem(): Item | undefined {
    const [focused] = this.pick.activeItems;
    return focused && this.pick.items.includes(focused) ? focused : this.pick.items[0];
  }

  private async perform(item: Item | undefined, side: boolean): Promise<void> {
    switch (item?.type) {
      case "more":
        return this.showMore();
      case "query":
        this.pick.value = item.query;
        return this.ask();
      case "remedy":
        return this.apply(item.remedy);
      case "hit":
        await this.host.recordQuery(this.pick.value);
        return this.open(item.hit, side);
    }
  }

  /** Opens a result, and closes the preview: before, if the result is opened beside the editor that the preview hides. */
  private async open(hit: Hit, side: boolean): Promise<void> {
    this.hideAfterChoice();
    if (side) await this.preview.close();
    else await this.preview.stop();
    await this.host.jump(hit, side);
    await this.preview.close();
  }

  /** Waits for the answer to what is typed, for a while, and says so. */
  private awaitAnswer(side: boolean): void {
    this.stopAwaiting();
    const timer = setTimeout(() => {
      this.stopAwaiting();
      this.showNotice("there is no answer yet");
    }, ACCEPT_TIMEOUT_MS);
    this.awaited = { side, timer };
    this.showNotice("opening the first result once it is here …");
  }

  private stopAwaiting(): void {
    clearTimeout(this.awaited?.timer);
    this.awaited = undefined;
  }

  /** Installs or restarts the sidecar and asks again; any other remedy takes the place of the picker. */
  private async apply(remedy: Remedy): Promise<void> {
    if (remedy !== "install" && remedy !== "restart") this.pick.hide();
    await vscode.commands.executeCommand(REMEDIES[remedy].command);
  }

  /** Lists the further places of a result's file below it and moves the focus to the first one, or hides them again. */
  toggleFurther(item: Item | undefined = this.pick.activeItems[0]): void {
    if (item?.type !== "hit" || !this.answer) return;
    const parent = item.hit.parent ?? item.hit.result;
    const [first] = parent.further ?? [];
    if (!first) return;
    const isExpanded = this.expanded.delete(parent.doc_id);
    if (!isExpanded) this.expanded.add(parent.doc_id);
    this.pick.items = itemsOf(this.answer, this.limit, this.expanded);
    const doc_id = isExpanded ? parent.doc_id : first.doc_id;
    this.pick.activeItems = this.pick.items.filter((each) => each.type === "hit" && each.hit.result.doc_id === doc_id);
  }

  private onInput(): void {
    this.preview.postpone();
    this.stopAwaiting();
    this.listed = undefined;
    this.limit = this.host.settings.limit;
    clearTimeout(this.inputTimer);
    const wait = this.requestedAt + MIN_INTERVAL_MS - Date.now();
    if (wait <= 0) this.ask();
    else this.inputTimer = setTimeout(() => this.ask(), wait);
  }

  private ask(): void {
    clearTimeout(this.inputTimer);
    this.requestedAt = Date.now();
    this.hasIndexChanged = false;
    this.cancellation.cancel();
    this.cancellation.dispose();
    this.cancellation = new vscode.CancellationTokenSource();
    const query = this.pick.value.trim();
    if (query || this.question.allowsEmptyQuery) void this.request(query, this.cancellation.token);
    else this.showHistory();
  }

  private showHistory(): void {
    this.pick.busy = false;
    this.answer = undefined;
    this.listed = "";
    this.showNotice("");
    this.pick.items = historyItems(this.host.queries);
  }

  private async request(query: string, token: vscode.CancellationToken): Promise<void> {
    this.pick.busy = true;
    try {
      const answer = await this.question.ask(query, this.limit, this.scope, token);
      if (token.isCancellationRequested) return;
      this.hasFailed = false;
      this.showAnswer(answer);
      this.listed = query;
      await this.performAwaited();
    } catch (error) {
      if (token.isCancellationRequested) return;
      this.hasFailed = true;
      this.listed = query;
      this.stopAwaiting();
      this.answer = undefined;
      this.showNotice("");
      this.pick.items = errorItems(error);
      this.scheduleRefresh();
    } finally {
      if (!token.isCancellationRequested) this.pick.busy = false;
    }
  }

  /** Performs the first line for an Enter that waited for it, if it is a result. */
  private async performAwaited(): Promise<void> {
    const side = this.awaited?.side;
    this.stopAwaiting();
    const [first] = this.pick.items;
    if (side !== undefined && first?.type === "hit") await this.perform(first, side);
  }

  private showAnswer(answer: Answer): void {
    const isSame = this.answer?.query === answer.query;
    if (!isSame) this.answeredAt = Date.now();
    const focused = this.pick.activeItems[0];
    const index = this.pick.items.indexOf(focused as Item);
    this.answer = answer;
    if (!isSame) this.expanded.clear();
    this.pick.items = itemsOf(answer, this.limit, this.expanded);
    const focus = isSame
      ? (this.pick.items.find((item) => isSameResult(item, focused)) ?? this.pick.items[index])
      : undefined;
    if (focus) this.pick.activeItems = [focus];
    const isOnlyProject = this.scope.all_projects === true && (answer.projects ?? []).length < 2;
    this.showNotice(isOnlyProject ? NO_OTHER_PROJECT : answer.results.length > 0 ? (answer.notice ?? "") : "");
    this.scheduleRefresh();
  }

  /** Shows a notice about the answer in the picker's title, with buttons for what the user can do about it. */
  private showNotice(notice: string): void {
    const subject = `${this.question.title}${scopeLabel(this.scope)}`;
    const title = notice ? `${subject}: ${notice}` : subject;
    if (this.pick.title === title) return; // each assignment redraws the picker
    this.pick.title = title;
    this.notice = notice;
    this.showButtons();
  }

  private showButtons(): void {
    const scopeButtons = this.scope === OPEN_FOLDERS ? [ALL_BUTTON] : [OPEN_BUTTON];
    if (this.hasTeam && this.scope !== TEAM) scopeButtons.push(TEAM_BUTTON);
    this.pick.buttons = this.notice ? [...this.buttonsFor(this.notice), ...scopeButtons] : scopeButtons;
  }

  private buttonsFor(notice: string): vscode.QuickInputButton[] {
    if (notice === NO_OTHER_PROJECT) return [ADD_BUTTON];
    return this.answer?.index.state === "paused" ? [RESUME_BUTTON, STATUS_BUTTON] : [STATUS_BUTTON];
  }

  private onButton(button: vscode.QuickInputButton): void {
    if (button.tooltip === STATUS_BUTTON.tooltip) return void vscode.commands.executeCommand("scry.status");
    if (button.tooltip === RESUME_BUTTON.tooltip) return void vscode.commands.executeCommand("scry.resume");
    if (button.tooltip === ADD_BUTTON.tooltip) return void vscode.commands.executeCommand("scry.addProject");
    if (button.tooltip === TEAM_BUTTON.tooltip) this.scope = TEAM;
    else this.scope = this.scope === OPEN_FOLDERS ? ALL_PROJECTS : OPEN_FOLDERS;
    this.answer = undefined; // document names differ between scopes
    this.listed = undefined;
    this.showNotice("");
    this.ask();
  }

  /** Schedules a repeat of a request that failed or was answered from an incomplete index, if the index has changed
   * since, and of one that was answered without a team that was late.
   *
   * The sidecar sends no notification about projects that are not open. They are polled while they are being indexed. */
  private scheduleRefresh(): void {
    const index = this.answer?.index;
    const isPartial = index !== undefined && !isComplete(index);
    const isPolled = this.scope !== OPEN_FOLDERS && isPartial && !isStopped(index);
    const isLate = this.answer?.faults.some(({ retry }) => retry) ?? false;
    const hasChanged = (this.hasIndexChanged || isPolled) && (isPartial || this.hasFailed);
    if (this.refreshTimer || !(hasChanged || isLate)) return;
    this.refreshTimer = setTimeout(() => {
      this.refreshTimer = undefined;
      this.ask();
    }, REFRESH_MS);
  }

  private showMore(): void {
    this.limit += this.host.settings.limit;
    this.ask();
  }

  private onFocus(item: Item | undefined): void {
    if (item?.type === "hit" && this.host.settings.preview) this.preview.schedule(item.hit);
  }

  private async onItemButton(item: Item, action: Action | undefined): Promise<void> {
    if (item.type !== "hit" || !action) return;
    await this.host.recordQuery(this.pick.value);
    this.isUsed = true;
    if (action === "why" || action === "detail") {
      this.hideAfterChoice();
      await this.preview.close();
    }
    await this.host.perform(action, item.hit);
  }

  /** Hides the picker after the user has made a choice, which closes the preview at its own time. */
  private hideAfterChoice(): void {
    this.isAccepted = true;
    this.isUsed = true;
    this.pick.hide();
  }

  private async close(): Promise<void> {
    void vscode.commands.executeCommand("setContext", "scry.pickerOpen", false);
    clearTimeout(this.inputTimer);
    clearTimeout(this.refreshTimer);
    this.stopAwaiting();
    this.cancellation.cancel();
    this.cancellation.dispose();
    const isLookedAt = this.isUsed || (this.listed !== undefined && Date.now() - this.answeredAt >= SETTLE_MS);
    this.host.onClose(isLookedAt ? this.answer : undefined);
    if (!this.isAccepted) await this.preview.close();
    this.preview.dispose();
    for (const each of this.subscriptions) each.dispose();
    this.pick.dispose();
  }
}

function isSameResult(item: Item, other: Item | undefined): boolean {
  return item.type === "hit" && other?.type === "hit" && item.hit.result.doc_id === other.hit.result.doc_id;
}

function isComplete({ state, history }: IndexState): boolean {
  return state === "ready" && history !== "pending";
}

/** Returns whether the index does not change until the user acts. */
function isStopped({ state }: IndexState): boolean {
  return state === "paused" || state === "failed";
}

/** Stops the quick pick from sorting its items by their labels.
 *
 * The property is missing in the API's types. A test in a real VS Code checks that the order is kept. */
function keepOrder(pick: vscode.QuickPick<Item>): void {
  (pick as vscode.QuickPick<Item> & { sortByLabel: boolean }).sortByLabel = false;
}
