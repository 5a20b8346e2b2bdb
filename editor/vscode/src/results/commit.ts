/** Opens a commit in the multi-file diff editor, by means of the built-in git extension. */

import * as vscode from "vscode";
import { nextEvent } from "../event";
import type { ResultItem } from "../generated/protocol";
import { run } from "../sidecar/program";
import { type FileChange, parseChanges } from "./changes";

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

/** Milliseconds that git's extension may take to find the repositories after the window has opened. */
const DISCOVERY_TIMEOUT_MS = 10_000;

/** Opens the diff of a commit. Calls `fallback` where git's extension is off or does not know the repository. */
export async function openCommit(result: ResultItem, fallback: () => Promise<void>): Promise<void> {
  const sha = result.doc_id.slice(result.doc_id.lastIndexOf("commit:") + "commit:".length);
  const git = await gitApi();
  const repository = git && (await repositoryOf(git, sha));
  const entries = repository && (await diffEntriesOf(git, repository, sha));
  if (!entries) return fallback();
  await vscode.commands.executeCommand("vscode.changes", result.title, entries);
}

async function gitApi(): Promise<GitApi | undefined> {
  const extension = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>("vscode.git");
  try {
    const api = (extension?.isActive ? extension.exports : await extension?.activate())?.getAPI(1);
    if (api?.state === "uninitialized") await nextEvent(api.onDidChangeState, DISCOVERY_TIMEOUT_MS);
    return api;
  } catch {
    return undefined; // git is switched off in the settings
  }
}

async function repositoryOf(git: GitApi, sha: string): Promise<Repository | undefined> {
  for (const repository of git.repositories) {
    const hasCommit = await repository.getCommit(sha).then(
      () => true,
      () => false,
    );
    if (hasCommit) return repository;
  }
  return undefined;
}

/** One file as a parameter of `vscode.changes`: its name, its version before the commit, and its version after it. */
type DiffEntry = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

/** Returns the files of a commit; undefined where git fails.
 *
 * They are read by `git diff-tree`, because the extension's own comparison fails for a first commit. */
async function diffEntriesOf(git: GitApi, repository: Repository, sha: string): Promise<DiffEntry[] | undefined> {
  const { parents } = await repository.getCommit(sha);
  const [base] = parents;
  const versions = base === undefined ? ["--root", sha] : [base, sha];
  const args = ["diff-tree", "-r", "-z", "-M", "--no-commit-id", "--name-status", ...versions];
  const { status, stdout } = await run(git.git.path, args, { cwd: repository.rootUri.fsPath });
  if (status !== 0) return undefined;
  return parseChanges(stdout).map(({ before, after }: FileChange): DiffEntry => {
    const revision = (path: string | undefined, ref: string | undefined) =>
      path === undefined || ref === undefined ? undefined : git.toGitUri(uriOf(repository, path), ref);
    return [uriOf(repository, after ?? before ?? ""), revision(before, base), revision(after, sha)];
  });
}

function uriOf(repository: Repository, path: string): vscode.Uri {
  return vscode.Uri.joinPath(repository.rootUri, path);
}
