// Somebody types an answer: returns what of the clock, the cards and the input cannot be seen.
(() => {
  const faults = [];
  byId("typing").open = true;
  byId("typed").focus();
  byId("typed").scrollIntoView({ block: "nearest" });
  const cards = Array.from(document.querySelectorAll("#hand .card"));
  for (const element of [byId("clock-text"), ...cards, byId("typed")]) {
    const box = element.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const isSeen = box.top >= -1 && box.bottom <= innerHeight + 1 && top && (element.contains(top) || top.contains(element));
    if (!isSeen) faults.push(innerWidth + " × " + innerHeight + ": #" + element.id + " '" + element.textContent + "' is not seen");
  }
  return faults;
})()
