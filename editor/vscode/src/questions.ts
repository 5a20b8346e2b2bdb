/** The two questions that the picker asks: find and recent. */

import { methods } from "./generated/protocol";
import type { Question } from "./picker/picker";
import { OPEN_FOLDERS } from "./projects";
import type { Sidecar } from "./sidecar/sidecar";

/** The picker's name. A newer question of the same name cancels the older one, and only the last one is logged. */
const PICKER = "vscode";

export function findQuestion(sidecar: Sidecar, scope = OPEN_FOLDERS): Question {
  return {
    title: "Scry: Find",
    placeholder: 'Where is …? Words, names, "exact text"; lang:, path:, type: filter, with - in front they exclude',
    allowsEmptyQuery: false,
    scope,
    ask: (query, limit, currentScope, token) =>
      sidecar.request(methods.find, { query, limit, picker: PICKER, ...currentScope }, token),
  };
}

export function recentQuestion(sidecar: Sidecar): Question {
  return {
    title: "Scry: Recent Changes",
    placeholder: "What changed lately? Words narrow it down",
    allowsEmptyQuery: true,
    scope: OPEN_FOLDERS,
    ask: (query, limit, currentScope, token) =>
      sidecar.request(methods.recent, { query, limit, picker: PICKER, ...currentScope }, token),
  };
}
