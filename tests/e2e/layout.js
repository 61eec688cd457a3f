// What of the explorer is cut off, covered or only seen by scrolling sideways; a list of sentences, empty if all is well.
() => {
  const root = document.querySelector(".nzx");
  root.scrollIntoView({ block: "end" }); // JupyterLab may have moved it since
  const frame = root.getBoundingClientRect();
  const problems = new Set();
  const say = (what, element) =>
    problems.add(`${what}: ${element.cloneNode().outerHTML.slice(0, 160)} ${element.textContent.trim().slice(0, 40)}`);
  const above = element => {
    const found = [];
    for (let up = element.parentElement; up && root.contains(up); up = up.parentElement) found.push(up);
    return found;
  };
  // What only screen readers get is clipped away.
  const clipped = element => root.contains(element) && getComputedStyle(element).clipPath !== "none";
  const seen = element =>
    element.checkVisibility() && !element.closest("[aria-hidden=true], [role=status]") && ![element, ...above(element)].some(clipped);
  const scrolls = style => /auto|scroll/.test(style.overflowX + style.overflowY);
  const cuts = style => style.overflowX !== "visible" || style.overflowY !== "visible";
  // Code, tables of values and the chips of dimensions scroll by themselves, tabs where there is no other way.
  const mayScroll =
    "[role=region], [role=region] *, [role=table], [role=tablist], ul[aria-label='Lengths of dimensions'], textarea";

  for (const element of [root, ...root.querySelectorAll("*")]) {
    if (!(element instanceof HTMLElement) || !seen(element)) continue;
    const style = getComputedStyle(element);
    if (element.scrollWidth <= element.clientWidth + 1 || element.clientWidth === 0 || !cuts(style)) continue;
    if (/auto|scroll/.test(style.overflowX)) {
      if (!element.matches(mayScroll)) say("scrolls sideways", element);
    } else if (element.textContent.trim() && !element.querySelector("button, select, input, canvas")) {
      const said = style.textOverflow === "ellipsis" && element.closest("[title]");
      if (!said && !element.matches("input")) say("cut off without saying so", element);
    }
  }

  const pen = document.createElement("canvas").getContext("2d");
  const over = root.querySelector("[role=dialog], [aria-haspopup][aria-expanded=true]");
  for (const element of root.querySelectorAll("button, input, select, textarea, summary, canvas")) {
    if (!seen(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.width < 1) say("has no width", element);
    if (element.tagName === "SELECT" && !element.title) {
      const style = getComputedStyle(element);
      pen.font = style.font;
      const room = element.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      if (pen.measureText(element.selectedOptions[0]?.textContent ?? "").width > room + 1) say("cut off", element);
    }
    const [x, y] = [box.left + box.width / 2, box.top + Math.min(box.height / 2, 12)];
    let inSight = x > frame.left && x < frame.right && y > Math.max(0, frame.top);
    inSight &&= y < Math.min(innerHeight, frame.bottom);
    let scrolled = false; // what stands out of something that scrolls can be scrolled to
    for (const up of above(element)) {
      const style = getComputedStyle(up);
      if (!cuts(style)) continue;
      const edge = up.getBoundingClientRect();
      inSight &&= x > edge.left && x < edge.right && y > edge.top && y < edge.bottom;
      scrolled ||= scrolls(style);
      const inside =
        box.left >= edge.left - 1 && box.right <= edge.right + 1 && box.top >= edge.top - 1 && box.bottom <= edge.bottom + 1;
      if (!inside && !scrolled) say("cut off", element);
    }
    if (inSight && !over && element.tagName !== "CANVAS") {
      const hit = document.elementFromPoint(x, y);
      if (root.contains(hit) && !hit.closest("[data-section] > :first-child") && !element.contains(hit) && !hit.contains(element) && !hit.closest("label")?.contains(element))
        say(`covered by ${hit.cloneNode().outerHTML.slice(0, 80)}`, element);
    }
  }
  return [...problems];
}
