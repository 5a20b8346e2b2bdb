/** Escapes untrusted text for HTML. Pure. */

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control and formatting characters that can reorder or hide the text around them, without line ends and tabs. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the pattern is for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

export function escapeHtml(text: string): string {
  return text
    .replaceAll(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Returns the escaped text with each occurrence of a word marked, regardless of case. The longest word wins. */
export function highlightWords(text: string, words: readonly string[]): string {
  const longestFirst = [...new Set(words)].filter(Boolean).sort((one, other) => other.length - one.length);
  if (longestFirst.length === 0) return escapeHtml(text);
  const pattern = new RegExp(
    longestFirst.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"),
    "giu",
  );
  let html = "";
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    html += `${escapeHtml(text.slice(end, match.index))}<mark>${escapeHtml(match[0])}</mark>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(end));
}
