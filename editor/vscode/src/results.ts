/** The tree of the results view: the latest answers with their results. */

import * as vscode from "vscode";
import type { Answers } from "./answers";
import type { Answer } from "./generated/protocol";
import {
  furtherHitsOf,
  furtherPlaces,
  type Hit,
  hitsOf,
  iconOf,
  isHit,
  lineOf,
  referenceTo,
  shortLocation,
  toUri,
} from "./hit";

type Node = Answer | Hit;

const MODE_ICONS: Readonly<Record<string, string>> = {
  find: "search",
  neighbors: "references",
  orient: "compass",
  recent: "history",
};

/** Shows the view, in which the result that was jumped to last is selected. */
export function createResultsView(answers: Answers): vscode.Disposable {
  const tree = new ResultsTree(answers);
  const view = vscode.window.createTreeView("scry.results", { treeDataProvider: tree, showCollapseAll: true });
  const selecting = answers.onSelect((hit) => {
    if (view.visible) void view.reveal(hit, { select: true, focus: false });
  });
  return vscode.Disposable.from(selecting, view, tree);
}

class ResultsTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
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
  const item = new vscode.TreeItem(titleOf(answer), state);
  item.id = answer.query_id;
  item.description = answer.results.length === 1 ? "1 result" : `${answer.results.length} results`;
  item.tooltip = [`${answer.mode}: ${answer.query}`, projectsOf(answer), answer.query_id, answer.notice]
    .filter(Boolean)
    .join("\n\n");
  item.iconPath = new vscode.ThemeIcon(MODE_ICONS[answer.mode] ?? "search");
  item.contextValue = "scry.answer";
  return item;
}

/** Returns a question in words; the question for what matters in a whole project has its name. */
function titleOf({ mode, query, results: [first] }: Answer): string {
  if (mode === "orient") return `Orient in ${query === "." && first ? first.project : query}`;
  if (mode === "neighbors") return `Neighbours of ${query.replace(/^\.\//, "")}`;
  return query || "what changed lately";
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
  item.description = parent && result.location ? `line ${lineOf(result.location)}` : placeOf(hit);
  item.tooltip = [result.doc_id, result.evidence, result.snippet, furtherPlaces(result)].filter(Boolean).join("\n\n");
  item.iconPath = new vscode.ThemeIcon(iconOf(result));
  item.contextValue = "scry.result";
  item.command = { command: "scry.openResult", title: "Open", arguments: [hit] };
  return item;
}

/** Returns the file's name and line, and then its folder: the side bar is narrow, and cuts off the end. */
function placeOf(hit: Hit): string {
  const { location } = hit.result;
  if (!location) return "";
  const name = toUri(location).path.split("/").at(-1) ?? "";
  const folder = shortLocation(hit)
    .slice(0, -`${name}:${lineOf(location)}`.length)
    .replace(/\/$/, "");
  return [`${name}:${lineOf(location)}`, folder].filter(Boolean).join("  ");
}
