/** Opens pickers, one at a time, and connects each with the rest of the extension. */

import type * as vscode from "vscode";
import type { ResultActions } from "../actions";
import type { Answers } from "../answers";
import { attempt } from "../attempt";
import type { Details } from "../detail";
import type { Found } from "../found";
import type { Jumps } from "../jump";
import { readSettings } from "../settings";
import type { WhyPanel } from "../why/panel";
import type { QueryHistory } from "./history";
import type { Action } from "./items";
import { Picker, type PickerHost, type Question } from "./picker";

export class PickerController {
  private current: Picker | undefined;

  constructor(
    private readonly actions: ResultActions,
    private readonly answers: Answers,
    private readonly details: Details,
    private readonly history: QueryHistory,
    private readonly jumps: Jumps,
    private readonly why: WhyPanel,
    private readonly onIndex: vscode.Event<unknown>,
  ) {}

  get isOpen(): boolean {
    return this.current !== undefined;
  }

  open(question: Question, words = ""): void {
    this.current = new Picker(question, this.host());
    this.current.show(words);
  }

  async acceptToSide(): Promise<void> {
    await this.current?.accept(true);
  }

  private host(): PickerHost {
    return {
      settings: readSettings(),
      queries: this.history.queries,
      onIndex: this.onIndex,
      asked: (words) => this.history.add(words),
      jump: (found, side) => attempt(() => this.jumps.jump(found, { side })),
      act: (action, found) => attempt(() => this.act(action, found)),
      closed: (answer) => {
        this.current = undefined;
        this.answers.keep(answer);
      },
    };
  }

  private async act(action: Action, found: Found): Promise<void> {
    this.answers.moveTo(found);
    switch (action) {
      case "why":
        return this.why.show(found);
      case "detail":
        await this.details.show(found);
        return this.actions.used(found, "detail");
      case "copy":
        return this.actions.copy(found);
      default:
        return this.actions.rate(found, action);
    }
  }
}
