/** Shows a result in full: the sidecar's Markdown in the editor's Markdown preview. */

import * as vscode from "vscode";
import { methods } from "./generated/protocol";
import { type Hit, referenceTo } from "./hit";
import type { Sidecar } from "./sidecar/sidecar";

const SCHEME = "scry-detail";

/** Number of texts that are stored for open previews. */
const MAX_TEXTS = 50;

export class Details implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();

  constructor(private readonly sidecar: Sidecar) {}

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  async show(hit: Hit): Promise<void> {
    const reference = referenceTo(hit);
    // The caller records the use, once, by an id of its own.
    const detail = await this.sidecar.request(methods.detail, { ...reference, record_use: false });
    const uri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${asFileName(hit.result.title)}`,
      query: Object.values(reference).join(":"),
    });
    this.texts.set(uri.toString(), detail.text);
    for (const oldest of [...this.texts.keys()].slice(0, -MAX_TEXTS)) this.texts.delete(oldest);
    await vscode.commands.executeCommand("markdown.showPreview", uri);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "This text is no longer kept. Ask again.";
  }
}

/** Returns a title whose slashes are replaced, so that it is a single segment of a path. */
function asFileName(title: string): string {
  return title.replaceAll(/[/\\]/g, "∕");
}
