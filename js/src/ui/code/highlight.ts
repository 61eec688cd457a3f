/** Colouring of code, line by line, tolerant of anything: what no pattern knows is plain text. */

export interface Token {
  kind: "" | "key" | "string" | "number" | "word" | "comment" | "type" | "bad" | "add" | "remove" | "hunk";
  text: string;
}

export type Language = "json" | "cdl" | "python" | "diff" | "text";

const JSON_TOKENS =
  /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b|\b(NaN|-?Infinity)\b/g;
const CDL_TOKENS =
  /(\/\/.*)|("(?:[^"\\]|\\.)*"?)|(\b(?:netcdf|dimensions|variables|types|data|group|UNLIMITED|enum|compound|opaque)\b)|(\b(?:byte|ubyte|char|short|ushort|int|uint|int64|uint64|float|double|string)\b)|(-?\b\d[\w.+]*)/g;
const PYTHON_TOKENS =
  /(#.*)|((?:\b[rfbRFB]{1,2})?(?:"""[^"]*(?:""")?|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?))|\b(import|from|as|def|return|for|in|if|else|elif|with|not|and|or|is|None|True|False|lambda|class|try|except|async|await)\b|(\b\d[\w.]*)/g;

/** Lines longer than this are not coloured: a minified document is one line. */
const LONGEST = 4000;

export function tokens(line: string, language: Language): Token[] {
  if (language === "text" || line.length > LONGEST) return [{ kind: "", text: line }];
  if (language === "diff") {
    const first = line[0];
    if (line.startsWith("@@") || line.startsWith("---") || line.startsWith("+++"))
      return [{ kind: "hunk", text: line }];
    return [{ kind: first === "+" ? "add" : first === "-" ? "remove" : "", text: line }];
  }
  const pattern = { json: JSON_TOKENS, cdl: CDL_TOKENS, python: PYTHON_TOKENS }[language];
  const out: Token[] = [];
  let from = 0;
  for (const found of line.matchAll(pattern)) {
    if (found.index > from) out.push({ kind: "", text: line.slice(from, found.index) });
    out.push(
      ...(language === "json" ? jsonToken(found) : [{ kind: codeKind(found, language), text: found[0] }]),
    );
    from = found.index + found[0].length;
  }
  if (from < line.length) out.push({ kind: "", text: line.slice(from) });
  return out;
}

function jsonToken([, text, colon, number, word, bad]: RegExpMatchArray): Token[] {
  if (text !== undefined) {
    if (colon === undefined)
      return [{ kind: text.length > 1 && text.endsWith('"') ? "string" : "bad", text }];
    return [
      { kind: "key", text },
      { kind: "", text: colon },
    ];
  }
  if (number !== undefined) return [{ kind: "number", text: number }];
  return word !== undefined ? [{ kind: "word", text: word }] : [{ kind: "bad", text: bad ?? "" }];
}

function codeKind(
  [, comment, text, word, other, last]: RegExpMatchArray,
  language: "cdl" | "python",
): Token["kind"] {
  if (comment !== undefined) return "comment";
  if (text !== undefined) return "string";
  if (word !== undefined) return "word";
  if (language === "cdl" && other !== undefined) return "type";
  return other !== undefined || last !== undefined ? "number" : "";
}
