/** A reason why the sidecar does not run, with its remedy. */

/** install: the sidecar. settings: open ours. restart: try again. log: read more. trust: trust the workspace. */
export type Remedy = "install" | "settings" | "restart" | "log" | "trust";

export class Problem extends Error {
  constructor(
    message: string,
    readonly remedy: Remedy,
  ) {
    super(message);
    this.name = "Problem";
  }
}

/** The message of anything thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export const REMEDIES: Readonly<Record<Remedy, { readonly title: string; readonly command: string }>> = {
  install: { title: "Install", command: "scry.install" },
  settings: { title: "Open Settings", command: "scry.settings" },
  restart: { title: "Restart", command: "scry.restart" },
  log: { title: "Show Log", command: "scry.log" },
  trust: { title: "Manage Trust", command: "workbench.trust.manage" },
};
