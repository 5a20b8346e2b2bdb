/** The why panel: one, beside the code, that shows the last result that was asked about. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Found } from "../found";
import { type Full, methods } from "../generated/protocol";
import type { Sidecar } from "../sidecar/sidecar";
import { page } from "./html";

export class WhyPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  constructor(private readonly sidecar: Sidecar) {}

  async show(found: Found): Promise<void> {
    const { answer, result } = found;
    const asked = { doc_id: result.doc_id, query_id: answer.query_id };
    const [explanation, full] = await Promise.all([this.sidecar.request(methods.why, asked), this.codeOf(found)]);
    const panel = this.open();
    panel.title = `Why ${result.title}`;
    panel.webview.html = page({ explanation, full, nonce: randomUUID() });
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private open(): vscode.WebviewPanel {
    if (this.panel) {
      this.panel.reveal(undefined, true);
      return this.panel;
    }
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.panel = vscode.window.createWebviewPanel("scry.why", "Why", place, {
      enableScripts: false,
      localResourceRoots: [],
    });
    this.panel.onDidDispose(() => {
      this.panel = undefined;
    });
    return this.panel;
  }

  /** The code, to mark words in; an answer that is no longer kept is no reason not to explain. */
  private async codeOf({ answer, result }: Found): Promise<Full | undefined> {
    const asked = { query_id: answer.query_id, rank: result.rank };
    return this.sidecar.request(methods.detail, asked).then(
      (detail) => detail.result.full,
      () => undefined,
    );
  }
}
