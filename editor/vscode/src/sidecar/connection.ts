/** A connection with one process of the sidecar. Imported late: the language client is most of what activation would cost. */

import type * as vscode from "vscode";
import type { LanguageClient, LanguageClientOptions } from "vscode-languageclient/node";
import { PROTOCOL } from "../generated/protocol";
import type { Launch } from "./discover";
import { Problem } from "./problem";
import { SidecarProcess } from "./process";

/** Its streams close a moment before its process has ended, and only then can be said how. */
const ENDING_MS = 500;

export interface Connection {
  readonly client: LanguageClient;
  readonly process: SidecarProcess;
  /** The sidecar's version. */
  readonly version: string;
  /** Calls back once when the connection is lost, with the reason. */
  onEnd(listener: (reason: string) => void): void;
}

interface Greeting {
  readonly scry?: { readonly protocol?: number; readonly version?: string };
}

/** Starts the sidecar and greets it. Throws Problem where it speaks another protocol, and anything where it fails. */
export async function connect(
  launch: Launch,
  cwd: string,
  model: string,
  log: vscode.LogOutputChannel,
): Promise<Connection> {
  const { LanguageClient } = await import("./languageclient.js");
  const process = new SidecarProcess(launch, cwd, model, log);
  const ended = new Ended(process);
  const options = await clientOptions(log, ended);
  const client = new LanguageClient("scry", "Scry", () => process.whenSpawned(), options);
  try {
    await client.start();
  } catch (error) {
    process.child.kill();
    throw new Error(process.child.exitCode === null ? String(error) : process.ending());
  }
  const greeting = (client.initializeResult?.capabilities.experimental as Greeting | undefined)?.scry;
  const mismatch = whatDiffers(greeting?.protocol, launch);
  if (mismatch) {
    await client.dispose();
    throw mismatch;
  }
  return { client, process, version: greeting?.version ?? "", onEnd: (listener) => ended.listen(listener) };
}

/** Tells once that the process is gone. */
class Ended {
  private listener: ((reason: string) => void) | undefined;
  private isOver = false;

  constructor(private readonly process: SidecarProcess) {
    process.child.once("close", () => this.tell());
  }

  listen(listener: (reason: string) => void): void {
    this.listener = listener;
    if (this.isOver) listener(this.process.ending());
  }

  tell(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.listener?.(this.process.ending());
  }
}

/** What is wrong with the protocol that a sidecar speaks; undefined where it is ours. */
function whatDiffers(theirs: number | undefined, launch: Launch): Problem | undefined {
  if (theirs === PROTOCOL) return undefined;
  const whose = `the sidecar from ${launch.origin} speaks ${theirs ?? "none"}, this extension speaks ${PROTOCOL}`;
  const advice = (theirs ?? 0) < PROTOCOL ? `Update the sidecar (${launch.command})` : "Update this extension";
  return new Problem(`Scry: protocols differ: ${whose}. ${advice}.`, "settings");
}

async function clientOptions(log: vscode.LogOutputChannel, ended: Ended): Promise<LanguageClientOptions> {
  const { CloseAction, ErrorAction, RevealOutputChannelOn } = await import("./languageclient.js");
  return {
    documentSelector: [{ scheme: "file" }],
    outputChannel: log,
    traceOutputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: { scry: { protocol: PROTOCOL, editor: "vscode" }, workspace_symbol: false, hover: false },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        setTimeout(() => ended.tell(), ENDING_MS);
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    // Our own hover answers only where the person jumped to, and for the answer that led there.
    middleware: { provideHover: () => undefined },
  };
}
