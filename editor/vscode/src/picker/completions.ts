/** Completes the filter that is being typed at the end of a query. */

import * as vscode from "vscode";
import { type FindParams, methods } from "../generated/protocol";
import { escapeIcons } from "../results/hit";
import type { Sidecar } from "../sidecar/sidecar";
import type { Item } from "./items";

/** Number of completions that are listed above the results. */
const MAX_COMPLETIONS = 6;

/** A filter at the end of a query: what is before its value, its field, and its value as far as it is typed. */
export interface OpenFilter {
  readonly before: string;
  readonly field: string;
  readonly value: string;
}

/** Values of filters that do not depend on the project. The compiler checks that none is missing. */
const TYPES: Readonly<Record<NonNullable<FindParams["types"]>[number], true>> = {
  belief: true,
  code: true,
  commit: true,
  doc: true,
  memory: true,
  pattern: true,
  persona: true,
  session: true,
};
const SOURCES: Readonly<Record<NonNullable<FindParams["source"]>, true>> = { persona: true, project: true };

/** Returns the filter that is being typed; undefined where a query does not end with one. */
export function openFilter(query: string): OpenFilter | undefined {
  const [, before, field, value] = /^(.*?(?:^|\s)-?(lang|path|type|source):)([^\s"]*)$/s.exec(query) ?? [];
  return before === undefined || field === undefined || value === undefined ? undefined : { before, field, value };
}

/** Returns a query without a filter at its end of which no value is typed yet: the sidecar would take it for words. */
export function withoutOpenFilter(query: string): string {
  const filter = openFilter(query);
  if (!filter || filter.value) return query;
  return filter.before.replace(/-?\w+:$/, "").trim() || query;
}

export class FilterCompletions {
  private languages: Promise<readonly string[]> | undefined;

  constructor(private readonly sidecar: Sidecar) {}

  /** Returns lines that complete a filter, best first; none for a value that is complete. */
  async complete({ before, field, value }: OpenFilter): Promise<Item[]> {
    const known = await this.values(field, value);
    if (known.includes(value)) return [];
    const fitting = known.filter((each) => each.toLowerCase().startsWith(value.toLowerCase()));
    return fitting.slice(0, MAX_COMPLETIONS).map((each) => ({
      type: "completion",
      value: each.endsWith("/") ? `${before}${each}` : `${before}${each} `,
      label: escapeIcons(`${field}:${each}`),
      iconPath: new vscode.ThemeIcon("filter"),
      description: vscode.l10n.t("Tab"),
      alwaysShow: true,
    }));
  }

  private async values(field: string, value: string): Promise<readonly string[]> {
    if (field === "type") return Object.keys(TYPES);
    if (field === "source") return Object.keys(SOURCES);
    if (field === "path") return entriesBelow(value);
    this.languages ??= this.readLanguages();
    return this.languages;
  }

  /** Returns the languages of the open folders, those with most files first. */
  private async readLanguages(): Promise<readonly string[]> {
    const counts = new Map<string, number>();
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      const params = { folder: uri.toString(), languages: true };
      const { languages = {} } = await this.sidecar.request(methods.status, params);
      for (const [name, count] of Object.entries(languages)) counts.set(name, (counts.get(name) ?? 0) + count);
    }
    return [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
  }
}

/** Returns the paths of what is in the folder that a part of a path names: folders, with a slash at the end, and files,
 * of each those that begin with a dot last. */
async function entriesBelow(part: string): Promise<string[]> {
  const parent = part.slice(0, part.lastIndexOf("/") + 1);
  const listings = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) =>
    vscode.workspace.fs.readDirectory(vscode.Uri.joinPath(uri, parent)).then(
      (entries) => entries,
      () => [], // there is no such folder here
    ),
  );
  const entries = (await Promise.all(listings)).flat().filter(([name]) => name !== ".git" && !/[\s"]/.test(name));
  const isFolder = (type: vscode.FileType) => (type & vscode.FileType.Directory) !== 0;
  const folders = entries.filter(([, type]) => isFolder(type)).map(([name]) => `${parent}${name}/`);
  const files = entries.filter(([, type]) => !isFolder(type)).map(([name]) => `${parent}${name}`);
  const isHidden = (entry: string) => Number(entry.startsWith(".", parent.length));
  const sorted = (names: string[]) => names.sort().sort((one, other) => isHidden(one) - isHidden(other));
  return [...new Set([...sorted(folders), ...sorted(files)])];
}
