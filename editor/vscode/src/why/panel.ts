/** The why panel: a single panel beside the code, or over it where the window is narrow, which explains the result that
 * was selected last. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { type Full, methods, type WhyParams } from "../generated/protocol";
import { type Hit, referenceTo } from "../results/hit";
import type { Sidecar } from "../sidecar/sidecar";
import { type Panel, renderPage } from "./html";

/** The least width, in pixels, of the editors that have room for the panel beside the code. Two groups take 440. */
const MIN_WIDTH_BESIDE = 640;

/** What the command `vscode.getEditorLayout` returns. orientation: 0 where the groups are side by side: their sizes are
 * their widths then, and else their heights, and those of the groups in them their widths. */
interface EditorLayout {
  readonly orientation: number;
  readonly groups: readonly EditorGroup[];
}

interface EditorGroup {
  readonly size?: number;
  readonly groups?: readonly EditorGroup[];
}

export class WhyPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  constructor(private readonly sidecar: Sidecar) {}

  async show(hit: Hit): Promise<void> {
    const { answer, result } = hit;
    const params = { doc_id: result.doc_id, query_id: answer.query_id };
    const [explanation, full] = await Promise.all([this.sidecar.request(methods.why, params), this.fullText(hit)]);
    await this.render(result.title, { explanation, full });
  }

  /** Explains the rank of a document, or its absence. title: what the panel is called. remark: returns what is to be
   * said beside the explanation, for the rank of the document, where it has one. */
  async explain(params: WhyParams, title: string, remark: (rank: number | undefined) => string): Promise<void> {
    const explanation = await this.sidecar.request(methods.why, params);
    await this.render(title, { explanation, full: undefined, remark: remark(explanation.result?.rank) });
  }

  private async render(title: string, content: Pick<Panel, "explanation" | "full" | "remark">): Promise<void> {
    const panel = await this.open();
    panel.title = vscode.l10n.t("Why {0}", title);
    panel.webview.html = renderPage({ ...content, nonce: randomUUID(), t: vscode.l10n.t });
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private async open(): Promise<vscode.WebviewPanel> {
    if (this.panel) {
      this.panel.reveal(undefined, true);
      return this.panel;
    }
    const here = vscode.window.tabGroups.activeTabGroup.viewColumn;
    const showOptions = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel("scry.why", "Why", showOptions, {
      enableScripts: false,
      localResourceRoots: [],
    });
    this.panel = panel;
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    // The editor tells the width of its groups only where there are two of them.
    if (!(await hasRoomBeside())) panel.reveal(here, true);
    return panel;
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

/** Returns whether two editors side by side are wide enough to read in; also where the width is not known. */
async function hasRoomBeside(): Promise<boolean> {
  const layout = await vscode.commands.executeCommand<EditorLayout>("vscode.getEditorLayout");
  const rows = layout.orientation === 0 ? [layout.groups] : layout.groups.map(({ groups = [] }) => groups);
  const widths = rows.map((groups) => groups.reduce((sum, { size = 0 }) => sum + size, 0));
  const width = Math.max(0, ...widths);
  return width === 0 || width >= MIN_WIDTH_BESIDE;
}
