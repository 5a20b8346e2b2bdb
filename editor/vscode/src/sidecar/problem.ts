/** Errors with a remedy that the user can apply. */

/** install: install the sidecar. settings: open Scry's settings. restart: restart the sidecar. log: show the log.
 * trust: manage workspace trust. */
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

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export const REMEDIES: Readonly<Record<Remedy, { readonly title: string; readonly command: string }>> = {
  install: { title: "Install", command: "scry.install" },
  settings: { title: "Open Settings", command: "scry.settings" },
  restart: { title: "Restart", command: "scry.restart" },
  log: { title: "Show Log", command: "scry.log" },
  trust: { title: "Manage Trust", command: "workbench.trust.manage" },
};
