/** Finds the words of a question in a text. Pure. */

import type { ResultItem } from "../generated/protocol";

/** Returns the words of the question that an oracle met in a result. A word that stands for its endings loses its `…`. */
export function matchedWords({ contributions }: ResultItem): string[] {
  const words = Object.values(contributions).flatMap(({ matches = [] }) => matches);
  return [...new Set(words.map((word) => word.replace(/…$/, "")))].filter(Boolean);
}

/** Returns where a text holds any of the words, regardless of case, as pairs of start and end. The longest word wins. */
export function findWords(text: string, words: readonly string[]): [number, number][] {
  const longestFirst = [...new Set(words)].filter(Boolean).sort((one, other) => other.length - one.length);
  if (longestFirst.length === 0) return [];
  const escaped = longestFirst.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(escaped.join("|"), "giu");
  return [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length]);
}
