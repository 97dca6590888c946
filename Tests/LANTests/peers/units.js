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
    equal(pretty("8×(9÷(5−2))"), "8 × (9 ÷ (5 − 2))");
    equal(pretty("8x（9：３）–1"), "8 × (9 ÷ 3) − 1");
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
    equal(screenOf(after(welcome, { ...round(1), seconds: 3600, limited: false }), 90_000_000), "play");
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

  test("a round without a limit that is over when the page comes back is not waited for", () => {
    const endless = { ...round(1), seconds: 3600, limited: false };
    const state = after(welcome, endless, guessing);
    const back = received(state, { ...welcome, secret: "t" }, 5000);
    const over = standings(line(ada, "outOfTime", 0), line(grace, "solved", 25, { seconds: 5 }));
    equal([back.phase, received(back, over, 5000).phase, received(back, guessing, 5000).phase], ["playing", "waiting", "playing"]);
    // Without a break, the end of the round follows.
    equal([received(state, over, 5000).phase, received(received(back, endless, 5000), over, 5000).phase], ["playing", "playing"]);
    equal([state.round.until, back.round.total], [null, 3600_000]);
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

  test("a refused answer is shown as it was typed, because the reason may name a column; a tapped one as people write", () => {
    const refused = (isTyped) => received(
      asked(after(welcome, round(1)), "8*(9", isTyped), { kind: "refused", code: "syntax", text: "Column 3: …" }, 0).tries[0];
    equal([true, false].map((isTyped) => outcomeLine(refused(isTyped))), ["\u20688*(9\u2069: Column 3: …", "8 × (9: Column 3: …"]);
    // Without a connection it waits.
    equal(outcomeLine({ text: "1+1", isAsked: true }), "1 + 1: goes to the room when the connection is back.");
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

  // MARK: What is said, and played

  const view = (state, more = {}) => {
    const shown = screenOf(state, 1000);
    return { state, screen: shown, now: 1000, left: Infinity, link: "", wait: shown === "wait" ? "gathering" : "", isWelcome: true, ...more };
  };
  const plain = (text) => text.replace(/[\u2066-\u2069]/g, "").replace(/\u00a0/g, " ");
  const saying = (before, after) => sentences(before, after).map(({ text, isUrgent }) => (isUrgent ? "! " : "") + plain(text));
  const playing = after(welcome, round(1), guessing);
  const ending = (more) => ({ kind: "roundEnded", number: 1, hand: [8, 9, 2, 5], solution: "8*(9/(5-2))",
    standings: [line(ada, "solved", 15, { seconds: 12.34 }), line(grace, "gaveUp", 5)], ...more });

  test("nothing is said twice, and nothing where nothing has changed", () => {
    equal(saying(view(playing), view(playing)), []);
    equal(saying(view(playing), view({ ...playing })), []);
    // Back at the seat, after a break, the same round is dealt again.
    const back = received(received(playing, { ...welcome, secret: "t" }, 5000), { ...round(1), seconds: 50 }, 5000);
    equal(saying(view(playing), view(back)), []);
    const broken = view(playing, { link: "link.broken", isWelcome: false });
    equal(saying(broken, { ...broken }), []);
  });

  test("a round begins with its numbers and its time", () => {
    const before = view(after(welcome), { wait: "gathering" });
    equal(saying(before, view(playing)), ["Round 1 of 3: 8, 9, 2, 5. 90 seconds."]);
    const endless = after({ ...welcome, rules: { roundSeconds: 100, time: "none" } }, { ...round(2), limited: false });
    equal(saying(before, view(endless)), ["Round 2: 8, 9, 2, 5. No time limit."]);
    const ended = received(playing, ending({ pause: 10 }), 1000);
    equal(saying(view(ended), view(received(ended, round(2), 1000))), ["Round 2 of 3: 8, 9, 2, 5. 90 seconds."]);
  });

  test("others' answers are said without what they are, and urgent is what became of one's own", () => {
    const other = received(playing, { kind: "answer", player: grace, seconds: 3 }, 0);
    equal(saying(view(playing), view(other)), ["Grace has it, after 3.00 s."]);
    const wrong = asked(playing, "8+9");
    equal(saying(view(playing), view(wrong)), []);
    const refused = received(wrong, { kind: "refused", code: "wrongDigits", text: "Use each number once." }, 0);
    equal(saying(view(wrong), view(refused)), ["! 8 + 9: Use each number once."]);
    const right = received(asked(refused, "8*(9/(5-2))"), { kind: "answer", player: ada, seconds: 12.34 }, 0);
    equal(saying(view(asked(refused, "8*(9/(5-2))")), view(right)), ["! You have it, after 12.34 s!"]);
    const gone = received(playing, standings(line(ada, "gaveUp", 0), line(grace, "guessing", 5)), 0);
    equal(saying(view(playing), view(gone)), ["! You gave up; the others go on."]);
    // What the page has kept over a reload was said before it.
    equal(saying(view(after(welcome)), view(refused)), ["Round 1 of 3: 8, 9, 2, 5. 90 seconds."]);
    const zero = { ...playing, round: { ...playing.round, cards: taps([8, 9, 2, 5], "+") } };
    equal(saying(view(playing), view(zero)), ["! Choose a number first, then a sign."]);
  });

  test("the time is said at 60, 30 and 10 seconds, once, and only to those who guess", () => {
    const at = (seconds) => view(playing, { left: seconds });
    let said = [];
    for (let left = 90; left >= 0; left--) said = said.concat(saying(at(left + 1), at(left)).map((text) => [left, text]));
    equal(said, [[60, "60 seconds left"], [30, "30 seconds left"], [10, "! 10 seconds left"]]);
    // A phone that slept.
    equal(saying(at(80), at(20)), ["30 seconds left"]);
    equal(saying(at(9), at(8)).concat(saying(at(10), at(10))), []);
    const solved = received(playing, standings(line(ada, "solved", 15, { seconds: 5 })), 0);
    equal(saying(view(solved, { left: 31 }), view(solved, { left: 30 })), []);
    const next = received(playing, round(2), 1000);
    equal(saying(at(90), view(next, { left: 20 })), ["Round 2 of 3: 8, 9, 2, 5. 90 seconds."]);
  });

  test("the result is said, and the end of the match after it", () => {
    const result = received(playing, ending({ pause: 10 }), 0);
    equal(saying(view(playing), view(result)), ["Round 1 is over. 8 × (9 ÷ (5 − 2)) = 24. You had it after 12.34 s: 15 points."]);
    const last = received(playing, ending(), 0);
    const over = received(last, { kind: "matchEnded" }, 0);
    equal(saying(view(last), view(over)), ["That was the last round.", "You win with 15 points!", "The host may play again."]);
    const closed = received(last, { kind: "closed", code: "hostLeft", text: "The host closed the room." }, 0);
    equal(saying(view(last), view(closed)), ["! The host closed the room.", "You win with 15 points!"]);
    const gone = received(over, { kind: "closed", code: "hostLeft", text: "The host closed the room." }, 0);
    equal(saying(view(over), view(gone)), ["! The host closed the room."]);
    const unlimited = { ...playing, rules: { time: "none" } };
    const ended = received(unlimited, ending({ standings: [line(ada, "outOfTime", 0)] }), 0);
    equal(ownResultLine(ended), "The round was ended before you answered.");
    // With a limit, the host may end it, too. By the clock it ends two seconds after the limit.
    const at = (now) => ownResultLine(received(playing, ending({ standings: [line(ada, "outOfTime", 0)] }), now));
    equal([at(0), at(60_000), at(92_000)], [
      "The round was ended before you answered.", "The round was ended before you answered.", "The time was up."]);
  });

  test("that the connection is broken is urgent, and that it is back", () => {
    const broken = view(playing, { link: "link.broken", isWelcome: false });
    equal(saying(view(playing), broken), ["! The connection broke. Coming back …"]);
    // The host has answered, and then let the page in again.
    const heard = view(playing, { isWelcome: false });
    equal([saying(broken, heard), saying(heard, view(playing))], [[], ["! The connection is back."]]);
    equal(saying(view(blank(), { isWelcome: false }), view(after(welcome), { wait: "" })), []);
    equal(saying(broken, view(playing, { link: "link.gone", isWelcome: false })), ["! The host does not answer any more and seems to be gone. Still trying …"]);
  });

  test("whoever waits is told for what, and how much time there will be", () => {
    // After "Joining the room".
    const entered = view({ ...blank(), phase: "joining" }, { wait: "joining" });
    const twice = { ...after({ ...welcome, rules: { roundSeconds: 200, time: "2" } }), missing: 1 };
    const waiting = view(twice, { wait: "missing" });
    equal(saying(entered, waiting), ["One more player is needed to begin.", "Twice the time: 200 s for each round."]);
    equal(saying(waiting, view({ ...twice, missing: 2 }, { wait: "missing" })), ["2 more players are needed to begin."]);
    equal(saying(waiting, view({ ...twice, missing: 0 }, { wait: "gathering" })), ["The next round begins soon; others may still come."]);
    // Each second of the countdown would be too much.
    const asking = { ...blank(), phase: "approval", until: 31_000 };
    equal(saying(view(asking, { wait: "approval" }), view(asking, { wait: "approval", now: 3000 })), []);
    equal(["1.5", "2", "none", undefined].map((time) => plain(timeLine({ time, roundSeconds: 150 }))), [
      "1.5 times the time: 150 s for each round.", "Twice the time: 150 s for each round.",
      "No time limit: a round ends when everybody has answered or given up.", ""]);
  });

  test("a hint is said when it comes, and what was kept is not", () => {
    const hint = { kind: "hint", cost: 2, step: 1, operation: "*" };
    const hinted = received(playing, hint, 0);
    equal(saying(view(playing), view(hinted)), ["Hint 1, for 2 points: The last thing to do is to multiply."]);
    equal(saying(view(after(welcome)), view(hinted)), ["Round 1 of 3: 8, 9, 2, 5. 90 seconds."]);
  });

  test("each moment of a match has a sound of its own", () => {
    const solved = received(playing, { kind: "answer", player: grace, seconds: 3 }, 0);
    const result = received(playing, ending({ pause: 10 }), 0);
    const last = received(playing, ending(), 0);
    const over = received(last, { kind: "matchEnded" }, 0);
    const closed = received(last, { kind: "closed", code: "finished", text: "" }, 0);
    equal(soundsFor(view(after(welcome)), view(playing)), ["round"]);
    equal(soundsFor(view(playing), view(solved)), ["solved"]);
    equal(soundsFor(view(playing, { left: 11 }), view(playing, { left: 10 })), ["ten"]);
    equal(soundsFor(view(playing, { left: 31 }), view(playing, { left: 30 })), []);
    equal(soundsFor(view(playing), view(result)), ["over"]);
    equal([soundsFor(view(last), view(over)), soundsFor(view(last), view(closed))], [["match"], ["match"]]);
    equal(soundsFor(view(over), view(over)), []);
    equal(soundsFor(view(playing), view(playing)), []);
    equal(Object.values(notes).map(String).filter((sound, index, all) => all.indexOf(sound) !== index), []);
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

  const sources = await Promise.all(["page", "speech", "sound"].map(async (name) => (await fetch("/" + name + ".js")).text()));
  const source = sources.join("\n");
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
    const computed = /^(language|direction|help$|(hint\.[123]|wait|closed|news|status|done|result|round|time)(\.|$))|\.(sure|one|other)$/;
    equal(Object.keys(texts).filter((key) => !keys.includes(key) && !computed.test(key) && !source.includes('"' + key + '"')), []);
  });
  return faults;
})()
