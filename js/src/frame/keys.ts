/**
 * JupyterLab matches its shortcuts at the focused element before it climbs to the attribute on the widget, so
 * that element must carry it too. Without it an arrow key on a slider walks through the cells and "d d" in
 * the tree deletes one.
 */
export function keepKeys({ target }: FocusEvent) {
  if (target instanceof Element) target.setAttribute("data-lm-suppress-shortcuts", "true");
}

/** Lets the host have the combinations that mean nothing here, such as Ctrl+S; text fields keep those of editing. */
export function keepKey(root: HTMLElement | null, { target, key, ctrlKey, metaKey }: KeyboardEvent) {
  if (!(target instanceof Element) || !root?.contains(target)) return;
  const editing = /^[acvxyz]$/i.test(key) && target.matches("input, textarea");
  const keep = !(ctrlKey || metaKey) || editing;
  for (const element of [root, target]) {
    if (keep) element.setAttribute("data-lm-suppress-shortcuts", "true");
    else element.removeAttribute("data-lm-suppress-shortcuts");
  }
}
