// Tests of the pure parts of page.js, in the page itself: returns the faults.
(async () => {
  const faults = [];
  const test = (name, body) => {
    try { body(); } catch (error) { faults.push(name + ": " + error.message); }
  };
  const equal = (value, expected) => {
    const [left, right] = [JSON.stringify(value), JSON.stringify(expected)];
    if (left !== right) throw new Error(left + " is not " + right);
  };

  // MARK: Fractions

  test("fractions are exact, in lowest terms, with the sign above", () => {
    equal(written(fraction(8, 12)), "2/3");
    equal(written(fraction(8, -12)), "−2/3");
    equal(written(fraction(0, -5)), "0");
    equal(Object.is(fraction(0, -5).numerator, 0), true);
    equal(fraction(1, 0), null);
    equal(written(calculated(fraction(8), "/", calculated(fraction(3), "-", calculated(fraction(8), "/", fraction(3))))), "24");
    equal(calculated(fraction(1), "/", calculated(fraction(2), "-", fraction(2))), null);
  });

  // MARK: Cards

  const taps = (hand, ...steps) => steps.reduce(
    (cards, step) => (typeof step === "number" ? tapped(cards, step) : signed(cards, step)), dealt(hand));

  // An evaluator of its own: large integers, and the grammar of the game.
  const evaluated = (expression) => {
    let rest = expression;
    const next = (...characters) => characters.includes(rest[0]) && [rest[0], (rest = rest.slice(1))][0];
    const factor = () => {
      if (!next("(")) return [BigInt(next(...(rest[0] || "?"))), 1n];
      const value = sum();
      if (!next(")")) throw new Error("no ) in " + expression);
      return value;
    };
    const product = () => {
      let [a, b] = factor();
      for (let sign; (sign = next("*", "/")); ) {
        const [c, d] = factor();
        [a, b] = sign === "*" ? [a * c, b * d] : [a * d, b * c];
      }
      return [a, b];
    };
    const sum = () => {
      let [a, b] = product();
      for (let sign; (sign = next("+", "-")); ) {
        const [c, d] = product();
        [a, b] = [sign === "+" ? a * d + c * b : a * d - c * b, b * d];
      }
      return [a, b];
    };
    const value = sum();
    if (rest) throw new Error(expression + " goes on with " + rest);
    return value;
  };

  test("a number, a sign and a number make a card, in the place of the second, and it is chosen", () => {
    const cards = taps([8, 9, 2, 5], 3, "-", 2);
    equal(cards.slots.map((slot) => slot && slot.text), ["8", "9", "5-2", null]);
    equal([written(cards.slots[2].value), cards.chosen, cards.sign, whole(cards)], ["3", 2, null, null]);
    equal(whole(taps([8, 9, 2, 5], 3, "-", 2, 2, 1, "/", 2, "*", 0)), "9/(5-2)*8");
    equal(taps([8, 9, 2, 5], 3, "-", 2, "/", 1, "*", 0).chosen, null);
    equal(["+", "-", "*", "/"].map((sign) => combined(dealt([8]).slots[0], sign, taps([5, 2], 0, "-", 1).slots[1]).text),
      ["8+5-2", "8-(5-2)", "8*(5-2)", "8/(5-2)"]);
    equal(["*", "/"].map((sign) => combined(dealt([8]).slots[0], sign, taps([6, 2], 0, "/", 1).slots[1]).text), ["8*6/2", "8/(6/2)"]);
  });

  test("a choice can be changed and taken back, and a sign needs a number", () => {
    equal(taps([1, 2, 3, 4], 0, 1).chosen, 1);
    equal(taps([1, 2, 3, 4], 0, 0).chosen, null);
    equal(taps([1, 2, 3, 4], 0, "+", "-").sign, "-");
    equal(taps([1, 2, 3, 4], 0, "+", "+").sign, null);
    equal(taps([1, 2, 3, 4], "+").fault, "fault.choose");
    equal(taps([1, 2, 3, 4], "+", 0).fault, null);
    equal(tapped(taps([1, 2, 3, 4], 0, "+", 1), 0), taps([1, 2, 3, 4], 0, "+", 1));
  });

  test("a division by zero is refused at once, and nothing is lost", () => {
    const cards = taps([4, 4, 2, 5], 0, "-", 1, 1, 2, "/", 1);
    equal([cards.fault, cards.past.length, cards.slots.filter((slot) => slot).length], ["fault.zero", 1, 3]);
  });

  test("each step can be taken back, in reverse order, and all at once", () => {
    const cards = taps([8, 9, 2, 5], 3, "-", 2, "/", 1, "*", 0);
    const back = undone(cards);
    equal(back.slots.map((slot) => slot && slot.text), ["8", "(5-2)/9", null, null]);
    equal(undone(undone(back)).slots.map((slot) => slot && slot.text), ["8", "9", "2", "5"]);
    equal(undone(taps([8, 9, 2, 5], 0, "+")).sign, null);
    equal(undone(undone(taps([8, 9, 2, 5], 0, "+"))).chosen, null);
    equal(undone(dealt([8, 9, 2, 5])), dealt([8, 9, 2, 5]));
    equal(cleared(cards), dealt([8, 9, 2, 5]));
    equal(cleared(taps([8, 9, 2, 5], 0, "+")), dealt([8, 9, 2, 5]));
  });

  test("what is written is what is on the card, for 5,000 hands played at random", () => {
    let seed = 24;
    const random = (limit) => (seed = (seed * 48271) % 2147483647) % limit;
    let count = 0;
    while (count < 5000) {
      const hand = [1, 2, 3, 4].map(() => 1 + random(9));
      let cards = dealt(hand);
      for (let step = 0; step < 40 && !whole(cards); step++) {
        cards = random(3) ? tapped(cards, random(4)) : random(9) ? signed(cards, "+-*/"[random(4)]) : undone(cards);
      }
      if (!whole(cards)) continue;
      count += 1;
      const card = cards.slots.find((slot) => slot);
      const [numerator, denominator] = evaluated(card.text);
      equal(numerator * BigInt(card.value.denominator) === denominator * BigInt(card.value.numerator), true);
      equal(card.text.match(/[1-9]/g).sort(), hand.map(String).sort());
      if (card.text.length > 11) throw new Error("needless parentheses in " + card.text);
    }
  });

  test("people see other signs than the host, and the end of an equation stays on its line", () => {
    equal(pretty("8*(9/(5-2))"), "8 × (9 ÷ (5 − 2))");
    equal(pretty("1+"), "1 +");
    equal(pretty(" 8 *3"), "8 × 3");
    equal(equation("4*6"), "4 × 6\u00a0=\u00a024");
  });

  // MARK: The state of the room

  const ada = { id: 7, name: "Ada" };
  const grace = { id: 1, name: "Grace" };
  const line = (player, status, points, more = {}) => ({ player, status, points, ...more });
  const welcome = { kind: "welcome", room: "r", player: ada, secret: "s", returnSeconds: 60, rules: { roundSeconds: 100, rounds: 3 } };
  const round = (number, hand = [8, 9, 2, 5]) => ({ kind: "round", number, hand, seconds: 90 });
  const standings = (...lines) => ({ kind: "standings", standings: lines });
  const after = (...messages) => messages.reduce((state, message) => received(state, message, 1000), blank());
  const guessing = standings(line(ada, "guessing", 0), line(grace, "guessing", 5));

  test("the screens follow the host's messages", () => {
    equal(screenOf(blank(), 0), "enter");
    equal(screenOf(after({ kind: "approval", seconds: 30 }), 0), "wait");
    equal(screenOf(after(welcome), 0), "wait");
    equal(screenOf(after(welcome, round(1)), 1000), "play");
    equal(screenOf(after(welcome, round(1)), 1000 + 96_000), "wait");
    const ended = { kind: "roundEnded", number: 1, hand: [8, 9, 2, 5], solution: "8*(9/(5-2))", standings: guessing.standings };
    equal(screenOf(after(welcome, round(1), { ...ended, pause: 10 }), 0), "result");
    equal(after(welcome, round(1), { ...ended, pause: 10 }).result.until, 11_000);
    equal(after(welcome, round(1), ended).result.until === null, true);
    equal(screenOf(after(welcome, { kind: "matchEnded" }), 0), "end");
    equal(after(welcome, { kind: "matchEnded" }).phase, "over");
    equal(after(welcome, { kind: "matchEnded" }, welcome).phase, "over");
    equal(after(welcome, { kind: "closed", code: "lost", text: "" }, welcome).phase, "waiting");
    equal(screenOf(after(welcome, { kind: "closed", code: "kicked", text: "Out." }), 0), "end");
  });

  test("messages of later versions change nothing", () => {
    equal(after(welcome, { kind: "confetti" }), after(welcome));
  });

  test("back at the seat the round goes on, with its cards, tries and hints; at another one it does not", () => {
    const hint = { kind: "hint", cost: 2, step: 1, operation: "*" };
    const state = asked(after(welcome, round(1), hint), "8+9");
    const moved = { ...state, round: { ...state.round, cards: tapped(state.round.cards, 0) } };
    const back = received(received(moved, { ...welcome, secret: "t" }, 5000), { ...round(1), seconds: 50 }, 5000);
    equal([back.phase, back.round.cards.chosen, back.tries.length, back.hints.length, back.round.until], ["playing", 0, 1, 1, 55_000]);
    const other = received(moved, { ...welcome, player: { id: 8, name: "Ada" } }, 5000);
    equal([other.phase, other.round, other.tries.length, other.hints.length], ["waiting", null, 0, 0]);
    const next = received(moved, round(2), 5000);
    equal([next.round.cards.chosen, next.tries.length, next.hints.length], [null, 0, 0]);
    const same = received(moved, round(1, [1, 1, 4, 6]), 5000);
    equal([same.round.cards.chosen, same.tries.length, same.hints.length], [null, 0, 0]);
  });

  test("refusals belong to the oldest answer that is on its way", () => {
    let state = asked(asked(after(welcome, round(1)), "1+1"), "2+2");
    state = received(state, { kind: "refused", code: "wrongValue", text: "That is 2, not 24." }, 0);
    equal(state.tries.map((attempt) => [attempt.text, attempt.isAsked, attempt.reason || null]), [["1+1", false, "That is 2, not 24."], ["2+2", true, null]]);
    equal(standingOf(state), "guessing");
    state = received(state, { kind: "answer", player: ada, seconds: 12.5 }, 0);
    equal([standingOf(state), state.tries[1].seconds], ["solved", 12.5]);
    equal(received(state, { kind: "refused", code: "alreadySolved", text: "No." }, 0).tries[2].reason, "No.");
  });

  test("others' answers are news, and only the latest four are kept", () => {
    const state = after(welcome, ...[1, 2, 3, 4, 5].map(() => ({ kind: "answer", player: grace, seconds: 3 })));
    equal(state.news.map((entry) => entry.id), [1, 2, 3, 4]);
    equal(standingOf(state), "guessing");
    equal(received(received(state, { kind: "joined", player: ada }, 0), round(1), 0).news.map((entry) => entry.key), ["news.joined"]);
  });

  test("a new round makes a guesser of the player before the standings say so", () => {
    equal(standingOf(after(welcome, round(1), standings(line(ada, "solved", 15, { seconds: 5 })), round(2))), "guessing");
    equal(standingOf(after(welcome, round(1), standings(line(ada, "gaveUp", 0)))), "gaveUp");
    equal(standingOf(after(welcome, round(1), standings(line(ada, "joinedAndGuessing", 0)))), "guessing");
  });

  test("the points of a round are those that were won in it", () => {
    const end = (...lines) => ({ kind: "roundEnded", number: 1, hand: [8, 9, 2, 5], solution: "1", standings: lines, pause: 1 });
    let state = after(welcome, guessing, round(1), standings(line(ada, "solved", 16, { seconds: 5 }), line(grace, "guessing", 5)));
    state = received(state, end(line(ada, "solved", 16, { seconds: 5 }), line(grace, "outOfTime", 5)), 0);
    equal(state.won, { 7: 16, 1: 0 });
    state = received(state, end(line(ada, "gaveUp", 16), line({ id: 9, name: "Bo" }, "solved", 40, { seconds: 1 })), 0);
    equal(state.won, { 7: 0 });
  });

  test("another match begins without rounds, points and hints of the one before", () => {
    const state = after(welcome, guessing, round(1), { kind: "hint", cost: 2, step: 1, operation: "*" }, { kind: "matchEnded" },
      { kind: "matchBegan", number: 2 });
    equal([state.phase, state.round, state.hints, state.before, state.result, state.me], ["waiting", null, [], {}, null, ada]);
  });

  test("a hint that comes twice is shown once", () => {
    const hint = { kind: "hint", cost: 2, step: 1, operation: "*" };
    equal(after(welcome, round(1), hint, hint, { ...hint, step: 2 }).hints.map((hint) => hint.step), [1, 2]);
  });

  test("whoever has the most points wins, and nobody without any", () => {
    equal(winners([]), []);
    equal(winners([line(ada, "gaveUp", 0)]), []);
    equal(winners([line(ada, "solved", 9), line(grace, "solved", 9), line(ada, "solved", 3)]).length, 2);
  });

  test("the standings stay when the game is over or the host is gone, and not for who was sent away", () => {
    const closed = (code) => after(welcome, guessing, { kind: "closed", code, text: "" });
    equal(["finished", "hostLeft", "kicked", "banned"].map((code) => keepsStandings(closed(code))), [true, true, false, false]);
    equal([keepsStandings(after(welcome, guessing, { kind: "matchEnded" })), keepsStandings(after(welcome, guessing))], [true, false]);
    equal(closed("hostLeft").standings.length, 2);
  });

  test("a host is gone after two attempts and 20 s without an answer, and not before", () => {
    const silent = { isWanted: true, isHeard: false, attempt: 2, answeredAt: 1000 };
    equal(seemsGone(silent, 21_001), true);
    for (const other of [{ isWanted: false }, { isHeard: true }, { attempt: 1 }, { answeredAt: 1001 }]) {
      equal(seemsGone({ ...silent, ...other }, 21_001), false);
    }
    const ended = { kind: "roundEnded", number: 1, hand: [8, 9, 2, 5], solution: "8*(9/(5-2))", standings: guessing.standings, pause: 10 };
    const state = after(welcome, round(1), ended);
    equal([screenOf(state, 99_000), screenOf(state, 99_000, true), screenOf(after(welcome, round(1)), 1000, true)], ["result", "wait", "play"]);
  });

  test("a hint that did not come before the connection broke is told", () => {
    const asking = { ...after(welcome, round(1)), asksHint: true };
    equal(disconnected(asking).round.cards.fault, "fault.hint");
    const hint = { kind: "hint", cost: 2, step: 1, operation: "*" };
    equal(disconnected(received(asking, hint, 0)).round.cards.fault, null);
    equal(received(disconnected(asking), hint, 0).round.cards.fault, null);
  });

  test("all who win are named", () => {
    const hidden = namesOf([line(ada, "solved", 9), line(grace, "solved", 9), line({ id: 3, name: "Cy" }, "solved", 9)]);
    equal(hidden.replace(/[\u2066-\u2069]/g, ""), "Ada, Grace, and Cy");
    equal(byId("name").maxLength, 32);
  });

  test("attempts to come back are made soon, then seldom, and not by all at once", () => {
    equal([delayBefore(1, 0), delayBefore(1, 1), delayBefore(3, 1), delayBefore(99, 1), delayBefore(99, 0)], [250, 500, 2000, 10000, 5000]);
  });

  // MARK: What is kept

  test("a pass is shown with the name that the room gave, as long as the same name is typed", () => {
    const entries = { name: "Ada", admission: "pass", given: { typed: "Ada", name: "Ada 2" } };
    const former = Object.keys(entries).map((key) => [key, kept(key)]);
    const names = (changes) => {
      for (const [key, value] of Object.entries({ ...entries, ...changes })) keep(key, value);
      return [looking().name, hello().name];
    };
    try {
      equal(names({}), ["Ada 2", "Ada 2"]);
      equal(names({ name: "Bo" }), ["Bo", "Bo"]);
      equal(names({ admission: null }), ["Ada", "Ada"]);
      equal(names({ given: null }), ["Ada", "Ada"]);
      history.replaceState(null, "", "#token");
      equal(names({}), ["Ada", "Ada"]);
    } finally {
      useToken();
      for (const [key, value] of former) keep(key, value);
    }
  });

  test("the secret of a seat is kept longer than the host keeps the seat", () => {
    try {
      keepSeat({ place: "p", seconds: 60 });
      equal([119_000, 121_000].map((time) => Boolean(keptSeat(Date.now() + time))), [true, false]);
    } finally {
      keep("seat", null);
    }
  });

  test("texts have the plural of the language, and values are taken as they are", () => {
    equal([text("points", { count: 1 }), text("points", { count: 2 })], ["1 point", "2 points"]);
    equal(text("news.joined", { name: "$& {name}" }), "$& {name} came.");
    equal(text("round.of", { number: 1 }), "Round 1 of {rounds}");
    equal(text("no such text"), "");
  });

  const source = await (await fetch("/page.js")).text();
  test("each text that the page asks for is there", () => {
    const marked = Array.from(document.querySelectorAll("[data-text], [data-label]"));
    const keys = marked.flatMap((element) => [element.dataset.text, element.dataset.label]).filter((key) => key);
    for (const [, key] of source.matchAll(/\btext\("([\w.]+)"[,)]/g)) keys.push(key);
    for (const [, key] of source.matchAll(/"(fault\.\w+)"/g)) keys.push(key);
    if (keys.length < 50) throw new Error("only " + keys.length + " were found");
    for (const status of ["guessing", "joinedAndGuessing", "waiting", "gaveUp", "outOfTime", "away"]) keys.push("status." + status);
    for (const phase of ["joining", "approval", "missing", "gathering", "running", "solved", "gaveUp"]) keys.push("wait." + phase + ".title");
    for (const standing of ["solved", "gaveUp", "waiting", "outOfTime"]) keys.push("done." + standing, "result." + standing);
    for (const kind of ["joined", "left", "away", "back", "answer"]) keys.push("news." + kind);
    for (const sign of "+-*/") keys.push("hint.1." + sign);
    for (const button of ["give-up", "leave"]) keys.push(byId(button).dataset.text + ".sure");
    equal(keys.filter((key) => !texts[key] && !texts[key + ".other"]), []);
    // And none is there that nobody asks for.
    const computed = /^(language|direction|help$|(hint\.[123]|wait|closed|news|status|done|result|round)(\.|$))|\.(sure|one|other)$/;
    equal(Object.keys(texts).filter((key) => !keys.includes(key) && !computed.test(key) && !source.includes('"' + key + '"')), []);
  });
  return faults;
})()
