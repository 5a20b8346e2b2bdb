/** Parses the file changes of a commit from `git diff-tree -z --name-status`. Pure. */

/** One file, by its path in the repository. before: undefined where it was added. after: undefined where it was deleted. */
export interface FileChange {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The fields are `A`, `M`, `D` or `T` and a path, or `R` or `C` with a figure and two paths; each ends with NUL. */
export function readChanges(output: string): FileChange[] {
  const fields = output.split("\0").slice(0, -1);
  const changes: FileChange[] = [];
  for (let at = 0; at < fields.length; ) {
    const kind = fields[at]?.[0];
    const isPair = kind === "R" || kind === "C";
    const [first, second] = [fields[at + 1], isPair ? fields[at + 2] : fields[at + 1]];
    changes.push({ before: kind === "A" ? undefined : first, after: kind === "D" ? undefined : second });
    at += isPair ? 3 : 2;
  }
  return changes;
}
