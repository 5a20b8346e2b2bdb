/** Foreign text, made safe to stand in HTML. Pure. */

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that reorder or hide what stands around them; all but line ends and tabs are written out. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

export function escapeHtml(text: string): string {
  return text
    .replaceAll(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** The text with each occurrence of one of the words marked, whatever its case. */
export function marked(text: string, words: readonly string[]): string {
  const known = [...new Set(words)].filter(Boolean).sort((one, other) => other.length - one.length);
  if (known.length === 0) return escapeHtml(text);
  const any = new RegExp(known.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "giu");
  let html = "";
  let end = 0;
  for (const match of text.matchAll(any)) {
    html += `${escapeHtml(text.slice(end, match.index))}<mark>${escapeHtml(match[0])}</mark>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(end));
}
