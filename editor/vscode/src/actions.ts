/** Records uses and ratings of results in the person's own log, by way of the sidecar; a failure interrupts nothing. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Found } from "./found";
import { methods, type UseParams } from "./generated/protocol";
import { wordsOf } from "./sidecar/problem";
import type { Sidecar } from "./sidecar/sidecar";

/** How long a short confirmation stays in the status bar. */
const CONFIRMATION_MS = 3000;

export class ResultActions {
  constructor(
    private readonly sidecar: Sidecar,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Logs a use. A failure becomes a line in the output channel. */
  async used({ answer, result }: Found, how: UseParams["how"]): Promise<void> {
    const act = { query_id: answer.query_id, rank: result.rank, how, act_id: randomUUID() };
    try {
      await this.sidecar.request(methods.use, act);
    } catch (error) {
      this.log.warn(`the use of ${result.doc_id} was not logged: ${wordsOf(error)}`);
    }
  }

  async copy({ answer, result }: Found): Promise<void> {
    const act = { query_id: answer.query_id, rank: result.rank, how: "copy", act_id: randomUUID() } as const;
    const { text } = await this.sidecar.request(methods.use, act);
    await vscode.env.clipboard.writeText(text || result.doc_id);
    confirm(`copied ${result.title}`);
  }

  async rate({ answer, result }: Found, signal: "good" | "bad"): Promise<void> {
    const { query_id } = answer;
    const { note } = await this.sidecar.request(methods.feedback, { query_id, rank: result.rank, signal });
    confirm(note || `${result.title}: ${signal}, noted`);
  }
}

function confirm(words: string): void {
  vscode.window.setStatusBarMessage(`Scry: ${words}`, CONFIRMATION_MS);
}
