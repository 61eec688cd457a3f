/**
 * Gives every class, keyframe and custom property named `nzx-…` a name of two or three letters, the same in the
 * script and in the style sheet. A class that is put together at run time, as `nzx-mark-${kind}`, keeps what comes
 * after the part that is written.
 */
export function shortNames(script, style) {
  const NAME = /nzx-[a-z-]*[a-z]/g;
  const composed = [...new Set([...script.matchAll(/nzx-[a-z-]*(?=\$\{)/g)].map(([part]) => part))];
  if (composed.includes("nzx-")) throw new Error("a class name that is all put together at run time");
  const known = (name) => composed.find((part) => `${name}-`.startsWith(part))?.slice(0, -1) ?? name;
  const uses = new Map();
  for (const [name] of `${script}${style}`.matchAll(NAME))
    uses.set(known(name), (uses.get(known(name)) ?? 0) + 1);
  const often = [...uses].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const short = new Map(often.map(([name], at) => [name, `z${at.toString(36)}`]));
  const rename = (text) =>
    text.replace(NAME, (name) => short.get(known(name)) + name.slice(known(name).length));
  return [rename(script), rename(style)];
}
