/** Parses the output of `git diff-tree -z --name-status`. Pure. */

/** The path of a file before and after a commit: `before` is undefined for an added file, `after` for a deleted one. */
export interface FileChange {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Returns the changes in the order of the output.
 *
 * Each field ends with NUL. A change is `A`, `M`, `D` or `T` and a path, or `R` or `C` with a similarity and two paths. */
export function parseChanges(output: string): FileChange[] {
  const fields = output.split("\0").slice(0, -1);
  const changes: FileChange[] = [];
  for (let index = 0; index < fields.length; ) {
    const kind = fields[index]?.[0];
    const isPair = kind === "R" || kind === "C";
    const [first, second] = [fields[index + 1], isPair ? fields[index + 2] : fields[index + 1]];
    changes.push({ before: kind === "A" ? undefined : first, after: kind === "D" ? undefined : second });
    index += isPair ? 3 : 2;
  }
  return changes;
}
