/** A result in full, as the sidecar's Markdown in the editor's own Markdown view. */

import * as vscode from "vscode";
import type { Found } from "./found";
import { methods } from "./generated/protocol";
import type { Sidecar } from "./sidecar/sidecar";

const SCHEME = "scry-detail";

/** Number of texts kept for open views. */
const KEPT = 50;

export class Details implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();

  constructor(private readonly sidecar: Sidecar) {}

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  async show({ answer, result }: Found): Promise<void> {
    const detail = await this.sidecar.request(methods.detail, { query_id: answer.query_id, rank: result.rank });
    const uri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${title(result.title)}`,
      query: `${answer.query_id}:${result.rank}`,
    });
    this.texts.set(uri.toString(), detail.text);
    for (const oldest of [...this.texts.keys()].slice(0, -KEPT)) this.texts.delete(oldest);
    await vscode.commands.executeCommand("markdown.showPreview", uri);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "This text is no longer kept. Ask again.";
  }
}

/** A title that is one name of a path. */
function title(words: string): string {
  return words.replaceAll(/[/\\]/g, "∕");
}
