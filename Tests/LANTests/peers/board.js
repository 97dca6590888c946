// The board with 3 to 20 players, some with long names that begin alike: returns the names that are cut although there is room, and what is
// outside of the television. Afterwards the page is as before.
(() => {
  const faults = [];
  const present = state;
  const names = [
    "Maximiliane Langer-Oberwinkler", "Maximiliane Langer-Unterwinkler", "Maximiliane Langer", "W".repeat(32), "Ada", "Eva", "محمد عبد الرحمن", "Zoe",
  ];
  const statuses = ["guessing", "joinedAndGuessing", "solved", "gaveUp", "outOfTime"];
  const hand = [8, 9, 2, 5];
  const round = { number: 1, hand, until: Date.now() + 90000, total: 100000, cards: dealt(hand) };
  const result = { number: 10, hand, solution: "8*(9/(5-2))", total: 10000, until: Date.now() + 10000 };
  for (const count of [3, 4, 8, 12, 20]) {
    const standings = Array.from({ length: count }, (_, index) => ({
      player: { id: index, name: names[index % 8] }, status: statuses[index % 5], seconds: 12.34, points: index * 35,
    }));
    const won = Object.fromEntries(standings.map((line) => [line.player.id, 20]));
    const base = { ...blank(), room: present.room, standings };
    for (const shown of [{ ...base, phase: "playing", round }, { ...base, phase: "pausing", result, won }, { ...base, phase: "over", result }]) {
      state = shown;
      draw();
      const about = count + " players, " + screen + ": ";
      const bottom = document.documentElement.scrollHeight;
      if (bottom > innerHeight || document.documentElement.scrollWidth > innerWidth) faults.push(about + "larger than the television");
      const lines = Array.from(document.querySelectorAll("#lines tr"));
      const cut = lines.filter((line) => line.firstChild.scrollWidth > line.firstChild.clientWidth);
      if (count <= 4 && cut.length) faults.push(about + cut.length + " names are cut: " + cut[0].textContent);
      if (screen !== "play") continue;
      // What is cut last would not have fitted.
      const last = cut[0];
      if (!last) continue;
      last.classList.remove("cut");
      if (document.documentElement.scrollHeight <= innerHeight) faults.push(about + "there is room for " + last.textContent);
    }
  }
  state = present;
  draw();
  return faults;
})()
