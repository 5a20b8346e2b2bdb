/** The question of a picker, and the services that it needs from the rest of the extension. */

import type * as vscode from "vscode";
import type { Scope } from "../projects";
import type { AskedAnswer } from "../results/asked";
import type { Hit } from "../results/hit";
import type { Settings } from "../settings";
import type { Sidecar } from "../sidecar/sidecar";
import type { FilterCompletions } from "./completions";
import type { Action } from "./items";

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
  ask(query: string, limit: number, scope: Scope, token: vscode.CancellationToken): Promise<AskedAnswer>;
}

/** here: in the active editor. background: behind the picker, which stays. */
export type HowToOpen = "here" | "side" | "background";

/** The services and events that the picker needs from the rest of the extension. */
export interface PickerHost {
  readonly settings: Settings;
  readonly queries: readonly string[];
  readonly sidecar: Sidecar;
  readonly completions: FilterCompletions;
  /** Fires whenever the state of an index changes. */
  readonly onIndexChange: vscode.Event<unknown>;
  /** Fires whenever the sidecar is started, or fails. */
  readonly onSidecarChange: vscode.Event<unknown>;
  /** Adds a query to the history. */
  recordQuery(query: string): Promise<void>;
  jump(hit: Hit, how: HowToOpen): Promise<void>;
  perform(action: Action, hit: Hit): Promise<void>;
  /** Shows the answers that are kept, the newest one first. */
  showAll(): Promise<void>;
  /** Explains why a file is not among the results of an answer; of the last one where none is given. */
  explainAbsence(answer: AskedAnswer | undefined): Promise<void>;
  /** Lets the user choose projects, and opens a picker of the same question for them. */
  chooseProjects(question: Question, query: string): unknown;
  /** Is called when the picker closes. kept: the last answer, if it was used or shown for long enough to be looked at.
   * last: the last answer, however long it was shown. */
  onClose(kept: AskedAnswer | undefined, last: AskedAnswer | undefined): void;
}
