/** Computes the wait before the sidecar is restarted after a crash. Pure. */

/** The wait after a first crash, short enough to be hardly noticed. */
const FIRST_MS = 500;

/** The longest wait. Restarts never end, because the cause of the crashes, such as a full disk, may pass. */
const MAX_MS = 60_000;

/** A crash counts as a first one if the sidecar ran for at least this long. */
const HEALTHY_MS = 120_000;

export class Backoff {
  private crashes = 0;

  /** Returns the milliseconds to wait after a crash of a sidecar that ran for `uptimeMs`: twice the previous wait. */
  next(uptimeMs: number): number {
    this.crashes = uptimeMs >= HEALTHY_MS ? 1 : this.crashes + 1;
    return Math.min(MAX_MS, FIRST_MS * 2 ** (this.crashes - 1));
  }

  /** Forgets earlier crashes, when the user restarts the sidecar. */
  reset(): void {
    this.crashes = 0;
  }
}
