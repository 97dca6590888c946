// What a person may fail at who does not see, or not well, or hits not exactly: returns the faults of the page as it is shown now.
(() => {
  const faults = [];
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const isShown = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility === "visible";
  // For screen readers only.
  const isUnseen = (element) => Boolean(element.closest(".unseen"));
  const shown = (selector) => all(selector).filter(isShown);
  const about = (element) => "<" + element.tagName.toLowerCase() + (element.id ? " #" + element.id : "") + "> '" +
    element.textContent.trim().slice(0, 30) + "'";
  const fault = (element, what) => faults.push((element ? about(element) + ": " : "") + what);

  // MARK: The document

  if (!/^[a-z]{2}/.test(document.documentElement.lang)) fault(null, "no language");
  if (!document.title) fault(null, "no title");
  if (document.querySelector("meta[name=viewport]").content.match(/user-scalable|maximum-scale/)) fault(null, "cannot be enlarged");
  if (shown("h1").length !== 1) fault(null, shown("h1").length + " first headings");
  if (shown("main").length !== 1) fault(null, "not one main part");
  let level = 0;
  for (const heading of shown("h1, h2, h3, h4")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) fault(heading, "a heading of level " + next + " after one of level " + level);
    if (!heading.textContent.trim()) fault(heading, "an empty heading");
    level = next;
  }
  const ids = all("[id]").map((element) => element.id);
  for (const id of ids.filter((id, index) => ids.indexOf(id) !== index)) fault(null, "two elements are #" + id);
  for (const attribute of ["aria-labelledby", "aria-describedby", "for"]) {
    for (const element of all("[" + attribute + "]")) {
      if (!document.getElementById(element.getAttribute(attribute))) fault(element, attribute + " leads nowhere");
    }
  }
  // Everything that is said goes through one queue.
  const live = { spoken: "polite", urgent: "assertive" };
  for (const element of all("[aria-live], [role=status], [role=alert], [role=log], output")) {
    const politeness = element.getAttribute("aria-live") || element.getAttribute("role");
    if (live[element.id] !== politeness) fault(element, "is read out beside the queue: " + politeness);
    delete live[element.id];
  }
  for (const id of Object.keys(live)) fault(null, "#" + id + " is not read out");

  // MARK: Names

  const nameOf = (element) => {
    const reference = document.getElementById(element.getAttribute("aria-labelledby") || "");
    const label = element.labels && element.labels[0];
    return [element.getAttribute("aria-label"), reference && reference.textContent, label && label.textContent,
      element.tagName === "INPUT" ? "" : element.textContent].map((text) => (text || "").trim()).find((text) => text) || "";
  };
  for (const element of shown("button, input, summary, a, [role=group], [role=timer], main section, ul[aria-label]")) {
    if (!nameOf(element)) fault(element, "no name");
  }
  for (const element of shown("button")) {
    const seen = element.textContent.trim();
    if (/\p{Letter}{2}/u.test(seen) && !nameOf(element).includes(seen)) fault(element, "is called otherwise: " + nameOf(element));
  }
  for (const table of shown("table")) {
    if (!table.caption || !table.caption.textContent.trim()) fault(table, "no caption");
    for (const head of table.querySelectorAll("th")) if (!head.scope || !head.textContent.trim()) fault(head, "no scope or text");
  }
  if (all("[tabindex]").some((element) => element.tabIndex > 0)) fault(null, "a focus order of its own");

  // MARK: Sizes

  for (const element of shown("button, input, summary, a").filter((element) => !isUnseen(element))) {
    const box = element.getBoundingClientRect();
    if (box.width < 44 || box.height < 44) fault(element, "only " + box.width.toFixed(0) + " × " + box.height.toFixed(0) + " px large");
  }
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) {
    const wide = shown("body *").find((element) => element.getBoundingClientRect().right > width + 1);
    fault(wide || null, "is wider than the window");
  }
  for (const element of shown("button, p, h1, h2, h3, th, td, li, summary, label").filter((element) => !isUnseen(element))) {
    if (element.scrollWidth > element.clientWidth + 1 && !(element.tagName === "TD" && document.querySelector(".board"))) {
      if (getComputedStyle(element).display !== "inline") fault(element, "its text does not fit");
    }
  }
  if (document.documentElement.classList.contains("board")) {
    const small = textNodes().find((node) => parseFloat(getComputedStyle(node.parentElement).fontSize) < Math.min(innerHeight, innerWidth * .7) * .039);
    if (small) fault(small.parentElement, "too small for three metres");
    if (document.documentElement.scrollHeight > innerHeight) fault(null, "the board is higher than the television");
  }

  // MARK: Colours

  function textNodes() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) {
      const { parentElement: parent, data } = walker.currentNode;
      if (data.trim() && isShown(parent) && !isUnseen(parent) && !["SCRIPT", "STYLE"].includes(parent.tagName)) nodes.push(walker.currentNode);
    }
    return nodes;
  }
  const parsed = (colour) => {
    const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
    return { rgb: [red, green, blue], alpha };
  };
  const over = (top, bottom) => top.rgb.map((value, index) => value * top.alpha + bottom[index] * (1 - top.alpha));
  const canvas = () => (matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255]);
  const behind = (element) => {
    if (!element) return canvas();
    const colour = parsed(getComputedStyle(element).backgroundColor);
    return colour.alpha === 1 ? colour.rgb : over(colour, behind(element.parentElement));
  };
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((value) => value / 255).map((value) => (value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4));
    return .2126 * red + .7152 * green + .0722 * blue;
  };
  const contrast = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + .05) / (dark + .05);
  };
  for (const { parentElement: element } of textNodes()) {
    const ratio = contrast(over(parsed(getComputedStyle(element).color), behind(element)), behind(element));
    if (ratio < 4.5) fault(element, "a contrast of " + ratio.toFixed(2));
  }
  for (const element of shown("button, input")) {
    const ground = behind(element.parentElement);
    const edge = parsed(getComputedStyle(element).borderTopColor);
    const ratio = Math.max(contrast(over(edge, ground), ground), contrast(behind(element), ground));
    if (ratio < 3) fault(element, "an edge with a contrast of " + ratio.toFixed(2));
  }
  return faults;
})()
