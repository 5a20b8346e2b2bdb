/** Shows a result in full in a panel: the sidecar's Markdown, and links to what the result is related to. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { type Detail, methods } from "../generated/protocol";
import type { Sidecar } from "../sidecar/sidecar";
import { escapeHtml, section } from "../why/html";
import { type Hit, type Reference, referenceTo } from "./hit";
import {
  completedDetail,
  pendingRelations,
  type RelatedLink,
  type RelatedTarget,
  type RelationGroup,
  relationGroups,
} from "./related";

/** Number of links that are shown of one relation. The tree has more of them. */
const MAX_LINKS = 8;

export class Details implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  /** The result that the panel shows; undefined where there is no panel. */
  private shown: Reference | undefined;

  constructor(private readonly sidecar: Sidecar) {}

  async show(hit: Hit): Promise<void> {
    const reference = referenceTo(hit);
    // The caller records the use, once, by an id of its own.
    const detail = await this.sidecar.request(methods.detail, { ...reference, record_use: false });
    const html = renderDetail(detail, await renderMarkdown(detail.text), reference);
    const panel = this.open();
    this.shown = reference;
    panel.title = detail.result.title;
    panel.webview.html = html;
    if (pendingRelations(detail)) void this.showOnceComplete(reference);
  }

  /** Shows the result of the panel again once all its relations are known, unless the panel shows another one then. */
  private async showOnceComplete(reference: Reference): Promise<void> {
    const isShown = () => this.shown === reference;
    const detail = await completedDetail(this.sidecar, reference, isShown);
    const html = detail && renderDetail(detail, await renderMarkdown(detail.text), reference);
    if (html && this.panel && isShown()) this.panel.webview.html = html;
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private open(): vscode.WebviewPanel {
    if (this.panel) {
      this.panel.reveal();
      return this.panel;
    }
    // Without scripts; the only command that a link can run opens a file.
    const options = { enableScripts: false, enableCommandUris: ["scry.openRelated"], localResourceRoots: [] };
    this.panel = vscode.window.createWebviewPanel("scry.detail", "Scry", vscode.ViewColumn.Active, {
      ...options,
      enableFindWidget: true,
    });
    this.panel.onDidDispose(() => {
      this.panel = this.shown = undefined;
    });
    return this.panel;
  }
}

/** Returns Markdown as HTML, by the editor's own renderer; as plain text where that is switched off. */
async function renderMarkdown(text: string): Promise<string> {
  try {
    return await vscode.commands.executeCommand<string>("markdown.api.render", text);
  } catch {
    return `<pre>${escapeHtml(text)}</pre>`;
  }
}

function renderDetail({ result }: Detail, markdown: string, reference: Reference): string {
  const nonce = randomUUID();
  const groups = result.full ? relationGroups(result.full) : [];
  const links = groups.map((group) => `<p><b>${escapeHtml(group.title)}</b>: ${renderLinks(group, reference)}</p>`);
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<title>${escapeHtml(result.title)}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>${markdown}</main>
<nav>${section(vscode.l10n.t("Go To"), links.join("\n"))}</nav>
</body>
</html>`;
}

function renderLinks({ links, total }: RelationGroup, reference: Reference): string {
  const shown = links.slice(0, MAX_LINKS);
  const more = total > shown.length ? [vscode.l10n.t("and {0} more", total - shown.length)] : [];
  return [...shown.map((link) => renderLink(link, reference)), ...more].join(", ");
}

function renderLink({ name, remark, location }: RelatedLink, reference: Reference): string {
  const text = `${escapeHtml(name)}${remark ? ` (${escapeHtml(remark)})` : ""}`;
  if (!location) return text;
  const target: RelatedTarget = { reference, location };
  const command = `command:scry.openRelated?${encodeURIComponent(JSON.stringify([target]))}`;
  return `<a href="${escapeHtml(command)}">${text}</a>`;
}

/** The stylesheet: the colours and fonts of the current theme, also for the classes of the editor's code blocks. */
const STYLE = `
body { color: var(--vscode-foreground); font: var(--vscode-font-weight) var(--vscode-font-size)/1.5 var(--vscode-font-family); max-width: 64em; overflow-wrap: anywhere; padding: 0.5em 1.5em 2em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.05em; border-bottom: 1px solid var(--vscode-panel-border); margin-top: 1.6em; }
a { color: var(--vscode-textLink-foreground); } a:focus { outline: 1px solid var(--vscode-focusBorder); }
code, pre { font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size); }
pre code { background: none; color: inherit; }
pre { background: var(--vscode-textCodeBlock-background); border-radius: 4px; overflow: auto; padding: 0.8em 1em; tab-size: 4; }
table { border-collapse: collapse; } th, td { padding: 0.1em 1em 0.1em 0; text-align: left; vertical-align: top; }
.hljs-keyword, .hljs-built_in, .hljs-literal { color: var(--vscode-symbolIcon-keywordForeground, inherit); font-weight: 600; }
.hljs-string { color: var(--vscode-debugTokenExpression-string); }
.hljs-number { color: var(--vscode-debugTokenExpression-number); }
.hljs-comment, .hljs-doctag { color: var(--vscode-descriptionForeground); }
.hljs-title, .hljs-function { color: var(--vscode-symbolIcon-functionForeground); }
.vscode-high-contrast h2 { border-color: var(--vscode-contrastBorder, currentColor); }
.vscode-high-contrast a { text-decoration: underline; }
.vscode-high-contrast pre { border: 1px solid var(--vscode-contrastBorder, currentColor); }
`;
