/** Jumps to a result: to its file, to the diff of a commit, or, without a location, to its full text. */

import * as vscode from "vscode";
import { type Location, methods } from "../generated/protocol";
import { locateTeamFile, TEAM_SCHEME } from "../projects";
import type { Sidecar } from "../sidecar/sidecar";
import type { ResultActions } from "./actions";
import type { Answers } from "./answers";
import { openCommit } from "./commit";
import type { Details } from "./detail";
import { type Hit, jumpTarget, type Reference, referenceTo, toUri } from "./hit";
import { revealJump } from "./reveal";

/** Number of the latest jumps that the hover can explain. */
const MAX_JUMPS = 200;

export interface JumpOptions {
  /** Opens the file in an editor group to the side. */
  readonly side?: boolean;
  /** Opens the file in a tab of its own and does not move the focus. */
  readonly background?: boolean;
  /** Opens the file in a preview tab and does not move the focus. */
  readonly preview?: boolean;
  /** Whether the answer may be old, so that its file may have changed since. */
  readonly isOld?: boolean;
}

/** Milliseconds that the sidecar may take to say where a result is by now. */
const LOCATE_TIMEOUT_MS = 1000;

export class Jumps {
  private latest: readonly Jump[] = [];

  constructor(
    private readonly actions: ResultActions,
    private readonly answers: Answers,
    private readonly details: Details,
    private readonly sidecar: Sidecar,
  ) {}

  /** Opens a result, and records the use once it is open. Throws where its file can't be opened.
   *
   * The result becomes the current one afterwards: the views that follow it take time from the editor that opens. */
  async jump(hit: Hit, options: JumpOptions = {}): Promise<void> {
    const { result } = hit;
    try {
      if (result.content_type === "commit") await openCommit(result, () => this.details.show(hit));
      else if (result.location) await this.open(hit, result.location, options);
      else await this.details.show(hit);
    } finally {
      this.answers.select(hit);
    }
    await this.actions.recordUse(hit, "jump");
  }

  /** Returns the result of the newest jump to this line; undefined where none led there. */
  hitAt(uri: vscode.Uri, line: number): Hit | undefined {
    const jump = this.latest.find(({ location }) => {
      if (toUri(location).toString() !== uri.toString()) return false;
      return location.range.start.line === line || jumpTarget(location).line === line;
    });
    return jump?.hit;
  }

  /** Returns the result of a jump that a link names; undefined where it is no longer known. */
  hitNamed(reference: Reference): Hit | undefined {
    const name = JSON.stringify(reference);
    return this.latest.find(({ hit }) => JSON.stringify(referenceTo(hit)) === name)?.hit;
  }

  private async open(hit: Hit, answered: Location, options: JumpOptions): Promise<void> {
    const location = await this.locate(hit, answered, options);
    const jump = { hit, location };
    this.latest = [jump, ...this.latest].slice(0, MAX_JUMPS); // before: the mouse may rest there already
    try {
      revealJump(await show(location, options), location);
    } catch (error) {
      this.latest = this.latest.filter((other) => other !== jump);
      throw error;
    }
  }

  /** Returns the place to open: in a local clone of a team's repository where its file is the same, else as it is by now. */
  private async locate(hit: Hit, answered: Location, options: JumpOptions): Promise<Location> {
    if (toUri(answered).scheme === TEAM_SCHEME) return await locateTeamFile(answered, hit.result.project, this.sidecar);
    return isEdited(answered) || options.isOld ? this.locateNow(hit, answered) : answered;
  }

  /** Returns where a result is by now, in the text that the editor has; where it was if that can't be said. */
  private async locateNow(hit: Hit, answered: Location): Promise<Location> {
    const cancellation = new vscode.CancellationTokenSource();
    const timer = setTimeout(() => cancellation.cancel(), LOCATE_TIMEOUT_MS);
    const params = { ...referenceTo(hit), record: false };
    try {
      return (await this.sidecar.request(methods.detail, params, cancellation.token)).result.location ?? answered;
    } catch {
      return answered; // the answer has expired, or the sidecar does not run
    } finally {
      clearTimeout(timer);
      cancellation.dispose();
    }
  }
}

/** A jump, and where it led. */
interface Jump {
  readonly hit: Hit;
  readonly location: Location;
}

/** Returns whether the editor has a text of the file that is not saved. */
function isEdited(location: Location): boolean {
  const uri = toUri(location).toString();
  return vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.toString() === uri);
}

async function show(location: Location, options: JumpOptions): Promise<vscode.TextEditor> {
  const uri = toUri(location);
  const target = jumpTarget(location);
  try {
    return await vscode.window.showTextDocument(uri, {
      // Set afterwards, the position would be a second place in the editor's history.
      selection: new vscode.Range(target, target),
      preview: options.preview ?? false,
      preserveFocus: options.preview ?? options.background ?? false,
      viewColumn: options.side ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
    });
  } catch (error) {
    if (await isThere(uri)) throw error;
    throw new Error(vscode.l10n.t("{0} is no longer there.", vscode.workspace.asRelativePath(uri)));
  }
}

async function isThere(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
