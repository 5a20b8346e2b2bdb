/** The tree of the results view: the latest answers with their results. */

import * as vscode from "vscode";
import type { Answers } from "./answers";
import type { Answer } from "./generated/protocol";
import { furtherHitsOf, furtherPlaces, type Hit, hitsOf, iconOf, isHit, referenceTo, shortLocation } from "./hit";

type Node = Answer | Hit;

const MODE_ICONS: Readonly<Record<string, string>> = {
  find: "search",
  neighbors: "references",
  orient: "compass",
  recent: "history",
};

export class ResultsTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly subscription: vscode.Disposable;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly answers: Answers) {
    this.subscription = answers.onChange(() => this.changed.fire(undefined));
  }

  getChildren(node?: Node): Node[] {
    if (!node) return [...this.answers.all];
    return isHit(node) ? furtherHitsOf(node) : hitsOf(node);
  }

  getParent(node: Node): Node | undefined {
    if (!isHit(node)) return undefined;
    return node.parent ? { answer: node.answer, result: node.parent } : node.answer;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return isHit(node) ? resultItem(node) : answerItem(node, node === this.answers.all[0]);
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}

function idOf(hit: Hit): string {
  return Object.values(referenceTo(hit)).join("/");
}

function answerItem(answer: Answer, isNewest: boolean): vscode.TreeItem {
  const state = isNewest ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
  const item = new vscode.TreeItem(answer.query || "what changed lately", state);
  item.id = answer.query_id;
  item.description = `${answer.results.length}  ${answer.query_id}`;
  item.tooltip = [`${answer.mode}: ${answer.query}`, projectsOf(answer), answer.query_id, answer.notice]
    .filter(Boolean)
    .join("\n\n");
  item.iconPath = new vscode.ThemeIcon(MODE_ICONS[answer.mode] ?? "search");
  item.contextValue = "scry.answer";
  return item;
}

function projectsOf({ projects = [] }: Answer): string {
  return projects.length > 0 ? `in ${projects.map(({ name }) => name).join(", ")}` : "";
}

function resultItem(hit: Hit): vscode.TreeItem {
  const { result, parent } = hit;
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const label = parent ? result.title : `${result.rank}. ${result.title}`;
  const item = new vscode.TreeItem(label, furtherHitsOf(hit).length > 0 ? Collapsed : None);
  item.id = idOf(hit);
  // The side bar is narrow and cuts off the location, which the tooltip repeats. The evidence therefore comes first.
  const location = parent && result.location ? `line ${result.location.range.start.line + 1}` : shortLocation(hit);
  item.description = [result.evidence ? `(${result.evidence})` : "", location].filter(Boolean).join("  ");
  item.tooltip = [result.doc_id, result.snippet, furtherPlaces(result)].filter(Boolean).join("\n\n");
  item.iconPath = new vscode.ThemeIcon(iconOf(result));
  item.contextValue = "scry.result";
  item.command = { command: "scry.openResult", title: "Open", arguments: [hit] };
  return item;
}
