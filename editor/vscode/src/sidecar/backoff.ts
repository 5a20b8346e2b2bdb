/** How long to wait before the sidecar is started again after a crash. Pure. */

/** The first wait. A crash that happens once is hardly noticed. */
const FIRST_MS = 500;

/** The longest wait. It never gives up: what made it crash (a full disk, say) may pass. */
const LONGEST_MS = 60_000;

/** A sidecar that ran for so long was well: its next crash is a first one. */
const HEALTHY_MS = 120_000;

export class Backoff {
  private crashes = 0;

  /** Milliseconds to wait after a crash of a sidecar that ran for `ranMs`: twice as long as the last time. */
  next(ranMs: number): number {
    this.crashes = ranMs >= HEALTHY_MS ? 1 : this.crashes + 1;
    return Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.crashes - 1));
  }

  /** The person asked for a start: earlier crashes no longer count. */
  reset(): void {
    this.crashes = 0;
  }
}
