/** The latest answers, and the current result among them. They are stored with the workspace, and survive a reload. */

import * as vscode from "vscode";
import type { ResultItem } from "../generated/protocol";
import { type AskedAnswer, isInWords, isSameQuestion } from "./asked";
import { type Hit, hitNamed, hitsOf, type Reference } from "./hit";

const KEY = "scry.askedAnswers";

/** Number of answers that survive a reload, each with its results as far as they are shown. */
const MAX_STORED = 10;

/** Number of answers that the side bar lists. More of them would be hard to tell apart. */
const MAX_ANSWERS = 20;

export class Answers implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly selected = new vscode.EventEmitter<Hit>();
  private answers: readonly AskedAnswer[];
  private hit: Hit | undefined;
  /** The answer that a picker showed, or that was added or used last: also one that is not listed. */
  last: AskedAnswer | undefined;
  /** Whether the current result was seen: in a picker's preview, or by a jump. */
  private isSeen = true;

  readonly onChange = this.changed.event;
  /** Fires with the result that has become the current one by an act of the user. */
  readonly onSelect = this.selected.event;

  constructor(private readonly storage: vscode.Memento) {
    this.answers = storage.get<readonly AskedAnswer[]>(KEY, []);
    this.hit = this.answers[0] && hitsOf(this.answers[0])[0];
    this.notify();
  }

  /** All answers, newest first. */
  get all(): readonly AskedAnswer[] {
    return this.answers;
  }

  /** The result that commands without an argument act on: the one used last, or the first one of a newer answer. */
  get current(): Hit | undefined {
    return this.hit;
  }

  /** The answer to the last question in words, also one without results. */
  get lastInWords(): AskedAnswer | undefined {
    return [this.last, this.hit?.answer, ...this.answers].find((answer) => answer && isInWords(answer));
  }

  /** Adds an answer. It replaces the earlier answer to the same question. isSeen: whether its first result was shown. */
  add(answer: AskedAnswer, isSeen = true): void {
    this.last = answer;
    if (answer.results.length === 0 || this.answers.some((other) => other.query_id === answer.query_id)) return;
    const others = this.answers.filter((other) => !isSameQuestion(other, answer));
    this.answers = [answer, ...others].slice(0, MAX_ANSWERS);
    this.hit = hitsOf(answer)[0];
    this.isSeen = isSeen;
    this.store();
  }

  /** Makes a result the current one. */
  select(hit: Hit): void {
    this.add(hit.answer);
    this.hit = hit;
    this.isSeen = true;
    this.selected.fire(hit);
  }

  /** Returns the result that a link names; undefined where its answer is no longer listed. */
  hitNamed(reference: Reference): Hit | undefined {
    return this.answers.map((answer) => hitNamed(answer, reference)).find((hit) => hit !== undefined);
  }

  /** Replaces an answer by a newer one to the same question. The current result stays so if the newer answer has it. */
  replace(answer: AskedAnswer, newer: AskedAnswer): void {
    const replacing = { ...newer, id: answer.id };
    this.answers = this.answers.map((other) => (other.query_id === answer.query_id ? replacing : other));
    if (this.hit?.answer.query_id === answer.query_id) {
      const { doc_id } = this.hit.parent ?? this.hit.result;
      const hits = hitsOf(replacing);
      this.hit = hits.find(({ result }) => result.doc_id === doc_id) ?? hits[0];
    }
    this.store();
  }

  remove(answer: AskedAnswer): void {
    if (this.last?.query_id === answer.query_id) this.last = undefined;
    this.answers = this.answers.filter((other) => other.query_id !== answer.query_id);
    const [newest] = this.answers;
    if (this.hit?.answer.query_id === answer.query_id) this.hit = newest && hitsOf(newest)[0];
    this.store();
  }

  /** Returns the result `steps` after the current one in its answer, or that one itself if it is still to be seen;
   * undefined beyond the answer's ends. */
  neighbor(steps: number): Hit | undefined {
    if (!this.hit) return undefined;
    if (!this.isSeen && steps > 0) return this.hit;
    const { answer, result } = this.hit;
    return hitsOf(answer).find((hit) => hit.result.rank === result.rank + steps);
  }

  clear(): void {
    this.answers = [];
    this.last = this.hit = undefined;
    this.store();
  }

  dispose(): void {
    this.changed.dispose();
    this.selected.dispose();
  }

  private store(): void {
    void this.storage.update(KEY, this.answers.slice(0, MAX_STORED).map(withoutEvidence));
    this.notify();
  }

  private notify(): void {
    void vscode.commands.executeCommand("setContext", "scry.hasResult", this.hit !== undefined);
    this.changed.fire();
  }
}

/** Returns an answer without what only other requests need: they get it from the sidecar, which stores the answer. */
function withoutEvidence(answer: AskedAnswer): AskedAnswer {
  const shown = (result: ResultItem): ResultItem => ({
    ...result,
    contributions: {},
    adjustments: [],
    annotations: {},
  });
  return { ...answer, results: answer.results.map(shown) };
}
