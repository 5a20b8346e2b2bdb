/** Opens pickers, one at a time, and connects them to the other components. */

import * as vscode from "vscode";
import { chooseScope } from "../projects";
import type { ResultActions } from "../results/actions";
import type { Answers } from "../results/answers";
import type { Details } from "../results/detail";
import type { Hit } from "../results/hit";
import type { Jumps } from "../results/jump";
import { readSettings } from "../settings";
import { attempt } from "../sidecar/problem";
import type { Sidecar } from "../sidecar/sidecar";
import type { Absences } from "../why/absence";
import type { WhyPanel } from "../why/panel";
import { FilterCompletions } from "./completions";
import type { Action } from "./items";
import { Picker } from "./picker";
import type { HowToOpen, PickerHost, Question } from "./question";

const KEY = "scry.queries";

/** Number of queries that are stored. */
const MAX_QUERIES = 50;

/** The queries of this workspace, newest first. */
export class QueryHistory {
  constructor(private readonly storage: vscode.Memento) {}

  get queries(): readonly string[] {
    return this.storage.get<readonly string[]>(KEY, []);
  }

  async add(query: string): Promise<void> {
    const trimmed = query.trim();
    if (!trimmed) return;
    await this.storage.update(
      KEY,
      [trimmed, ...this.queries.filter((other) => other !== trimmed)].slice(0, MAX_QUERIES),
    );
  }
}

export class PickerController {
  private current: Picker | undefined;

  constructor(
    private readonly absences: Absences,
    private readonly actions: ResultActions,
    private readonly answers: Answers,
    private readonly details: Details,
    private readonly history: QueryHistory,
    private readonly jumps: Jumps,
    private readonly why: WhyPanel,
    private readonly sidecar: Sidecar,
  ) {}

  get isOpen(): boolean {
    return this.current !== undefined;
  }

  open(question: Question, query = ""): void {
    this.current = new Picker(question, this.host());
    this.current.show(query);
  }

  async accept(how: HowToOpen): Promise<void> {
    await this.current?.accept(how);
  }

  /** Runs an act of the open picker; nothing where none is open. */
  act(name: "complete" | "showActions" | "showAll" | "toggleFurther" | "toggleLegend"): void {
    void this.current?.[name]();
  }

  private host(): PickerHost {
    return {
      settings: readSettings(),
      sidecar: this.sidecar,
      completions: new FilterCompletions(this.sidecar),
      queries: this.history.queries,
      onIndexChange: this.sidecar.onStatus,
      onSidecarChange: this.sidecar.onState,
      recordQuery: (query) => this.history.add(query),
      jump: (hit, how) =>
        attempt(() => this.jumps.jump(hit, { side: how === "side", background: how === "background" })),
      showAll: () => attempt(() => vscode.commands.executeCommand("scry.results.focus")),
      explainAbsence: (answer) => attempt(() => this.absences.explain(answer)),
      chooseProjects: (question, query) =>
        attempt(async () => {
          const scope = await chooseScope(this.sidecar);
          if (scope) this.open({ ...question, scope }, query);
        }),
      perform: (action, hit) => attempt(() => this.perform(action, hit)),
      onClose: (kept, last) => {
        this.current = undefined;
        if (last) this.answers.last = last;
        if (kept) this.answers.add(kept);
      },
    };
  }

  private async perform(action: Action, hit: Hit): Promise<void> {
    this.answers.select(hit);
    switch (action) {
      case "why":
        return this.why.show(hit);
      case "detail":
        await this.details.show(hit);
        return this.actions.recordUse(hit, "detail");
      case "copy":
        return this.actions.copy(hit);
      case "openLink":
        return this.actions.openLink(hit);
      case "copyLink":
        return this.actions.copyLink(hit);
      default:
        return this.actions.rate(hit, action);
    }
  }
}
