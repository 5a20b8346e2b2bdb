/** The tree of the results view: the latest answers with their results. */

import * as vscode from "vscode";
import { openFolders } from "../folders";
import type { Answer } from "../generated/protocol";
import { isPartial } from "../index/indexing";
import { scopeLabel } from "../projects";
import type { Answers } from "./answers";
import { type AskedAnswer, isAboutPlace, isInWords, placeQuestion } from "./asked";
import { findWords, matchedWords } from "./highlights";
import {
  furtherHitsOf,
  furtherPlaces,
  type Hit,
  hitsOf,
  iconOf,
  isHit,
  lineOf,
  pathOf,
  projectOf,
  teamCommit,
} from "./hit";

type Node = AskedAnswer | Hit;

const MODE_ICONS: Readonly<Record<string, string>> = {
  find: "search",
  neighbors: "references",
  orient: "compass",
  recent: "history",
};

/** Shows the view, in which the result that was jumped to last is selected. */
export function createResultsView(answers: Answers): vscode.Disposable {
  const tree = new ResultsTree(answers);
  const view = vscode.window.createTreeView("scry.results", {
    treeDataProvider: tree,
    showCollapseAll: true,
    canSelectMany: true,
  });
  const selecting = answers.onSelect((hit) => {
    if (view.visible) void view.reveal(hit, { select: true, focus: false });
  });
  const remark = () => {
    view.message = remarkOn(answers.all);
  };
  remark();
  return vscode.Disposable.from(selecting, answers.onChange(remark), view, tree);
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

/** Returns what the newest answer of an incomplete index lacks; undefined where all are complete. */
function remarkOn(answers: readonly AskedAnswer[]): string | undefined {
  const partial = answers.find(isPartial);
  if (!partial) return undefined;
  return `${titleOf(partial)}: ${partial.notice || vscode.l10n.t("the index is not complete yet")}`;
}

/** Returns an id that a result keeps when its answer is replaced by a newer one. */
function idOf({ answer, result, parent }: Hit): string {
  return [answer.id, parent?.doc_id, result.doc_id].filter(Boolean).join("\n");
}

function answerItem(answer: AskedAnswer, isNewest: boolean): vscode.TreeItem {
  const state = isNewest ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
  const item = new vscode.TreeItem(titleOf(answer), state);
  item.id = answer.id;
  const { length } = answer.results;
  const count = length === 1 ? vscode.l10n.t("1 result") : vscode.l10n.t("{0} results", length);
  item.description = `${count}${whereOf(answer)}${isPartial(answer) ? `, ${vscode.l10n.t("incomplete")}` : ""}`;
  item.accessibilityInformation = { label: `${titleOf(answer)}, ${item.description}` };
  item.tooltip = [`${answer.mode}: ${answer.query}`, projectsOf(answer), answer.notice].filter(Boolean).join("\n\n");
  item.iconPath = new vscode.ThemeIcon(MODE_ICONS[answer.mode] ?? "search");
  item.contextValue = isInWords(answer) ? "scry.answerInWords" : "scry.answer";
  return item;
}

/** Returns a question in words; the question for what matters in a whole project has its name. */
function titleOf(answer: AskedAnswer): string {
  const { mode, query, results, words } = answer;
  const [first] = results;
  if (isAboutPlace(answer)) return vscode.l10n.t("Similar to {0}", query.replace(/^.*?(::|#)/, ""));
  if (mode === "orient") return vscode.l10n.t("Orient in {0}", query === "." && first ? first.project : query);
  if (mode === "neighbors") return vscode.l10n.t("Neighbours of {0}", query.replace(/^\.\//, ""));
  return words || vscode.l10n.t("what changed lately");
}

/** Returns the scope of a question, such as ` in core`; empty where the title names it, or only one folder is open. */
function whereOf(answer: AskedAnswer): string {
  const { query, results, scope } = answer;
  if (!placeQuestion(answer)) return scopeLabel(scope);
  const [first] = results;
  const isNamed = openFolders().length > 1 && !scope.team && query !== ".";
  return isNamed && first ? ` ${vscode.l10n.t("in {0}", first.project)}` : "";
}

function projectsOf({ projects = [] }: Answer): string {
  return projects.length > 0 ? vscode.l10n.t("in {0}", projects.map(({ name }) => name).join(", ")) : "";
}

function resultItem(hit: Hit): vscode.TreeItem {
  const { result, parent } = hit;
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const prefix = parent ? "" : `${result.rank}. `;
  const words = findWords(result.title, matchedWords(parent ?? result));
  const highlights = words.map(([start, end]): [number, number] => [start + prefix.length, end + prefix.length]);
  const label = { label: `${prefix}${result.title}`, highlights };
  const item = new vscode.TreeItem(label, furtherHitsOf(hit).length > 0 ? Collapsed : None);
  item.id = idOf(hit);
  item.description = parent && result.location ? vscode.l10n.t("line {0}", lineOf(result.location)) : placeOf(hit);
  item.tooltip = [result.doc_id, result.evidence, result.snippet, furtherPlaces(result)].filter(Boolean).join("\n\n");
  item.iconPath = new vscode.ThemeIcon(iconOf(result));
  item.accessibilityInformation = { label: spokenLine(hit) };
  item.contextValue = "scry.result";
  item.command = { command: "scry.openResult", title: vscode.l10n.t("Open"), arguments: [hit] };
  return item;
}

/** Returns what a screen reader reads of a line: the name, the file, the line and the rank, in this order. */
function spokenLine(hit: Hit): string {
  const { t } = vscode.l10n;
  const { result, parent } = hit;
  const file = result.location && [projectOf(hit), pathOf(hit)].filter(Boolean).join(": ");
  const line = result.location && t("line {0}", lineOf(result.location));
  const rank = parent ? t("further place") : t("rank {0}", result.rank);
  return [result.title, file, line, teamCommit(result), rank].filter(Boolean).join(", ");
}

/** Returns the file's name and line, and then its folder: the side bar is narrow, and cuts off the end. A result that is
 * called as its file has the folder alone. */
function placeOf(hit: Hit): string {
  const { location, title } = hit.result;
  if (!location) return projectOf(hit);
  const path = pathOf(hit);
  const [name = "", folder = ""] = [path.slice(path.lastIndexOf("/") + 1), path.slice(0, path.lastIndexOf("/") + 1)];
  const place = [projectOf(hit), folder.replace(/\/$/, "")].filter(Boolean).join(": ");
  return [title === name ? "" : `${name}:${lineOf(location)}`, place, teamCommit(hit.result)]
    .filter(Boolean)
    .join("  ");
}
