// Listens as a screen reader does: to what is added to live regions, and to what gets the focus. Returns what was said since the last time; the
// first call begins to listen.
(() => {
  const heard = window.heard || [];
  window.heard = [];
  if (window.listener) return heard;
  const plain = (text) => text.trim().replace(/[\u2066-\u2069]/g, "").replace(/\s+/g, " ");
  const politeness = (element) => {
    const region = element.closest("[aria-live], [role=status], [role=log], [role=alert]");
    if (!region) return null;
    return region.getAttribute("aria-live") || { status: "polite", log: "polite", alert: "assertive" }[region.getAttribute("role")];
  };
  const hear = (element, text) => {
    const manner = element && politeness(element);
    if (manner && manner !== "off" && plain(text)) window.heard.push(manner + ": " + plain(text));
  };
  window.listener = new MutationObserver((changes) => {
    for (const change of changes) {
      if (change.type === "characterData") hear(change.target.parentElement, change.target.data);
      for (const node of change.addedNodes) hear(node.nodeType === 1 ? node : node.parentElement, node.textContent);
    }
  });
  window.listener.observe(document.body, { childList: true, characterData: true, subtree: true });
  document.addEventListener("focusin", (event) => {
    const { target } = event;
    const name = target.getAttribute("aria-label") || (target.getAttribute("role") === "group" ? "" : target.textContent);
    if (plain(name)) window.heard.push("focus: " + plain(name));
  });
  return heard;
})()
