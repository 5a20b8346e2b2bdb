/** The picker: shows answers while the user types, in the server's order, and previews the focused result. */

import * as vscode from "vscode";
import { openFolders } from "../folders";
import { isComplete, isStopped } from "../index/indexing";
import { ALL_PROJECTS, isOpenFolders, OPEN_FOLDERS, type Scope, scopeLabel, TEAM } from "../projects";
import { keepOrder } from "../quickpick";
import type { AskedAnswer } from "../results/asked";
import type { Hit } from "../results/hit";
import { REMEDIES, type Remedy } from "../sidecar/problem";
import { BUTTONS } from "./buttons";
import { openFilter, withoutOpenFilter } from "./completions";
import { type Action, actOf, errorItems, historyItems, type Item, itemsOf, remarksOn } from "./items";
import { actionPage, filterPage, legendPage, type Page } from "./pages";
import { Preview } from "./preview";
import type { HowToOpen, PickerHost, Question } from "./question";
import { restrictions } from "./scopes";

/** The least number of milliseconds between two requests while the user types. A key after a pause sends its request at
 * once; keys within the interval share a request. It is shorter than the 100 ms between two keys of a fast typist. */
const MIN_INTERVAL_MS = 50;

/** Milliseconds between two repeats of a request while the index grows. */
const REFRESH_MS = 700;

/** Milliseconds that Enter waits for the answer to what was typed. */
const ACCEPT_TIMEOUT_MS = 5000;

/** Milliseconds after which an answer that stands counts as looked at, as in the log: it is kept when the picker closes. */
const SETTLE_MS = 1000;

const { t } = vscode.l10n;

const NO_OTHER_PROJECT = t("no other project is known yet");

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
  private answer: AskedAnswer | undefined;
  private answeredAt = 0;
  /** The words that the lines are about; undefined while no answer to what is typed is there. */
  private listed: string | undefined;
  /** An Enter that waits for the answer to what is typed. */
  private awaited: { readonly how: HowToOpen; readonly timer: NodeJS.Timeout } | undefined;
  /** The lines about what is typed, while a page is shown in their place too. */
  private lines: readonly Item[] = [];
  private completionLines: readonly Item[] = [];
  private page: Page | undefined;
  /** The line that had the focus before the page was shown. */
  private left: Item | undefined;
  private notice = "";
  private hasTeam = false;
  private readonly file = vscode.window.activeTextEditor?.document.uri;
  /** The doc_ids of the results below which the further places of their files are listed. */
  private readonly expanded = new Set<string>();
  private hasFailed = false;
  private hasIndexChanged = false;
  private isAccepted = false;
  private isUsed = false;
  private isSelected = false; // by a jump, which keeps the answer

  constructor(
    private readonly question: Question,
    private readonly host: PickerHost,
  ) {
    this.limit = host.settings.limit;
    this.scope = question.scope;
    keepOrder(this.pick);
    this.pick.matchOnDescription = true; // the editor marks what it matches
    this.pick.matchOnDetail = true;
    this.showNotice("");
    this.pick.placeholder = question.placeholder;
    this.subscriptions.push(
      this.pick.onDidChangeValue(() => this.onInput()),
      this.pick.onDidChangeActive(([item]) => this.onFocus(item)),
      this.pick.onDidAccept(() => void this.accept("here")),
      this.pick.onDidTriggerItemButton(({ item, button }) => {
        const act = actOf(button);
        if (act === "further") this.toggleFurther(item);
        else if (act === "menu") this.showActions(item);
        else if (item.type === "hit" && act) void this.performAction(item.hit, act);
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
    void this.question.hasTeam().then((hasTeam) => {
      this.hasTeam = hasTeam;
      if (hasTeam) this.showButtons();
    });
  }

  show(query: string): void {
    void vscode.commands.executeCommand("setContext", "scry.pickerOpen", true);
    this.pick.value = query;
    this.pick.show();
    this.ask();
  }

  /** Performs the line that has the focus: opens its result, requests more results, repeats its query or applies a remedy.
   *
   * While the lines are not about what is typed, it waits for those that are, and performs the first of them. */
  async accept(how: HowToOpen): Promise<void> {
    if (this.isAccepted) return; // by an Enter whose result is being opened
    if (!this.page && this.listed !== this.pick.value.trim()) this.awaitAnswer(how);
    else await this.perform(this.focusedItem(), how);
  }

  /** Shows what can be done with the result that has the focus. */
  showActions(item: Item | undefined = this.focusedItem()): void {
    if (item?.type !== "hit") return;
    const act = (action: Action, hit: Hit) => this.performAction(hit, action);
    this.showPage(actionPage(item.hit, { act, open: (hit, how) => this.open(hit, how) }));
  }

  /** Shows what the signs of a line mean, or the list again. */
  toggleLegend(): void {
    if (this.page) this.closePage();
    else this.showPage(legendPage());
  }

  /** Completes the filter that is being typed by the first completion. */
  complete(): void {
    void this.perform(this.completionLines[0], "here");
  }

  /** Hides the picker, and shows its answer with the earlier ones in the results view. */
  async showAll(): Promise<void> {
    if (!this.answer || this.answer.results.length === 0) return;
    await this.host.recordQuery(this.pick.value);
    this.hideAfterChoice();
    await this.preview.close();
    await this.host.showAll();
  }

  /** Hides the picker, and explains why a file is not among the results. */
  private async explainAbsence(): Promise<void> {
    const { answer } = this;
    await this.host.recordQuery(this.pick.value);
    this.hideAfterChoice();
    await this.preview.close();
    await this.host.explainAbsence(answer);
  }

  private showPage(page: Page): void {
    this.preview.postpone();
    this.stopAwaiting();
    if (!this.page) this.left = this.focusedItem();
    this.page = page;
    this.render();
    this.showNotice(this.notice);
  }

  private closePage(): void {
    if (!this.page) return;
    this.page = undefined;
    this.render(this.lines.find((line) => isSameResult(line, this.left)));
    this.showNotice(this.notice);
  }

  private setLines(lines: readonly Item[], focus?: Item): void {
    this.lines = lines;
    this.render(focus);
  }

  /** Shows the page, or else the completions and the lines, of which the first has the focus unless `focus` names one. */
  private render(focus?: Item): void {
    this.pick.items = this.page?.items ?? [...this.completionLines, ...this.lines];
    const target = this.page ? undefined : (focus ?? (this.completionLines.length > 0 ? this.lines[0] : undefined));
    if (target) this.pick.activeItems = [target];
  }

  /** Returns the line that has the focus; the first one while VS Code still reports one of an earlier list. */
  private focusedItem(): Item | undefined {
    const [focused] = this.pick.activeItems;
    return focused && this.pick.items.includes(focused) ? focused : (this.page?.items ?? this.lines)[0];
  }

  private async perform(item: Item | undefined, how: HowToOpen): Promise<void> {
    switch (item?.type) {
      case "more":
        return this.showMore();
      case "query":
      case "completion":
        this.pick.value = item.type === "query" ? item.query : item.value;
        return this.onInput();
      case "remedy":
        return this.apply(item.remedy);
      case "absence":
        return this.explainAbsence();
      case "act":
        this.closePage();
        await item.run();
        return;
      case "hit":
        return this.open(item.hit, how);
    }
  }

  /** Opens a result, and hides the picker after the request: the editor reads the file meanwhile. The preview is closed
   * before, unless the result takes its place. */
  private async open(hit: Hit, how: HowToOpen): Promise<void> {
    const query = this.pick.value;
    if (how === "background") {
      this.isUsed = true;
      await this.preview.clear();
      await this.host.jump(hit, how);
      return this.host.recordQuery(query);
    }
    this.isAccepted = this.isSelected = true;
    await (how === "side" ? this.preview.close() : this.preview.stop());
    const opened = this.host.jump(hit, how);
    this.hideAfterChoice();
    await opened;
    await Promise.all([this.preview.close(), this.host.recordQuery(query)]);
  }

  /** Waits for the answer to what is typed, for a while, and says so. */
  private awaitAnswer(how: HowToOpen): void {
    this.stopAwaiting();
    const timer = setTimeout(() => {
      this.stopAwaiting();
      this.showNotice(t("there is no answer yet"));
    }, ACCEPT_TIMEOUT_MS);
    this.awaited = { how, timer };
    this.showNotice(t("opening the first result once it is here …"));
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
    const doc_id = isExpanded ? parent.doc_id : first.doc_id;
    const lines = itemsOf(this.answer, this.limit, this.expanded);
    this.setLines(
      lines,
      lines.find((each) => each.type === "hit" && each.hit.result.doc_id === doc_id),
    );
  }

  private onInput(): void {
    this.preview.postpone();
    this.stopAwaiting();
    this.listed = undefined;
    this.limit = this.host.settings.limit;
    this.closePage();
    void this.listCompletions();
    clearTimeout(this.inputTimer);
    const wait = this.requestedAt + MIN_INTERVAL_MS - Date.now();
    if (wait <= 0) this.ask();
    else this.inputTimer = setTimeout(() => this.ask(), wait);
  }

  /** Lists what can complete the filter at the end of the input. Tab takes the first one; the results keep the focus. */
  private async listCompletions(): Promise<void> {
    const query = this.pick.value;
    const filter = openFilter(query);
    const lines = filter ? await this.host.completions.complete(filter).catch(() => []) : [];
    if (this.pick.value !== query || (lines.length === 0 && this.completionLines.length === 0)) return;
    const focused = this.pick.activeItems[0];
    this.completionLines = lines;
    void vscode.commands.executeCommand("setContext", "scry.completing", lines.length > 0);
    this.render(this.lines.find((line) => line === focused));
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
    this.setLines(historyItems(this.host.queries));
  }

  private async request(query: string, token: vscode.CancellationToken): Promise<void> {
    this.pick.busy = true;
    if (this.host.sidecar.state.kind === "starting") this.showNotice(t("starting …"));
    try {
      const answer = await this.question.ask(withoutOpenFilter(query), this.limit, this.scope, token);
      if (token.isCancellationRequested) return;
      this.hasFailed = false;
      this.showAnswer(answer);
      this.listed = query;
      if (query === this.pick.value.trim()) await this.performAwaited(); // else the next question waits to be sent
    } catch (error) {
      if (token.isCancellationRequested) return;
      this.hasFailed = true;
      this.listed = query;
      if (query === this.pick.value.trim()) this.stopAwaiting();
      this.answer = undefined;
      this.showNotice("");
      this.setLines(errorItems(error));
      this.scheduleRefresh();
    } finally {
      if (!token.isCancellationRequested) this.pick.busy = false;
    }
  }

  /** Performs the first line for an Enter that waited for it, if it is a result. */
  private async performAwaited(): Promise<void> {
    const how = this.awaited?.how;
    this.stopAwaiting();
    const [first] = this.lines;
    if (how !== undefined && first?.type === "hit") await this.perform(first, how);
  }

  private showAnswer(answer: AskedAnswer): void {
    const isSame = this.answer?.query === answer.query;
    if (!isSame) this.answeredAt = Date.now();
    const index = this.lines.indexOf(this.pick.activeItems[0] as Item);
    const focused = this.lines[index];
    this.answer = answer;
    if (!isSame) this.expanded.clear();
    const lines = itemsOf(answer, this.limit, this.expanded);
    // A person who is at the first line stays there: whatever comes first now is what was asked for.
    const hasMoved = isSame && index > 0;
    this.setLines(
      lines,
      hasMoved ? (lines.find((item) => isSameResult(item, focused)) ?? lines[index] ?? lines.at(-1)) : undefined,
    );
    const isAlone = this.scope.all_projects === true && (answer.projects ?? []).length <= openFolders().length;
    this.showNotice(isAlone ? NO_OTHER_PROJECT : answer.results.length > 0 ? remarksOn(answer) : "");
    this.scheduleRefresh();
  }

  /** Shows a notice about the answer in the picker's title, with buttons for what the user can do about it. */
  private showNotice(notice: string): void {
    this.notice = notice;
    const subject = `${this.question.title}${scopeLabel(this.scope)}`;
    const title = this.page ? `${subject} › ${this.page.title}` : notice ? `${subject}: ${notice}` : subject;
    if (this.pick.title === title) return; // each assignment redraws the picker
    this.pick.title = title;
    this.showButtons();
  }

  private showButtons(): void {
    if (this.page) this.pick.buttons = [vscode.QuickInputButtons.Back];
    else this.pick.buttons = [...this.listButtons(), ...this.remedyButtons()];
  }

  /** Returns the buttons that are always there, in the same order: VS Code reports a click by the button's index, also
   * in a row that was replaced in the meantime, so that a button whose index changes is taken for its neighbour. */
  private listButtons(): vscode.QuickInputButton[] {
    const scopeButton = isOpenFolders(this.scope) ? BUTTONS.allProjects : BUTTONS.openFolders;
    const teamButtons = this.hasTeam && !this.scope.team ? [BUTTONS.team] : [];
    const { status, filters, showAll, absence, legend } = BUTTONS;
    return [status, filters, scopeButton, showAll, absence, legend, ...teamButtons];
  }

  private remedyButtons(): vscode.QuickInputButton[] {
    if (this.notice === NO_OTHER_PROJECT) return [BUTTONS.addProject];
    return this.notice && this.answer?.index.state === "paused" ? [BUTTONS.resume] : [];
  }

  private onButton(button: vscode.QuickInputButton): void {
    if (button === vscode.QuickInputButtons.Back) return void this.closePage();
    const acts: Record<string, () => unknown> = {
      [BUTTONS.status.tooltip]: () => vscode.commands.executeCommand("scry.status"),
      [BUTTONS.resume.tooltip]: () => vscode.commands.executeCommand("scry.resume"),
      [BUTTONS.addProject.tooltip]: () => vscode.commands.executeCommand("scry.addProject"),
      [BUTTONS.filters.tooltip]: () => this.showFilters(),
      [BUTTONS.showAll.tooltip]: () => this.showAll(),
      [BUTTONS.absence.tooltip]: () => this.explainAbsence(),
      [BUTTONS.legend.tooltip]: () => this.toggleLegend(),
      [BUTTONS.allProjects.tooltip]: () => this.setScope(ALL_PROJECTS),
      [BUTTONS.openFolders.tooltip]: () => this.setScope(OPEN_FOLDERS),
      [BUTTONS.team.tooltip]: () => this.setScope(TEAM),
    };
    void acts[button.tooltip ?? ""]?.();
  }

  private showFilters(): void {
    const beginFilter = (field: string) => {
      this.pick.value = `${this.pick.value.trimEnd()} ${field}:`.trimStart();
      this.onInput();
    };
    const chooseProjects = () => this.host.chooseProjects(this.question, this.pick.value);
    const acts = { setScope: (scope: Scope) => this.setScope(scope), beginFilter, chooseProjects };
    this.showPage(filterPage(restrictions(this.file, this.host.sidecar, acts)));
  }

  private setScope(scope: Scope): void {
    this.scope = scope;
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
    const isPolled = !isOpenFolders(this.scope) && isPartial && !isStopped(index);
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

  private async performAction(hit: Hit, action: Action): Promise<void> {
    await this.host.recordQuery(this.pick.value);
    this.isUsed = true;
    if (action === "why" || action === "detail") {
      this.hideAfterChoice();
      await this.preview.close();
    }
    await this.host.perform(action, hit);
  }

  /** Hides the picker after the user has made a choice, which closes the preview at its own time. */
  private hideAfterChoice(): void {
    this.isAccepted = true;
    this.isUsed = true;
    this.pick.hide();
  }

  private async close(): Promise<void> {
    void vscode.commands.executeCommand("setContext", "scry.pickerOpen", false);
    void vscode.commands.executeCommand("setContext", "scry.completing", false);
    clearTimeout(this.inputTimer);
    clearTimeout(this.refreshTimer);
    this.stopAwaiting();
    this.cancellation.cancel();
    this.cancellation.dispose();
    const isLookedAt = this.isUsed || (this.listed !== undefined && Date.now() - this.answeredAt >= SETTLE_MS);
    this.host.onClose(isLookedAt && !this.isSelected ? this.answer : undefined, this.answer);
    if (!this.isAccepted) await this.preview.close();
    this.preview.dispose();
    for (const each of this.subscriptions) each.dispose();
    this.pick.dispose();
  }
}

function isSameResult(item: Item, other: Item | undefined): boolean {
  return item.type === "hit" && other?.type === "hit" && item.hit.result.doc_id === other.hit.result.doc_id;
}
