/** The latest answers, and the current result among them. */

import * as vscode from "vscode";
import type { Answer } from "./generated/protocol";
import { type Hit, hitsOf } from "./hit";

/** Number of answers that the side bar lists. More of them would be hard to tell apart. */
const MAX_ANSWERS = 20;

export class Answers implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private answers: readonly Answer[] = [];
  private hit: Hit | undefined;

  readonly onChange = this.changed.event;

  /** All answers, newest first. */
  get all(): readonly Answer[] {
    return this.answers;
  }

  /** The result that commands without an argument act on: the one used last, or the first one of a newer answer. */
  get current(): Hit | undefined {
    return this.hit;
  }

  /** Adds an answer. It replaces the earlier answer to the same question. */
  add(answer: Answer): void {
    if (answer.results.length === 0 || this.answers.some((other) => other.query_id === answer.query_id)) return;
    const others = this.answers.filter((other) => other.query !== answer.query || other.mode !== answer.mode);
    this.answers = [answer, ...others].slice(0, MAX_ANSWERS);
    this.hit = hitsOf(answer)[0];
    this.notify();
  }

  /** Makes a result the current one. */
  select(hit: Hit): void {
    this.add(hit.answer);
    this.hit = hit;
  }

  /** Returns the result `steps` after the current one in its answer; undefined beyond its ends. */
  neighbor(steps: number): Hit | undefined {
    if (!this.hit) return undefined;
    const { answer, result } = this.hit;
    return hitsOf(answer).find((hit) => hit.result.rank === result.rank + steps);
  }

  clear(): void {
    this.answers = [];
    this.hit = undefined;
    this.notify();
  }

  dispose(): void {
    this.changed.dispose();
  }

  private notify(): void {
    void vscode.commands.executeCommand("setContext", "scry.hasResult", this.hit !== undefined);
    this.changed.fire();
  }
}
