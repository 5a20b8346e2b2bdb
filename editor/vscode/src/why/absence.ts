/** Explains why a file is not among the results of a question, or why it has its rank there. */

import * as vscode from "vscode";
import { projectNames } from "../folders";
import { type KnownProject, methods, type WhyParams } from "../generated/protocol";
import { scopeLabel } from "../projects";
import type { Answers } from "../results/answers";
import { type AskedAnswer, isAnswer } from "../results/asked";
import { type Hit, hitsOf, toUri } from "../results/hit";
import type { Sidecar } from "../sidecar/sidecar";
import { chooseFile, type FilePlace } from "./choosefile";
import type { WhyPanel } from "./panel";

/** A question: the answer to it, or its words where it was not asked yet. */
type Question = AskedAnswer | string;

export class Absences {
  constructor(
    private readonly answers: Answers,
    private readonly sidecar: Sidecar,
    private readonly why: WhyPanel,
  ) {}

  /** Explains the rank of a file, or its absence, for a question. The user is asked for what is missing.
   *
   * subject: the URI of the file, or the answer whose question is meant; by default that is the last one in words. */
  async explain(subject: unknown): Promise<void> {
    let question = (isAnswer(subject) ? subject : this.answers.lastInWords) ?? (await askForQuestion());
    if (question === undefined) return;
    let place = subject instanceof vscode.Uri ? { uri: subject } : await this.chooseFile(question);
    while (place === "another question") {
      question = await askForQuestion();
      if (question === undefined) return;
      place = await this.chooseFile(question);
    }
    if (place) await this.explainPlace(question, place);
  }

  private async chooseFile(question: Question): Promise<FilePlace | "another question" | undefined> {
    const scope = typeof question === "string" ? "" : scopeLabel(question.scope);
    const title = vscode.l10n.t("Scry: Why Was a File Not Found for “{0}”{1}?", wordsOf(question), scope);
    return chooseFile(title, await projectNames(this.sidecar));
  }

  private async explainPlace(question: Question, place: FilePlace): Promise<void> {
    const hit = typeof question === "string" ? undefined : hitIn(question, place);
    if (hit) return this.why.show(hit);
    const project = await this.projectOf(place.uri);
    const doc_id = documentOf(place, project);
    const params: WhyParams =
      typeof question === "string" ? { doc_id, query: question } : { doc_id, query_id: question.query_id };
    const name = place.uri.path.slice(place.uri.path.lastIndexOf("/") + 1);
    await this.why.explain(params, name, (rank) => remarkOn(question, place.uri, project, rank));
  }

  /** Returns the innermost project that a file is in; undefined for none that the sidecar knows. */
  private async projectOf(uri: vscode.Uri): Promise<KnownProject | undefined> {
    const { projects } = await this.sidecar.request(methods.projects, { action: "list" });
    const holding = projects.filter(({ root }) => pathIn(root, uri) !== undefined);
    return holding.sort((one, other) => other.root.length - one.root.length)[0];
  }
}

/** Asks for a question; undefined where the user gives none. */
async function askForQuestion(): Promise<string | undefined> {
  const words = await vscode.window.showInputBox({
    title: vscode.l10n.t("Scry: Why Was a File Not Found?"),
    prompt: vscode.l10n.t("For which question?"),
    ignoreFocusOut: true,
  });
  return words?.trim() || undefined;
}

function wordsOf(question: Question): string {
  return typeof question === "string" ? question : question.words || question.query;
}

/** Returns the first result of an answer in a file, with its further places; undefined for none. The place at a line is
 * explained by the sidecar, which knows the innermost function there. */
function hitIn(answer: AskedAnswer, { uri, line }: FilePlace): Hit | undefined {
  if (line !== undefined) return undefined;
  return hitsOf(answer).find(({ result }) => result.location && toUri(result.location).toString() === uri.toString());
}

/** Returns the doc_id of a file, or of what is at its line. Throws for a file that is in no known project. */
function documentOf({ uri, line }: FilePlace, project: KnownProject | undefined): string {
  const lines = line === undefined ? "" : `#L${line + 1}`;
  if (vscode.workspace.getWorkspaceFolder(uri)) return `${uri.with({ fragment: "" })}${lines}`;
  const path = project && pathIn(project.root, uri);
  if (!path) {
    const message = vscode.l10n.t(
      "{0} is in no open folder and in no registered project: no question of this window finds it.",
      uri.fsPath,
    );
    throw new Error(message);
  }
  return `${project.name}:./${path}${lines}`;
}

/** Returns the path of a file in a folder, percent-encoded as in a doc_id; undefined where it is not in there. */
function pathIn(root: string, uri: vscode.Uri): string | undefined {
  const [folder, file] = [`${vscode.Uri.file(root)}/`, `${uri.with({ fragment: "" })}`];
  return file.startsWith(folder) ? file.slice(folder.length) : undefined;
}

/** Returns what the explanation of a file does not say of its absence: that its project was not asked, or that it ranks
 * after the results that are shown. rank: its rank for the question; undefined where it has none. */
function remarkOn(
  question: Question,
  uri: vscode.Uri,
  project: KnownProject | undefined,
  rank: number | undefined,
): string {
  if (typeof question === "string") return "";
  const { projects = [], results, scope } = question;
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const projectName = project?.name ?? folder?.name ?? "";
  const wasAsked =
    projects.length > 0
      ? projects.some(({ name }) => name === projectName)
      : folder !== undefined && [undefined, folder.uri.toString()].includes(scope.within?.folder);
  if (!wasAsked) {
    const where = scopeLabel(scope) || ` ${vscode.l10n.t("in the open folders")}`;
    return vscode.l10n.t("The question was asked{0}, and not in {1}, which has this file.", where, projectName);
  }
  if (rank === undefined || rank <= results.length) return "";
  return vscode.l10n.t("The answer shows the ranks up to {0}.", results.length);
}
