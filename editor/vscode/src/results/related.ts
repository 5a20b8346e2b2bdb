/** The documents that a result is related to, in the code and its history: as links, for the detail and for the tree. */

import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { type Detail, type Full, type Graph, type Link, type Location, methods } from "../generated/protocol";
import { locateTeamFile, TEAM_SCHEME } from "../projects";
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
  /** Number of all links, of which the sidecar sends the first ones. */
  readonly total: number;
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
    return { title, icon, links, total: graph?.totals?.[list] ?? links.length };
  });
  const beliefs = (impact?.beliefs ?? []).map(({ doc_id, statement, reason }) => ({
    name: statement || doc_id,
    remark: reason,
    location: undefined,
  }));
  const ofBeliefs = { title: t("Beliefs"), icon: "lightbulb", links: beliefs, total: beliefs.length };
  return [...groups, ofBeliefs].filter(({ links }) => links.length > 0);
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

/** Milliseconds between two looks at whether the relations of a result are complete. */
const POLL_MS = 1000;

/** Returns the words that say which relations of a result are not known yet; undefined where all are. */
export function pendingRelations({ result }: Detail): string | undefined {
  return result.full?.graph?.note || undefined;
}

/** Returns a result in full once its relations are complete; undefined once it is not wanted any more, or where the
 * sidecar no longer stores its answer. */
export async function completedDetail(
  sidecar: Sidecar,
  reference: Reference,
  isWanted: () => boolean,
): Promise<Detail | undefined> {
  for (;;) {
    await sleep(POLL_MS);
    if (!isWanted()) return undefined;
    const detail = await sidecar.request(methods.detail, { ...reference, record: false }).catch(() => undefined);
    if (!detail || !pendingRelations(detail)) return detail;
  }
}

/** A link's target with the result whose detail it stands in: what the command `scry.openRelated` takes. */
export interface RelatedTarget {
  readonly reference: Reference;
  readonly location: Location;
}

/** Opens what a link leads to, and records that the result in whose detail it stands was used. */
export async function openRelated(
  argument: unknown,
  answers: Answers,
  actions: ResultActions,
  sidecar: Sidecar,
): Promise<void> {
  if (!isTarget(argument)) return;
  const hit = answers.hitNamed(argument.reference);
  const { scheme } = toUri(argument.location);
  if (scheme !== "file" && scheme !== TEAM_SCHEME) return;
  const location =
    scheme === TEAM_SCHEME
      ? await locateTeamFile(argument.location, hit?.result.project ?? "", sidecar)
      : argument.location;
  const target = jumpTarget(location);
  await vscode.window.showTextDocument(toUri(location), { selection: new vscode.Range(target, target) });
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
  const remarking = tree.onPending((remark) => {
    view.message = remark;
  });
  return vscode.Disposable.from(naming, remarking, view, tree);
}

class RelatedTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly pending = new vscode.EventEmitter<string | undefined>();
  private readonly subscriptions: vscode.Disposable[];
  /** The result whose relations are waited for. */
  private awaited: Hit | undefined;

  readonly onDidChangeTreeData = this.changed.event;
  /** Fires with the words that say which relations are not known yet; undefined where all are. */
  readonly onPending = this.pending.event;

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
    this.awaited = undefined;
    for (const each of [...this.subscriptions, this.changed, this.pending]) each.dispose();
  }

  /** Returns the groups of a result; none where the sidecar no longer stores its answer. */
  private async groupsOf(hit: Hit): Promise<RelationGroup[]> {
    if (this.sidecar.state.kind !== "running") return [];
    const reference = referenceTo(hit);
    const detail = await this.sidecar.request(methods.detail, { ...reference, record: false }).catch(() => undefined);
    const remark = detail && pendingRelations(detail);
    this.pending.fire(remark);
    if (remark) void this.refreshOnceComplete(hit);
    return detail?.result.full ? relationGroups(detail.result.full) : [];
  }

  private async refreshOnceComplete(hit: Hit): Promise<void> {
    if (this.awaited === hit) return;
    this.awaited = hit;
    const isShown = () => this.awaited === hit && this.answers.current === hit;
    const detail = await completedDetail(this.sidecar, referenceTo(hit), isShown);
    if (this.awaited === hit) this.awaited = undefined;
    if (detail) this.changed.fire(undefined);
  }
}

function groupItem({ title, icon, links, total }: RelationGroup): vscode.TreeItem {
  const item = new vscode.TreeItem(title, vscode.TreeItemCollapsibleState.Expanded);
  item.iconPath = new vscode.ThemeIcon(icon);
  item.description =
    total > links.length ? vscode.l10n.t("the first {0} of {1}", links.length, total) : `${links.length}`;
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
