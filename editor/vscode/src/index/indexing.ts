/** Repeats questions that were asked of an incomplete index: those that found nothing at once, until there is an answer,
 * and those of the results view once, when the index is complete. */

import * as vscode from "vscode";
import { nextEvent } from "../event";
import { openFolders } from "../folders";
import { type IndexState, methods } from "../generated/protocol";
import type { Answers } from "../results/answers";
import { type AskedAnswer, askAboutPlace, type PlaceQuestion, placeQuestion } from "../results/asked";
import type { Sidecar } from "../sidecar/sidecar";

/** Milliseconds after which an empty answer is shown even though the index is incomplete. */
const TIMEOUT_MS = 30_000;

/** Milliseconds after which the index is looked at again if it has sent no notification. */
const POLL_MS = 1000;

/** Returns whether an index holds all files and the history, which is all that a search reads. */
export function isComplete({ state, history }: IndexState): boolean {
  return state === "ready" && history !== "pending";
}

/** Returns whether an index does not change until the user acts. */
export function isStopped({ state }: IndexState): boolean {
  return state === "paused" || state === "failed";
}

/** Returns whether an answer about a file or folder is of an index without some files, the history or the code graph. */
export function isPartial(answer: AskedAnswer): boolean {
  return placeQuestion(answer) !== undefined && !answer.scope.team && !hasAllForPlaces(answer.index);
}

function hasAllForPlaces(index: IndexState): boolean {
  return isComplete(index) && index.graph !== "pending";
}

/** Asks about a file or folder, once the index has an answer if it is still being made. The question is logged once. */
export async function askWhenSearchable(sidecar: Sidecar, question: PlaceQuestion): Promise<AskedAnswer> {
  if ((await isAnyGrowing(sidecar)) && !(await isAnswered(sidecar, question))) {
    const options = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Scry: waiting for the index") };
    await vscode.window.withProgress(options, async () => {
      const end = Date.now() + TIMEOUT_MS;
      while (Date.now() < end && (await isAnyGrowing(sidecar)) && !(await isAnswered(sidecar, question))) {
        await nextEvent(sidecar.onStatus, POLL_MS);
      }
    });
  }
  return askAboutPlace(sidecar, question);
}

/** Returns whether the answer is final: not empty, or of an index that is complete. An unknown file is an error. */
async function isAnswered(sidecar: Sidecar, question: PlaceQuestion): Promise<boolean> {
  const answer = await askAboutPlace(sidecar, question, false).catch(() => undefined);
  return answer !== undefined && (answer.results.length > 0 || !isGrowing(answer.index));
}

async function isAnyGrowing(sidecar: Sidecar): Promise<boolean> {
  const requests = openFolders().map(({ uri }) => sidecar.request(methods.status, { folder: uri.toString() }));
  const states = await Promise.all(requests).catch(() => []);
  return states.some(isGrowing);
}

function isGrowing(index: IndexState): boolean {
  return index.state === "starting" || index.state === "indexing";
}

/** Asks the questions about places that were answered from an incomplete index again, once the index is complete. */
export function completeAnswers(answers: Answers, sidecar: Sidecar): vscode.Disposable {
  const awaited = new Set<string>();
  let isDisposed = false;
  const complete = async (answer: AskedAnswer) => {
    const isListed = () => !isDisposed && answers.all.some(({ query_id }) => query_id === answer.query_id);
    const newer = await askOnceComplete(answer, sidecar, isListed);
    awaited.delete(answer.query_id);
    if (newer && isListed()) answers.replace(answer, newer);
  };
  const lookForPartial = () => {
    for (const answer of answers.all.filter(isPartial)) {
      if (awaited.has(answer.query_id)) continue;
      awaited.add(answer.query_id);
      void complete(answer);
    }
  };
  lookForPartial();
  const listening = answers.onChange(lookForPartial);
  const ending = new vscode.Disposable(() => {
    isDisposed = true;
  });
  return vscode.Disposable.from(listening, ending);
}

/** Returns the answer of the complete index; undefined after an error, and once nobody wants the answer any more. */
async function askOnceComplete(
  answer: AskedAnswer,
  sidecar: Sidecar,
  isWanted: () => boolean,
): Promise<AskedAnswer | undefined> {
  const question = placeQuestion(answer);
  const folder = answer.scope.within?.folder ?? null;
  const isOpen = () => folder === null || openFolders().some(({ uri }) => uri.toString() === folder);
  while (question && isOpen() && isWanted()) {
    await nextEvent(sidecar.onStatus, POLL_MS);
    if (!isWanted() || sidecar.state.kind !== "running") continue;
    const index = await sidecar.request(methods.status, { folder }).catch(() => undefined);
    if (index && hasAllForPlaces(index)) return askAboutPlace(sidecar, question, false).catch(() => undefined);
  }
  return undefined;
}
