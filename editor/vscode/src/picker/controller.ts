/** Opens pickers, one at a time, and connects them to the other components. */

import type * as vscode from "vscode";
import type { ResultActions } from "../actions";
import type { Answers } from "../answers";
import type { Details } from "../detail";
import type { Hit } from "../hit";
import type { Jumps } from "../jump";
import { readSettings } from "../settings";
import { attempt } from "../sidecar/problem";
import type { Sidecar } from "../sidecar/sidecar";
import type { WhyPanel } from "../why/panel";
import type { Action } from "./items";
import { Picker, type PickerHost, type Question } from "./picker";

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

  async acceptToSide(): Promise<void> {
    await this.current?.accept(true);
  }

  toggleFurther(): void {
    this.current?.toggleFurther();
  }

  private host(): PickerHost {
    return {
      settings: readSettings(),
      queries: this.history.queries,
      onIndexChange: this.sidecar.onStatus,
      onSidecarChange: this.sidecar.onState,
      recordQuery: (query) => this.history.add(query),
      jump: (hit, side) => attempt(() => this.jumps.jump(hit, { side })),
      perform: (action, hit) => attempt(() => this.perform(action, hit)),
      onClose: (answer) => {
        this.current = undefined;
        if (answer) this.answers.add(answer);
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
      default:
        return this.actions.rate(hit, action);
    }
  }
}
