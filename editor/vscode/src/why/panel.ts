/** The why panel: a single panel beside the code, which explains the result that was selected last. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { type Full, methods } from "../generated/protocol";
import { type Hit, referenceTo } from "../results/hit";
import type { Sidecar } from "../sidecar/sidecar";
import { renderPage } from "./html";

export class WhyPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  constructor(private readonly sidecar: Sidecar) {}

  async show(hit: Hit): Promise<void> {
    const { answer, result } = hit;
    const params = { doc_id: result.doc_id, query_id: answer.query_id };
    const [explanation, full] = await Promise.all([this.sidecar.request(methods.why, params), this.fullText(hit)]);
    const panel = this.open();
    panel.title = vscode.l10n.t("Why {0}", result.title);
    panel.webview.html = renderPage({ explanation, full, nonce: randomUUID(), t: vscode.l10n.t });
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private open(): vscode.WebviewPanel {
    if (this.panel) {
      this.panel.reveal(undefined, true);
      return this.panel;
    }
    const showOptions = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.panel = vscode.window.createWebviewPanel("scry.why", "Why", showOptions, {
      enableScripts: false,
      localResourceRoots: [],
    });
    this.panel.onDidDispose(() => {
      this.panel = undefined;
    });
    return this.panel;
  }

  /** Returns the full text of a result; undefined where the sidecar no longer stores its answer. */
  private async fullText(hit: Hit): Promise<Full | undefined> {
    const params = { ...referenceTo(hit), record: false };
    return this.sidecar.request(methods.detail, params).then(
      (detail) => detail.result.full,
      () => undefined,
    );
  }
}
