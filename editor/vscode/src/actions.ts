/** Copies and rates results, and has the sidecar record each use in the user's own log. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { methods, type UseParams } from "./generated/protocol";
import type { Hit } from "./hit";
import { messageOf } from "./sidecar/problem";
import type { Sidecar } from "./sidecar/sidecar";

/** Milliseconds that a confirmation stays in the status bar. */
const CONFIRMATION_MS = 3000;

export class ResultActions {
  constructor(
    private readonly sidecar: Sidecar,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Records a use. A failure is written to the output channel and is not thrown. */
  async recordUse({ answer, result }: Hit, how: UseParams["how"]): Promise<void> {
    const use = { query_id: answer.query_id, rank: result.rank, how, act_id: randomUUID() };
    try {
      await this.sidecar.request(methods.use, use);
    } catch (error) {
      this.log.warn(`the use of ${result.doc_id} was not logged: ${messageOf(error)}`);
    }
  }

  async copy({ answer, result }: Hit): Promise<void> {
    const use = { query_id: answer.query_id, rank: result.rank, how: "copy", act_id: randomUUID() } as const;
    const { text } = await this.sidecar.request(methods.use, use);
    await vscode.env.clipboard.writeText(text || result.doc_id);
    confirm(`copied ${result.title}`);
  }

  async rate({ answer, result }: Hit, signal: "good" | "bad"): Promise<void> {
    const { query_id } = answer;
    const { note } = await this.sidecar.request(methods.feedback, { query_id, rank: result.rank, signal });
    confirm(note || `${result.title}: ${signal}, noted`);
  }
}

function confirm(message: string): void {
  vscode.window.setStatusBarMessage(`Scry: ${message}`, CONFIRMATION_MS);
}
