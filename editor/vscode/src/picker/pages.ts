/** The pages that take the place of the picker's list for a while: the actions on a result, the legend, the filters. */

import * as vscode from "vscode";
import { escapeIcons, type Hit } from "../results/hit";
import type { Action, Item } from "./items";

export interface Page {
  readonly title: string;
  readonly items: readonly Item[];
}

/** The acts of the picker that a page may call for. */
export interface PageActs {
  act(action: Action, hit: Hit): unknown;
  open(hit: Hit, how: "background" | "side"): unknown;
}

function actItem(icon: string, label: string, run: () => unknown, description = ""): Item {
  const iconPath = new vscode.ThemeIcon(icon);
  return {
    type: "act",
    run,
    label: escapeIcons(label),
    iconPath,
    description: escapeIcons(description),
    alwaysShow: true,
  };
}

/** Returns the host that the link of a result leads to. */
function hostOf({ result }: Hit): string {
  return result.link ? vscode.Uri.parse(result.link).authority : "";
}

/** Returns the actions on a result; those on its link only where it has one. */
export function actionPage(hit: Hit, acts: PageActs): Page {
  const { t } = vscode.l10n;
  const links = [
    actItem("link-external", t("Open on the Forge"), () => acts.act("openLink", hit), hostOf(hit)),
    actItem("link", t("Copy Link"), () => acts.act("copyLink", hit)),
  ];
  return {
    title: hit.result.title,
    items: [
      actItem("list-selection", t("Show Detail"), () => acts.act("detail", hit)),
      actItem("copy", t("Copy Result"), () => acts.act("copy", hit)),
      actItem("question", t("Why This Result?"), () => acts.act("why", hit)),
      actItem("go-to-file", t("Open in Background"), () => acts.open(hit, "background"), t("RightArrow")),
      actItem("split-horizontal", t("Open to the Side"), () => acts.open(hit, "side"), t("Ctrl+Enter")),
      ...(hit.result.link ? links : []),
      actItem("thumbsup", t("Good Result"), () => acts.act("good", hit)),
      actItem("thumbsdown", t("Bad Result"), () => acts.act("bad", hit)),
    ],
  };
}

/** Returns what the signs of a row mean, and the keys of the list. A line has some 36 characters of room in a narrow
 * window: what needs more has two lines. */
export function legendPage(): Page {
  const { t } = vscode.l10n;
  const lines: [string, string][] = [
    ["sem #1", t("first by meaning")],
    ["lex #1", t("first by words")],
    ["temp #1", t("first in the history")],
    ["bel #1", t("first among beliefs")],
    ["mem #1", t("first among memories")],
    ["persona #1", t("first among your notes")],
    ["weak", t("poor match: it may be no answer")],
    ["test x0.5", t("lowered by half, as a test")],
    ["imp 12", t("12 files import its file")],
    ["+3 more", t("further places in its file")],
    ["core@4f2a91c", t("in the team's index")],
    [t("Alt+RightArrow"), t("lists those places")],
    [t("Enter"), t("opens the result")],
    [t("Ctrl+Enter"), t("opens it to the side")],
    [t("RightArrow"), t("opens it behind the list")],
    [t("Ctrl+."), t("all actions, rating too")],
    ["lang: path: type: source:", t("filters")],
    ["-path:", t("a filter that excludes")],
    [t("Tab"), t("completes a filter")],
    ['"…"', t("exactly this text")],
  ];
  return {
    title: t("Legend"),
    items: lines.map(([label, description]) => ({ type: "notice", label, description, alwaysShow: true })),
  };
}

/** A restriction of the question: to files by a filter, or to projects. */
export interface Restriction {
  readonly icon: string;
  readonly label: string;
  readonly description?: string;
  run(): unknown;
}

/** Returns the filters and scopes that can be chosen. */
export function filterPage(restrictions: readonly Restriction[]): Page {
  return {
    title: vscode.l10n.t("Filters"),
    items: restrictions.map(({ icon, label, description, run }) => actItem(icon, label, run, description)),
  };
}
