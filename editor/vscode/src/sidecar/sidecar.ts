/** The lifecycle of the sidecar: it is found, started, sent requests, restarted after a crash, and ended. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { nextEvent } from "../event";
import { methods, type Requests, type StatusChanged } from "../generated/protocol";
import { readSettings } from "../settings";
import { Backoff } from "./backoff";
import { type Connection, connect, EndedAtStart } from "./connection";
import { discover, installedLaunch, type Launch } from "./discover";
import type { Installer } from "./install";
import { messageOf, Problem } from "./problem";

/** Milliseconds that the end of a connection may take to be noticed. */
const END_TIMEOUT_MS = 2000;

/** The error codes of vscode-jsonrpc for a connection that ended while an answer was due, or before. */
const LOST_CODES: readonly unknown[] = [-32097, -32099];

/** Requests that may be sent twice: they change nothing, or carry the id of their act. */
const REPEATABLE: ReadonlySet<string> = new Set([
  methods.find,
  methods.orient,
  methods.recent,
  methods.neighbors,
  methods.why,
  methods.detail,
  methods.use,
  methods.status,
]);

/** off: not started. waiting: the sidecar crashed, and is restarted after a wait. */
export type SidecarState =
  | { readonly kind: "off" | "starting" }
  | { readonly kind: "running"; readonly origin: string; readonly version: string }
  | { readonly kind: "waiting"; readonly reason: string; readonly seconds: number }
  | { readonly kind: "failed"; readonly problem: Problem };

export class Sidecar implements vscode.Disposable {
  private readonly stateChanged = new vscode.EventEmitter<SidecarState>();
  private readonly statusChanged = new vscode.EventEmitter<StatusChanged>();
  private readonly backoff = new Backoff();
  private connection: Connection | undefined;
  private starting: Promise<void> | undefined;
  private restarting: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private current: SidecarState = { kind: "off" };
  private isDisposed = false;

  readonly onState = this.stateChanged.event;
  readonly onStatus = this.statusChanged.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly installer: Installer,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  get state(): SidecarState {
    return this.current;
  }

  get processId(): number | undefined {
    return this.connection?.process.child.pid;
  }

  /** Starts the sidecar unless it runs or is being started. An error becomes the state `failed` and is not thrown. */
  start(): Promise<void> {
    clearTimeout(this.timer);
    if (this.connection || this.isDisposed) return Promise.resolve();
    this.starting ??= this.launch()
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.starting = undefined;
      });
    return this.starting;
  }

  /** Ends the sidecar if it runs, and starts it with the current settings. Restarts run one after the other. */
  restart(): Promise<void> {
    const restarting = this.restarting.then(async () => {
      this.backoff.reset();
      await this.starting;
      await this.stop();
      await this.start();
    });
    this.restarting = restarting;
    return restarting;
  }

  /** Sends a request; one that was lost with the sidecar is sent to the next one, if it changes nothing.
   *
   * Throws Problem while the sidecar does not run, or else the error that the sidecar answers with. */
  async request<M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
    token?: vscode.CancellationToken,
  ): Promise<Requests[M]["result"]> {
    try {
      return await this.send(method, params, token);
    } catch (error) {
      if (!isLost(error)) throw error;
      await nextEvent(this.onState, END_TIMEOUT_MS); // the lost connection is noticed by its own event
      if (token?.isCancellationRequested || !REPEATABLE.has(method)) throw this.notRunningProblem();
      return this.send(method, params, token);
    }
  }

  private async send<M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
    token: vscode.CancellationToken | undefined,
  ): Promise<Requests[M]["result"]> {
    await this.restarting;
    await (this.current.kind === "waiting" ? this.start() : this.starting);
    const client = this.connection?.client;
    if (!client) throw this.notRunningProblem();
    // An undefined token would be sent as a second parameter.
    return client.sendRequest<Requests[M]["result"]>(method, params, ...(token ? [token] : []));
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
    clearTimeout(this.timer);
    await this.starting;
    await this.stop();
    this.stateChanged.dispose();
    this.statusChanged.dispose();
  }

  private async launch(): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      throw new Problem(
        vscode.l10n.t("Scry does not start in Restricted Mode: nothing of this workspace is run or read."),
        "trust",
      );
    }
    this.setState({ kind: "starting" });
    const home = this.context.globalStorageUri;
    await vscode.workspace.fs.createDirectory(home);
    const settings = readSettings();
    const launch = await this.find(home.fsPath);
    this.log.info(`starting ${launch.command} ${launch.args.join(" ")} (from ${launch.origin})`);
    const connection = await connect(launch, home.fsPath, settings, this.log);
    this.connection = connection;
    connection.client.onNotification(methods.statusChanged, (status: StatusChanged) => this.statusChanged.fire(status));
    connection.onEnd((reason) => this.handleEnd(connection, reason));
    this.setState({ kind: "running", origin: launch.origin, version: connection.version });
  }

  /** Finds the sidecar, after an update of the installed one where that is outdated; the earlier one where that fails. */
  private async find(home: string): Promise<Launch> {
    const settings = readSettings();
    const launch = await discover(settings, this.installer, home);
    if (launch) return launch;
    if (!(await this.installer.isOutdated()))
      throw new Problem(vscode.l10n.t("Scry's sidecar is not installed yet."), "install");
    try {
      await this.installer.install(settings.interpreter, vscode.ProgressLocation.Window);
    } catch (error) {
      const earlier = await this.installer.earlierInterpreter();
      if (!earlier) throw error;
      this.log.warn(messageOf(error));
      return installedLaunch(earlier);
    }
    const updated = await discover(settings, this.installer, home);
    if (!updated) throw new Problem(vscode.l10n.t("Scry's sidecar could not be updated."), "log");
    return updated;
  }

  private handleEnd(connection: Connection, reason: string): void {
    if (this.connection !== connection) return;
    this.connection = undefined;
    void end(connection.client);
    if (this.isDisposed) return;
    this.startLater(reason, connection.process.uptime);
  }

  /** Starts the sidecar again after a wait. uptime: how long it ran before it ended, in milliseconds. */
  private startLater(reason: string, uptime: number): void {
    if (this.isDisposed) return;
    const wait = this.backoff.next(uptime);
    this.log.error(`the sidecar is gone: ${reason}; it is started again in ${wait / 1000} s`);
    this.setState({ kind: "waiting", reason, seconds: wait / 1000 });
    this.timer = setTimeout(() => void this.start(), wait);
  }

  private async stop(): Promise<void> {
    const connection = this.connection;
    this.connection = undefined;
    if (!connection) return;
    await end(connection.client);
    this.setState({ kind: "off" });
  }

  private fail(error: unknown): void {
    if (error instanceof EndedAtStart) {
      this.startLater(error.message, error.uptime);
      return;
    }
    const problem =
      error instanceof Problem
        ? error
        : new Problem(vscode.l10n.t("Scry's sidecar did not start: {0}", messageOf(error)), "log");
    this.log.error(problem.message);
    this.setState({ kind: "failed", problem });
  }

  private notRunningProblem(): Problem {
    if (this.current.kind === "failed") return this.current.problem;
    const message =
      this.current.kind === "waiting"
        ? vscode.l10n.t("Scry's sidecar does not run: {0}", this.current.reason)
        : vscode.l10n.t("Scry's sidecar does not run.");
    return new Problem(message, "restart");
  }

  private setState(state: SidecarState): void {
    if (this.isDisposed) return;
    this.current = state;
    void vscode.commands.executeCommand("setContext", "scry.running", state.kind === "running");
    this.stateChanged.fire(state);
  }
}

/** Returns whether a request failed because the sidecar ended before it answered. */
function isLost(error: unknown): boolean {
  return error instanceof Error && "code" in error && LOST_CODES.includes(error.code);
}

/** Ends a client in any state. The client throws if its process has already ended. */
async function end(client: LanguageClient): Promise<void> {
  try {
    await client.dispose();
  } catch {
    // the process has already ended
  }
}
