// Large text: draws standings with long, wide and foreign names and each status on each screen that shows them, and returns what does not
// fit into the window, or stands in a column of single letters. Afterwards the page is as before.
(() => {
  const faults = [];
  const root = document.documentElement;
  const present = state;
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = "32px system-ui";
  // In DejaVu Sans, one of the widest fonts; fonts.conf offers nothing else.
  if (pen.measureText("guessing").width < 140) faults.push("another font: install fonts-dejavu-core");
  const names = ["Wm", "Maximiliane Langer-Oberwinkler", "محمد عبد الرحمن", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "W".repeat(32), "Bo"];
  const statuses = ["guessing", "joinedAndGuessing", "waiting", "gaveUp", "outOfTime", "solved", "away"];
  const lines = names.flatMap((name, number) => statuses.map((status, index) => ({
    player: { id: index === number ? 1 : 100 + 10 * number + index, name }, points: [0, 19, 1234][index % 3],
    ...(status === "away" ? { status: "guessing", away: true } : status === "solved" ? { status, seconds: 99.99, best: 99.99 } : { status }),
  })));
  const me = { id: 1, name: "Wm" };
  const hand = [8, 9, 2, 5];
  const round = { number: 1, hand, until: Date.now() + 90000, total: 100000, cards: dealt(hand) };
  const result = { number: 10, hand, solution: "8*(9/(5-2))", total: 10000, until: Date.now() + 10000 };
  const won = Object.fromEntries(lines.map((line) => [line.player.id, 20]));
  const base = { ...blank(), room: present.room, me, rules: { roundSeconds: 100, rounds: 12 }, standings: lines };
  const screens = {
    play: { ...base, phase: "playing", round },
    result: { ...base, phase: "pausing", round, result, won },
    end: { ...base, phase: "over", result },
  };
  for (const size of [16, 20, 24, 28, 32, 36, 40, 44, 48]) {
    root.style.fontSize = size + "px";
    for (const [name, shown] of Object.entries(screens)) {
      state = shown;
      draw();
      const place = innerWidth + " px, text of " + size + " px, " + name + ": ";
      if (root.scrollWidth > root.clientWidth) faults.push(place + "the page is " + root.scrollWidth + " px wide");
      const table = document.querySelector("#standings table").getBoundingClientRect();
      for (const cell of document.querySelectorAll("#standings th, #standings td")) {
        const box = cell.getBoundingClientRect();
        const about = place + "'" + cell.textContent + "' ";
        if (cell.scrollWidth > cell.clientWidth + 1 || box.right > innerWidth || box.left < 0) faults.push(about + "does not fit");
        if (cell === cell.parentElement.firstElementChild && box.width < Math.min(5 * size, table.width - 1)) {
          faults.push(about + "is only " + box.width.toFixed(0) + " px wide");
        }
        // Between words, but not within one that fits into the window.
        const word = Math.max(...cell.textContent.split(/\s/).map((word) => word.length)) * size * .7;
        if (cell.cellIndex === 1 && word < table.width && box.width < word * .8) faults.push(about + "is broken within a word");
      }
    }
  }
  root.style.fontSize = "";
  state = present;
  draw();
  // One fault of a kind is enough to read.
  return faults.slice(0, 12);
})()
