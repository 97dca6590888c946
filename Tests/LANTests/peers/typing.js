// Somebody types an answer, which is refused: returns what of the clock, the cards, the reason and the input cannot be seen. Afterwards the page
// is as before.
(() => {
  const faults = [];
  byId("typing").open = true;
  byId("typed").focus();
  byId("typed").scrollIntoView({ block: "nearest" });
  const present = state;
  const reason = "Use each of the four numbers exactly once: you used 1, 1 too often, and you did not use 2, 2, 6, 9.";
  state = settled(asked(state, "1+1", true), reason);
  draw();
  const cards = Array.from(document.querySelectorAll("#hand .card"));
  for (const element of [byId("clock-text"), ...cards, byId("typed-outcome"), byId("typed")]) {
    const box = element.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const isSeen = box.top >= -1 && box.bottom <= innerHeight + 1 && top && (element.contains(top) || top.contains(element));
    if (!isSeen) faults.push(innerWidth + " × " + innerHeight + ": #" + element.id + " '" + element.textContent + "' is not seen");
  }
  state = present;
  draw();
  return faults;
})()
