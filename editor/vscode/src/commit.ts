/** A commit as the editor's own diff of all its files, by the built-in git extension. */

import * as vscode from "vscode";
import type { ResultItem } from "./generated/protocol";

/** The tree without files, which every git knows: what the first commit is compared with. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

interface Change {
  readonly uri: vscode.Uri;
  readonly originalUri: vscode.Uri;
  readonly renameUri: vscode.Uri | undefined;
}

interface Repository {
  getCommit(ref: string): Promise<{ readonly parents: readonly string[] }>;
  diffBetween(from: string, to: string): Promise<Change[]>;
}

interface GitApi {
  readonly repositories: readonly Repository[];
  toGitUri(uri: vscode.Uri, ref: string): vscode.Uri;
}

/** Opens the diff; where git's extension can't (it is off, or does not know the repository), `otherwise`. */
export async function openCommit(result: ResultItem, otherwise: () => Promise<void>): Promise<void> {
  const sha = result.doc_id.slice(result.doc_id.lastIndexOf("commit:") + "commit:".length);
  const git = await gitApi();
  const repository = git && (await repositoryOf(git, sha));
  if (!git || !repository) return otherwise();
  const { parents } = await repository.getCommit(sha);
  const base = parents[0] ?? EMPTY_TREE;
  const changes = await repository.diffBetween(base, sha);
  const sides = changes.map(({ uri, originalUri, renameUri }) => [
    renameUri ?? uri,
    git.toGitUri(originalUri, base),
    git.toGitUri(renameUri ?? uri, sha),
  ]);
  await vscode.commands.executeCommand("vscode.changes", result.title, sides);
}

async function gitApi(): Promise<GitApi | undefined> {
  const extension = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>("vscode.git");
  try {
    return (extension?.isActive ? extension.exports : await extension?.activate())?.getAPI(1);
  } catch {
    return undefined; // git is switched off in the settings
  }
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
