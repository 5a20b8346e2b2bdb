/** Copies and rates results, and has the sidecar record each use in the user's own log. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { methods, type UseParams } from "../generated/protocol";
import { messageOf } from "../sidecar/problem";
import type { Sidecar } from "../sidecar/sidecar";
import { escapeIcons, type Hit, referenceTo } from "./hit";

/** Milliseconds that a confirmation stays in the status bar. */
const CONFIRMATION_MS = 3000;

export class ResultActions {
  constructor(
    private readonly sidecar: Sidecar,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Records a use. A failure is written to the output channel and is not thrown. */
  async recordUse(hit: Hit, how: UseParams["how"]): Promise<void> {
    const use = { ...referenceTo(hit), how, act_id: randomUUID() };
    try {
      await this.sidecar.request(methods.use, use);
    } catch (error) {
      this.log.warn(`the use of ${hit.result.doc_id} was not logged: ${messageOf(error)}`);
    }
  }

  async copy(hit: Hit): Promise<void> {
    const use = { ...referenceTo(hit), how: "copy", act_id: randomUUID() } as const;
    const { text } = await this.sidecar.request(methods.use, use);
    await vscode.env.clipboard.writeText(text || hit.result.doc_id);
    confirm(vscode.l10n.t("copied {0}", hit.result.title));
  }

  /** Opens the address of a result of the team on its forge. */
  async openLink(hit: Hit): Promise<void> {
    const { link } = hit.result;
    if (link && (await vscode.env.openExternal(vscode.Uri.parse(link, true)))) await this.recordUse(hit, "open");
  }

  /** Copies the address of a result of the team on its forge. */
  async copyLink(hit: Hit): Promise<void> {
    await vscode.env.clipboard.writeText(hit.result.link ?? "");
    confirm(vscode.l10n.t("copied the link of {0}", hit.result.title));
    await this.recordUse(hit, "copy");
  }

  async rate(hit: Hit, signal: "good" | "bad"): Promise<void> {
    const { note } = await this.sidecar.request(methods.feedback, { ...referenceTo(hit), signal });
    confirm(
      note ||
        (signal === "good"
          ? vscode.l10n.t("{0}: good, noted", hit.result.title)
          : vscode.l10n.t("{0}: bad, noted", hit.result.title)),
    );
  }
}

function confirm(message: string): void {
  vscode.window.setStatusBarMessage(`Scry: ${escapeIcons(message)}`, CONFIRMATION_MS);
}
