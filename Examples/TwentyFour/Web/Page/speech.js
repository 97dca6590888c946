// What is said to those who do not see the page: sentences for each change of what is shown, in one queue. Nothing else on the page is a live
// region. What gets the focus is read out by itself, with the error beside it, so no sentence repeats a title or that error.
//
// A view is what is shown at `now`: `state`, `screen`, `link` and `wait` (the keys of their texts, or ""), `left`, the seconds of the round, and
// `isWelcome`, whether the page is in the room.
"use strict";

/** Whether a view shows another round than the one before. */
const isNewRound = (before, after) => after.screen === "play" && after.state.phase === "playing"
  && (before.state.phase !== "playing" || !isSameRound(before.state, after.state));

const isSameRound = (former, state) => Boolean(former.round && state.round) && former.room === state.room
  && former.round.number === state.round.number && String(former.round.hand) === String(state.round.hand);

/** The news that a view has more than the one before. */
function freshNews(before, after) {
  const isSame = before.state.room === after.state.room && before.state.newsCount <= after.state.newsCount;
  return after.state.news.filter((entry) => !isSame || entry.id >= before.state.newsCount);
}

/** The last of these marks that the time has passed; undefined for none. Time that was slept through passes once. */
const passedMark = (before, after, marks) => marks.filter((mark) => isSameRound(before.state, after.state) && before.left > mark && after.left <= mark).pop();

/** The sentences for a change from one view to the next, in their order. Those that are urgent interrupt others. */
function sentences(before, after) {
  const { state } = after;
  const said = [];
  const say = (sentence, isUrgent = false) => { if (sentence) said.push({ text: sentence, isUrgent }); };
  if (after.link && after.link !== before.link) say(text(after.link), true);
  if (after.isWelcome && !before.isWelcome && before.state.room && before.state.room === state.room) say(text("said.back"), true);
  for (const entry of freshNews(before, after)) say(newsLine(entry));
  if (isSameRound(before.state, state)) {
    for (const sentence of ownSentences(before.state, state)) say(sentence, true);
    for (const hint of state.hints.slice(before.state.hints.length)) say(hintLine(hint));
  }
  if (isNewRound(before, after)) say(roundSentence(state));
  if (state.result && state.result !== before.state.result) say(resultSentence(state));
  if (after.screen === "wait" && after.wait && (before.screen !== "wait" || before.wait !== after.wait || before.state.missing !== state.missing)) {
    say(waitLine(after.wait, state, after.now));
    const isIn = ({ wait }) => ["missing", "gathering"].includes(wait);
    if (isIn(after) && !isIn(before)) say(timeLine(state.rules));
  }
  if (after.screen === "end" && (before.screen !== "end" || before.state.reason !== state.reason)) {
    for (const part of endSentences(before.state, state)) say(part.text, part.isUrgent);
  }
  const mark = after.screen === "play" && standingOf(state) === "guessing" ? passedMark(before, after, [60, 30, 10]) : undefined;
  if (mark) say(text("clock.spoken", { seconds: mark }), mark === 10);
  return said;
}

/** What became of this player's answers, and of what was tapped. */
function ownSentences(former, state) {
  const said = [];
  state.tries.forEach((attempt, index) => {
    const earlier = former.tries[index];
    if (attempt.isAsked || earlier && !earlier.isAsked) return;
    said.push(attempt.seconds === undefined ? outcomeLine(attempt) : text("done.solved", { time: time(attempt.seconds) }));
  });
  if (standingOf(state) === "gaveUp" && standingOf(former) === "guessing") said.push(text("done.gaveUp"));
  const { fault } = state.round.cards;
  if (fault && fault !== former.round.cards.fault) said.push(text(fault));
  return said;
}

function roundSentence(state) {
  const seconds = Math.round((state.round.until - state.round.begunAt) / 1000);
  const limit = state.round.until === null ? text("clock.none") : text("said.seconds", { count: seconds });
  return text("said.round", { round: roundLine(state.round, state.rules), numbers: state.round.hand.join(", "), limit });
}

function resultSentence(state) {
  const { number, solution } = state.result;
  return [text("said.result", { number, solution: equation(solution) }), ownResultLine(state)].filter((part) => part).join(" ");
}

function endSentences(former, state) {
  const isOver = state.phase === "over";
  // When the room is closed after the match, everybody knows.
  const winner = former.phase === "over" ? "" : winnerLine(state);
  const ending = isOver ? [{ text: text("said.over") }] : [{ text: state.reason.text, isUrgent: true }];
  return ending.concat([{ text: winner }], isOver ? [{ text: text("end.open") }] : []);
}

/** Lets a screen reader say sentences, one after the other. Each is gone soon, so that nobody finds it later. */
function say(said) {
  for (const { text: sentence, isUrgent } of said) {
    const line = made("p", sentence);
    byId(isUrgent ? "urgent" : "spoken").append(line);
    setTimeout(() => line.remove(), 10000);
  }
}
