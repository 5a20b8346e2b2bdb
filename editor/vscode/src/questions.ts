/** The kinds of question that are asked in a picker. */

import { methods } from "./generated/protocol";
import type { Question } from "./picker/picker";
import { OPEN_FOLDERS } from "./projects";
import type { Sidecar } from "./sidecar/sidecar";

/** Name of the picker: of two questions with one name the sidecar cancels the older, and logs the last. */
const PICKER = "vscode";

export function findQuestion(sidecar: Sidecar, scope = OPEN_FOLDERS): Question {
  return {
    title: "Scry: Find",
    placeholder: 'Where is …? Words, names, "exact text"; lang:, path:, type: filter, with - in front they exclude',
    needsNoWords: false,
    scope,
    ask: (query, limit, within, token) =>
      sidecar.request(methods.find, { query, limit, picker: PICKER, ...within }, token),
  };
}

export function recentQuestion(sidecar: Sidecar): Question {
  return {
    title: "Scry: Recent Changes",
    placeholder: "What changed lately? Words narrow it down",
    needsNoWords: true,
    scope: OPEN_FOLDERS,
    ask: (query, limit, within, token) =>
      sidecar.request(methods.recent, { query, limit, picker: PICKER, ...within }, token),
  };
}
