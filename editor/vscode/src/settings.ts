/** Reads the extension's settings. No value is cached, so that a change applies at once. */

import * as vscode from "vscode";

export interface Settings {
  readonly path: string;
  readonly interpreter: string;
  readonly model: string;
  readonly learn: boolean;
  readonly limit: number;
  readonly preview: boolean;
  readonly hover: boolean;
}

/** Settings that take effect when the sidecar starts. */
const START_SETTINGS = ["scry.path", "scry.interpreter", "scry.model", "scry.learn"];

export function readSettings(): Settings {
  const settings = vscode.workspace.getConfiguration("scry");
  return {
    path: settings.get("path", "").trim(),
    interpreter: settings.get("interpreter", "").trim(),
    model: settings.get("model", "").trim(),
    learn: settings.get("learn", true),
    limit: settings.get("picker.limit", 20),
    preview: settings.get("picker.preview", true),
    hover: settings.get("hover", true),
  };
}

export function requiresRestart(change: vscode.ConfigurationChangeEvent): boolean {
  return START_SETTINGS.some((name) => change.affectsConfiguration(name));
}
