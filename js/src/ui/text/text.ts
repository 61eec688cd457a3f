/**
 * Text from strangers. Everything a store says is shown as text nodes; what remains dangerous is text
 * that changes how its surroundings look: control characters and bidirectional overrides.
 */

// Controls, soft hyphen, Arabic letter mark, zero-width space, bidi marks, embeddings and isolates,
// line and paragraph separators, word joiner, byte order mark, lone surrogates, tag characters.
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Cs}|[\u{e0000}-\u{e007f}]/gu;

const SHORT: Record<string, string> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };

function escapeOne(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return SHORT[char] ?? (code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`);
}

/** The text with everything that hides or reorders shown as a visible escape. */
export function visible(text: string): string {
  return text.replace(HIDDEN, escapeOne);
}

/** The same for text of several lines: line feeds stay, as do tabs. */
export function visibleLines(text: string): string {
  return text.replace(HIDDEN, (char) => (char === "\n" || char === "\t" ? char : escapeOne(char)));
}

/** Lines of a text, whatever ends them. */
export function lines(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** The text cut in its middle, so that both ends stay readable. */
export function middle(text: string, most = 60): string {
  const chars = [...text];
  if (chars.length <= most) return text;
  const half = Math.floor((most - 1) / 2);
  return `${chars.slice(0, half).join("")}…${chars.slice(-half).join("")}`;
}

/** What the kernel says of a problem as a sentence: with a capital letter and a full stop. */
export const sentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");

/** What the kernel says of a finding as a title; a path, or the name of the member that it is about, stays as it is. */
export const titled = ({ message, pointer }: { message: string; pointer: string }): string =>
  message.replace(/^(?!xarray )[a-z]+(?= )/, (word) =>
    pointer.split("/").includes(word) ? word : word.charAt(0).toUpperCase() + word.slice(1),
  );
