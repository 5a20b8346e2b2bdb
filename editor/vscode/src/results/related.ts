/** The documents that a result is related to, in the code and its history: as links, for the detail and for the tree. */

import * as vscode from "vscode";
import { type Full, type Graph, type Link, type Location, methods } from "../generated/protocol";
import type { Sidecar } from "../sidecar/sidecar";
import type { ResultActions } from "./actions";
import type { Answers } from "./answers";
import { type Hit, isReference, jumpTarget, lineOf, type Reference, referenceTo, toUri } from "./hit";

/** A document that a result is related to. */
export interface RelatedLink {
  readonly name: string;
  readonly remark: string;
  readonly location: Location | undefined;
}

export interface RelationGroup {
  readonly title: string;
  readonly icon: string;
  readonly links: readonly RelatedLink[];
}

type GraphList = Exclude<keyof Graph, "note" | "totals">;

/** Returns the related documents of a result in full, by their relation; groups without any are left out. */
export function relationGroups({ graph, impact }: Full): RelationGroup[] {
  const { t } = vscode.l10n;
  const lists: [GraphList, string, string][] = [
    ["callers", t("Called By"), "call-incoming"],
    ["callees", t("Calls"), "call-outgoing"],
    ["imported_by", t("Imported By"), "references"],
    ["imports", t("Imports"), "package"],
    ["inherits", t("Inherits From"), "type-hierarchy-super"],
    ["inherited_by", t("Inherited By"), "type-hierarchy-sub"],
    ["co_changes", t("Changes With"), "git-commit"],
  ];
  const groups = lists.map(([list, title, icon]) => {
    const links = (graph?.[list] ?? []).map((link) => relatedLink(link, list === "co_changes"));
    return { title, icon, links };
  });
  const beliefs = (impact?.beliefs ?? []).map(({ doc_id, statement, reason }) => ({
    name: statement || doc_id,
    remark: reason,
    location: undefined,
  }));
  return [...groups, { title: t("Beliefs"), icon: "lightbulb", links: beliefs }].filter(
    ({ links }) => links.length > 0,
  );
}

function relatedLink({ doc_id, count = 1, confidence, location }: Link, isCounted: boolean): RelatedLink {
  const unsure = confidence === "exact" ? "" : (confidence ?? "");
  const commits = count === 1 ? vscode.l10n.t("1 commit") : vscode.l10n.t("{0} commits", count);
  return {
    name: doc_id.replace(/^([^/:]+:)?\.\//, (_, project?: string) => (project ? `${project} ` : "")),
    remark: isCounted ? commits : unsure,
    location,
  };
}

/** A link's target with the result whose detail it stands in: what the command `scry.openRelated` takes. */
export interface RelatedTarget {
  readonly reference: Reference;
  readonly location: Location;
}

/** Opens what a link leads to, and records that the result in whose detail it stands was used. */
export async function openRelated(argument: unknown, answers: Answers, actions: ResultActions): Promise<void> {
  if (!isTarget(argument)) return;
  const uri = toUri(argument.location);
  if (uri.scheme !== "file") return;
  const target = jumpTarget(argument.location);
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(target, target) });
  const hit = answers.hitNamed(argument.reference);
  if (hit) await actions.recordUse(hit, "open");
}

function isTarget(argument: unknown): argument is RelatedTarget {
  if (typeof argument !== "object" || argument === null) return false;
  const { reference, location } = argument as Partial<RelatedTarget>;
  return isReference(reference) && typeof location?.uri === "string";
}

type Node = RelationGroup | (RelatedLink & { readonly reference: Reference });

/** Shows the tree of what the current result is related to. */
export function createRelatedView(answers: Answers, sidecar: Sidecar): vscode.Disposable {
  const tree = new RelatedTree(answers, sidecar);
  const view = vscode.window.createTreeView("scry.related", { treeDataProvider: tree, showCollapseAll: true });
  const naming = tree.onDidChangeTreeData(() => {
    view.description = answers.current ? answers.current.result.title : "";
  });
  return vscode.Disposable.from(naming, view, tree);
}

class RelatedTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly answers: Answers,
    private readonly sidecar: Sidecar,
  ) {
    const fire = () => this.changed.fire(undefined);
    this.subscriptions = [answers.onSelect(fire), answers.onChange(fire), sidecar.onState(fire)];
  }

  async getChildren(node?: Node): Promise<Node[]> {
    const hit = this.answers.current;
    if (!hit) return [];
    if (!node) return this.groupsOf(hit);
    const reference = referenceTo(hit);
    return "links" in node ? node.links.map((link) => ({ ...link, reference })) : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return "links" in node ? groupItem(node) : linkItem(node);
  }

  dispose(): void {
    for (const each of [...this.subscriptions, this.changed]) each.dispose();
  }

  /** Returns the groups of a result; none where the sidecar no longer stores its answer. */
  private async groupsOf(hit: Hit): Promise<RelationGroup[]> {
    if (this.sidecar.state.kind !== "running") return [];
    const params = { ...referenceTo(hit), record: false };
    const detail = await this.sidecar.request(methods.detail, params).catch(() => undefined);
    return detail?.result.full ? relationGroups(detail.result.full) : [];
  }
}

function groupItem({ title, icon, links }: RelationGroup): vscode.TreeItem {
  const item = new vscode.TreeItem(title, vscode.TreeItemCollapsibleState.Expanded);
  item.iconPath = new vscode.ThemeIcon(icon);
  item.description = `${links.length}`;
  return item;
}

function linkItem({ name, remark, location, reference }: RelatedLink & { reference: Reference }): vscode.TreeItem {
  const item = new vscode.TreeItem(name);
  item.description = remark;
  item.tooltip = [name, location && vscode.l10n.t("line {0}", lineOf(location)), remark].filter(Boolean).join("\n\n");
  if (!location) return item;
  const target: RelatedTarget = { reference, location };
  item.command = { command: "scry.openRelated", title: vscode.l10n.t("Open"), arguments: [target] };
  return item;
}
