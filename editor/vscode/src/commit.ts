/** A commit as the editor's own diff of all its files, by the built-in git extension. */

import * as vscode from "vscode";
import { type FileChange, readChanges } from "./changes";
import type { ResultItem } from "./generated/protocol";
import { run } from "./sidecar/run";

interface Repository {
  readonly rootUri: vscode.Uri;
  getCommit(ref: string): Promise<{ readonly parents: readonly string[] }>;
}

interface GitApi {
  readonly state: "uninitialized" | "initialized";
  readonly onDidChangeState: vscode.Event<GitApi["state"]>;
  readonly git: { readonly path: string };
  readonly repositories: readonly Repository[];
  toGitUri(uri: vscode.Uri, ref: string): vscode.Uri;
}

/** How long git's extension may take to look for repositories, after the window has opened. */
const PATIENCE_MS = 10_000;

/** Opens the diff; where git's extension can't (it is off, or does not know the repository), `otherwise`. */
export async function openCommit(result: ResultItem, otherwise: () => Promise<void>): Promise<void> {
  const sha = result.doc_id.slice(result.doc_id.lastIndexOf("commit:") + "commit:".length);
  const git = await gitApi();
  const repository = git && (await repositoryOf(git, sha));
  const sides = repository && (await sidesOf(git, repository, sha));
  if (!sides) return otherwise();
  await vscode.commands.executeCommand("vscode.changes", result.title, sides);
}

async function gitApi(): Promise<GitApi | undefined> {
  const extension = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>("vscode.git");
  try {
    const api = (extension?.isActive ? extension.exports : await extension?.activate())?.getAPI(1);
    if (api?.state === "uninitialized") await initialized(api);
    return api;
  } catch {
    return undefined; // git is switched off in the settings
  }
}

function initialized(api: GitApi): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, PATIENCE_MS);
    const subscription = api.onDidChangeState(done);
    function done(): void {
      clearTimeout(timer);
      subscription.dispose();
      resolve();
    }
  });
}

async function repositoryOf(git: GitApi, sha: string): Promise<Repository | undefined> {
  for (const repository of git.repositories) {
    const knows = await repository.getCommit(sha).then(
      () => true,
      () => false,
    );
    if (knows) return repository;
  }
  return undefined;
}

/** What `vscode.changes` takes: of each file its name, what it was before, and what it is in the commit. */
type Sides = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

/** Asked of git itself, for the extension's own comparison fails for a first commit. undefined where git fails. */
async function sidesOf(git: GitApi, repository: Repository, sha: string): Promise<Sides[] | undefined> {
  const { parents } = await repository.getCommit(sha);
  const [base] = parents;
  const versions = base === undefined ? ["--root", sha] : [base, sha];
  const args = ["diff-tree", "-r", "-z", "-M", "--no-commit-id", "--name-status", ...versions];
  const { status, stdout } = await run(git.git.path, args, { cwd: repository.rootUri.fsPath });
  if (status !== 0) return undefined;
  return readChanges(stdout).map(({ before, after }: FileChange): Sides => {
    const at = (path: string | undefined, ref: string | undefined) =>
      path === undefined || ref === undefined ? undefined : git.toGitUri(inside(repository, path), ref);
    return [inside(repository, after ?? before ?? ""), at(before, base), at(after, sha)];
  });
}

function inside(repository: Repository, path: string): vscode.Uri {
  return vscode.Uri.joinPath(repository.rootUri, path);
}
