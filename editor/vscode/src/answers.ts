/** The last answers and the current result among them. */

import * as vscode from "vscode";
import { allFound, type Found } from "./found";
import type { Answer } from "./generated/protocol";

/** Number of answers in the side bar: as many as a person can tell apart. */
const KEPT = 20;

export class Answers implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private answers: readonly Answer[] = [];
  private at: Found | undefined;

  readonly onChange = this.changed.event;

  /** Newest first. */
  get all(): readonly Answer[] {
    return this.answers;
  }

  /** The current result, for commands without an argument: the last one used, or the first of the newest answer. */
  get current(): Found | undefined {
    return this.at;
  }

  /** Keeps an answer. The same question asked again takes the place of its earlier answer. */
  keep(answer: Answer): void {
    if (answer.results.length === 0 || this.answers.some((kept) => kept.query_id === answer.query_id)) return;
    const others = this.answers.filter((kept) => kept.query !== answer.query || kept.mode !== answer.mode);
    this.answers = [answer, ...others].slice(0, KEPT);
    this.at = allFound(answer)[0];
    this.tell();
  }

  moveTo(found: Found): void {
    this.keep(found.answer);
    this.at = found;
  }

  /** The result `steps` after the current one in its answer; undefined beyond its ends. */
  neighbor(steps: number): Found | undefined {
    if (!this.at) return undefined;
    const { answer, result } = this.at;
    return allFound(answer).find((found) => found.result.rank === result.rank + steps);
  }

  clear(): void {
    this.answers = [];
    this.at = undefined;
    this.tell();
  }

  dispose(): void {
    this.changed.dispose();
  }

  private tell(): void {
    void vscode.commands.executeCommand("setContext", "scry.hasResult", this.at !== undefined);
    this.changed.fire();
  }
}
