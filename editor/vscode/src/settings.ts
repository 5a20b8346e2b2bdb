/** Reads the extension's settings. No value is cached, so that a change applies at once. */

import * as vscode from "vscode";

export interface Settings {
  readonly path: string;
  readonly interpreter: string;
  readonly limit: number;
  readonly preview: boolean;
  readonly hover: boolean;
  readonly codeLens: boolean;
  readonly workspaceSymbols: boolean;
  /** The sidecar's own settings that are set here, by the environment variables that it reads. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The sidecar's own settings by the environment variables that it reads. A test compares them with the sidecar's. */
const SIDECAR_SETTINGS: Readonly<Record<string, string>> = {
  SCRY_IGNORE: "ignore",
  SCRY_LANGUAGES: "languages",
  SCRY_MAX_FILE_BYTES: "maxFileBytes",
  SCRY_MAX_PARSE_SECONDS: "maxParseSeconds",
  SCRY_MODEL: "model",
  SCRY_LOG: "log",
  SCRY_LEARN: "learn",
  SCRY_LEARN_WEIGHTS: "learnWeights",
  SCRY_TEAM_JUMPS: "teamJumps",
  SCRY_MEMORY: "memory",
};

/** Settings that take effect when the sidecar starts. */
const START_SETTINGS = ["path", "interpreter", "workspaceSymbols", ...Object.values(SIDECAR_SETTINGS)];

export function readSettings(): Settings {
  const settings = vscode.workspace.getConfiguration("scry");
  return {
    path: settings.get("path", "").trim(),
    interpreter: settings.get("interpreter", "").trim(),
    limit: settings.get("picker.limit", 20),
    preview: settings.get("picker.preview", true),
    hover: settings.get("hover", true),
    codeLens: settings.get("codeLens", false),
    workspaceSymbols: settings.get("workspaceSymbols", false),
    environment: sidecarEnvironment(settings),
  };
}

/** Returns the variables for the settings that a person has set. Without one, the sidecar's settings files decide. */
function sidecarEnvironment(settings: vscode.WorkspaceConfiguration): Record<string, string> {
  const variables = Object.entries(SIDECAR_SETTINGS).map(([variable, name]) => [variable, valueSet(settings, name)]);
  return Object.fromEntries(variables.filter(([, value]) => value));
}

function valueSet(settings: vscode.WorkspaceConfiguration, name: string): string {
  const { globalValue, workspaceValue, workspaceFolderValue } = settings.inspect(name) ?? {};
  const value = workspaceFolderValue ?? workspaceValue ?? globalValue;
  return value === undefined || value === null ? "" : String(value).trim(); // a list becomes its parts by commas
}

export function requiresRestart(change: vscode.ConfigurationChangeEvent): boolean {
  return START_SETTINGS.some((name) => change.affectsConfiguration(`scry.${name}`));
}
