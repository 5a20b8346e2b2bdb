/** A connection with one process of the sidecar. It imports the language client late, to keep activation fast. */

import * as vscode from "vscode";
import type { LanguageClient, LanguageClientOptions, StaticFeature } from "vscode-languageclient/node";
import { PROTOCOL } from "../generated/protocol";
import type { Settings } from "../settings";
import type { Launch } from "./discover";
import { Problem } from "./problem";
import { SidecarProcess } from "./process";
import { withoutOthersSymbols } from "./symbols";

/** Milliseconds to wait for the exit status after the streams of the process have closed. */
const EXIT_DELAY_MS = 500;

export interface Connection {
  readonly client: LanguageClient;
  readonly process: SidecarProcess;
  /** The sidecar's version. */
  readonly version: string;
  /** Calls back once when the connection is lost, with the reason. */
  onEnd(listener: (reason: string) => void): void;
}

/** The sidecar's part of the experimental server capabilities. */
interface ScryCapabilities {
  readonly scry?: { readonly protocol?: number; readonly version?: string };
}

/** The sidecar ended before it could be asked anything. */
export class EndedAtStart extends Error {
  constructor(
    reason: string,
    /** How long the process ran, in milliseconds. */
    readonly uptime: number,
  ) {
    super(reason);
    this.name = "EndedAtStart";
  }
}

/** Starts the sidecar and performs the LSP handshake.
 *
 * Throws Problem where the protocol versions differ, EndedAtStart, and any error where the start fails. */
export async function connect(
  launch: Launch,
  cwd: string,
  settings: Settings,
  log: vscode.LogOutputChannel,
): Promise<Connection> {
  const { LanguageClient } = await import("./languageclient.js");
  const process = new SidecarProcess(launch, cwd, settings.environment, log);
  const end = new EndEvent(process);
  const options = await clientOptions(settings, log, end);
  const client = new LanguageClient("scry", "Scry", () => process.whenSpawned(), options);
  client.registerFeature(WITHOUT_PROGRESS);
  // No notification shows an error of the connection: the state of the sidecar says what happened. Errors of a start
  // wait for its end, and are not logged if the process ended: the message of EndedAtStart replaces them.
  const held: [message: string, data: unknown][] = [];
  const logError = (message: string, data: unknown) =>
    LanguageClient.prototype.error.call(client, message, data, false);
  client.error = (message, data) => void held.push([message, data]);
  try {
    await client.start();
  } catch (error) {
    await process.whenEnded(EXIT_DELAY_MS); // its streams close before
    if (process.hasEnded) throw new EndedAtStart(process.describeEnd(), process.uptime);
    process.child.kill();
    for (const each of held) logError(...each);
    throw error;
  }
  client.error = logError;
  for (const each of held) logError(...each);
  const server = (client.initializeResult?.capabilities.experimental as ScryCapabilities | undefined)?.scry;
  const mismatch = protocolProblem(server?.protocol, launch);
  if (mismatch) {
    await client.dispose();
    throw mismatch;
  }
  return { client, process, version: server?.version ?? "", onEnd: (listener) => end.listen(listener) };
}

/** Keeps the sidecar from showing a progress bar: it would be a second item in the status bar, beside ours. */
const WITHOUT_PROGRESS: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.window = { ...capabilities.window, workDoneProgress: false };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};

/** Notifies its listener once that the process has ended. */
class EndEvent {
  private listener: ((reason: string) => void) | undefined;
  private hasFired = false;

  constructor(private readonly process: SidecarProcess) {
    process.child.once("close", () => this.fire());
  }

  listen(listener: (reason: string) => void): void {
    this.listener = listener;
    if (this.hasFired) listener(this.process.describeEnd());
  }

  fire(): void {
    if (this.hasFired) return;
    this.hasFired = true;
    this.listener?.(this.process.describeEnd());
  }
}

/** Returns the problem with a sidecar's protocol version; undefined where the version is the extension's own. */
function protocolProblem(theirs: number | undefined, launch: Launch): Problem | undefined {
  if (theirs === PROTOCOL) return undefined;
  const { t } = vscode.l10n;
  const versions = t(
    "Scry: protocols differ: the sidecar from {0} speaks {1}, this extension speaks {2}.",
    launch.origin,
    theirs ?? t("none"),
    PROTOCOL,
  );
  const isOlder = (theirs ?? 0) < PROTOCOL;
  const advice = isOlder ? t("Update the sidecar ({0}).", launch.command) : t("Update this extension.");
  return new Problem(`${versions} ${advice}`, "settings");
}

async function clientOptions(
  settings: Settings,
  log: vscode.LogOutputChannel,
  end: EndEvent,
): Promise<LanguageClientOptions> {
  const { CloseAction, ErrorAction, RevealOutputChannelOn } = await import("./languageclient.js");
  return {
    documentSelector: [{ scheme: "file" }],
    outputChannel: log,
    traceOutputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: {
      scry: { protocol: PROTOCOL, editor: "vscode" },
      workspace_symbol: settings.workspaceSymbols,
      hover: false,
    },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        setTimeout(() => end.fire(), EXIT_DELAY_MS);
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    // The extension's own hover answers only at a location that the user jumped to, for the answer that led there.
    middleware: { provideHover: () => undefined, provideWorkspaceSymbols: withoutOthersSymbols() },
  };
}
