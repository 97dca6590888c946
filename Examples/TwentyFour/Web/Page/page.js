// The game in a browser, with what is said (speech.js) and the sounds of the board (sound.js). In this order: fractions, cards, the state of the room, what is kept, the connection, texts, drawing, input.
// The first three parts are pure: each function returns a new value, and knows neither the page nor the clock.
"use strict";

// MARK: Fractions

/** An exact fraction in lowest terms with a positive denominator; null if the denominator is 0. */
function fraction(numerator, denominator = 1) {
  if (denominator === 0) return null;
  const divisor = commonDivisor(Math.abs(numerator), Math.abs(denominator)) * Math.sign(denominator);
  // Adding 0 makes 0 of -0.
  return { numerator: numerator / divisor + 0, denominator: denominator / divisor };
}

function commonDivisor(left, right) {
  while (right !== 0) [left, right] = [right, left % right];
  return left || 1;
}

/** The result of a calculation with one of + - * /; null if it divides by zero. */
function calculated(left, sign, right) {
  const [a, b, c, d] = [left.numerator, left.denominator, right.numerator, right.denominator];
  switch (sign) {
    case "+": return fraction(a * d + c * b, b * d);
    case "-": return fraction(a * d - c * b, b * d);
    case "*": return fraction(a * c, b * d);
    default: return fraction(a * d, b * c);
  }
}

/** `7`, `8/3` or `−5`. */
function written(value) {
  const whole = String(value.numerator).replace("-", "−");
  return value.denominator === 1 ? whole : whole + "/" + value.denominator;
}

/** An expression with the signs that people write: `8 × (9 ÷ (5 − 2))`; also if they have typed others that the room understands. */
function pretty(expression) {
  return expression.normalize("NFKC").replace(/\s/g, "").replace(/[-−–+*×·⋅xX/÷:]/g, (sign) => " " + (signs[sign] || sign) + " ").trim();
}

/** `6 × 4 = 24`, whose end stays on one line. */
const equation = (expression) => pretty(expression) + "\u00a0=\u00a024";

const signs = { "+": "+", "-": "−", "–": "−", "*": "×", "·": "×", "⋅": "×", x: "×", X: "×", "/": "÷", ":": "÷" };

// MARK: Cards

// How tightly an expression binds: a sum, a product, or a number.
const [SUM, PRODUCT, NUMBER] = [0, 1, 2];

/** The cards of a new round: four slots, of which one may be chosen, and a sign behind it; `past` has the slots before each step. */
function dealt(hand) {
  const slots = hand.map((number) => ({ value: fraction(number), text: String(number), level: NUMBER }));
  return { slots, chosen: null, sign: null, past: [], fault: null };
}

/** Two cards made one; null if that divides by zero. Only parentheses that are needed are written. */
function combined(left, sign, right) {
  const value = calculated(left.value, sign, right.value);
  if (!value) return null;
  const level = sign === "+" || sign === "-" ? SUM : PRODUCT;
  const first = left.level < level ? "(" + left.text + ")" : left.text;
  const bindsFirst = right.level < level || (right.level === level && (sign === "-" || sign === "/"));
  const second = bindsFirst ? "(" + right.text + ")" : right.text;
  return { value, text: first + sign + second, level };
}

/** A tap on a card: chooses it, or combines the chosen one with it. The result takes its place and is chosen. */
function tapped(cards, index) {
  const slot = cards.slots[index];
  if (!slot) return cards;
  if (cards.chosen === index) return { ...cards, chosen: null, sign: null, fault: null };
  if (cards.chosen === null || cards.sign === null) return { ...cards, chosen: index, fault: null };
  const card = combined(cards.slots[cards.chosen], cards.sign, slot);
  if (!card) return { ...cards, sign: null, fault: "fault.zero" };
  const slots = cards.slots.slice();
  slots[cards.chosen] = null;
  slots[index] = card;
  const past = cards.past.concat([cards.slots]);
  return { slots, chosen: past.length === 3 ? null : index, sign: null, past, fault: null };
}

/** A tap on a sign. */
function signed(cards, sign) {
  if (cards.chosen === null) return { ...cards, fault: "fault.choose" };
  return { ...cards, sign: cards.sign === sign ? null : sign, fault: null };
}

/** Takes the last step back: a choice, or a calculation. */
function undone(cards) {
  if (cards.sign !== null) return { ...cards, sign: null, fault: null };
  const last = cards.past.length - 1;
  if (last < 0) return { ...cards, chosen: null, fault: null };
  return { slots: cards.past[last], chosen: null, sign: null, past: cards.past.slice(0, last), fault: null };
}

function cleared(cards) {
  return { slots: cards.past[0] || cards.slots, chosen: null, sign: null, past: [], fault: null };
}

/** The expression of all four numbers; null before the last step. */
function whole(cards) {
  return cards.past.length === 3 ? cards.slots.find((slot) => slot).text : null;
}

// MARK: The state of the room

/** What a page knows before the host's welcome. `phase`: enter, joining, approval, waiting, playing, pausing, over, closed. */
function blank() {
  return {
    phase: "enter", room: null, me: null, rules: {}, missing: 0, round: null, standings: [], before: {}, won: {}, tries: [],
    hints: [], asksHint: false, news: [], newsCount: 0, result: null, reason: null, until: null, former: null, isReturning: false,
  };
}

/** The state after a message of the host; `now` in milliseconds. Unknown messages change nothing. */
function received(state, message, now) {
  switch (message.kind) {
    case "welcome": return welcomed(state, message);
    case "approval": return { ...state, phase: "approval", until: now + message.seconds * 1000 };
    case "joined":
    case "left":
    case "away":
    case "back": return told(state, "news." + message.kind, message.player);
    case "missing": return { ...state, missing: message.count };
    case "round": return begun(state, message, now);
    case "answer": return answered(state, message);
    // Not about an answer.
    case "refused": if (message.code === "held") return told(state, "news.held", { name: "" });
      return settled({ ...state, asksHint: false }, message.text);
    case "hint": return hinted(state, message);
    case "standings": return returned(seen(state, message.standings));
    case "roundEnded": return ended(state, message, now);
    case "matchEnded": return { ...state, phase: "over" };
    case "matchBegan": return { ...state, phase: "waiting", round: null, result: null, before: {}, won: {}, tries: [], hints: [] };
    case "closed": return { ...state, phase: "closed", reason: { code: message.code, text: message.text } };
    default: return state;
  }
}

/** Back at the seat, the round goes on; any other welcome begins from nothing. */
function welcomed(state, message) {
  const me = message.player || null;
  const isSame = state.room === message.room && (state.me && state.me.id) === (me && me.id);
  const goesOn = isSame && ["playing", "pausing", "over"].includes(state.phase);
  return { ...(isSame ? state : blank()), room: message.room, me, rules: message.rules, phase: goesOn ? state.phase : "waiting", isReturning: goesOn };
}

/** Back at the seat, a round that nobody is guessing any more has ended meanwhile; without a limit, no time tells that. */
function returned(state) {
  const isOver = state.isReturning && state.phase === "playing" && !isGuessed(state);
  return { ...state, isReturning: false, phase: isOver ? "waiting" : state.phase };
}

/** Whether somebody is still guessing. */
const isGuessed = (state) => state.standings.some((line) => ["guessing", "joinedAndGuessing"].includes(line.status));

function begun(state, message, now) {
  const { number, hand, seconds } = message;
  // After a reconnection the same round is dealt again, and earlier answers still count.
  const isSame = state.round && state.round.number === number && String(state.round.hand) === String(hand);
  const total = Math.max(state.rules.roundSeconds || 0, seconds) * 1000;
  // `until` is null without a limit.
  const until = message.limited === false ? null : now + seconds * 1000;
  const round = { number, hand, begunAt: now, until, total, cards: isSame ? state.round.cards : dealt(hand) };
  const kept = isSame ? {} : { tries: [], hints: [], result: null, news: state.news.filter((entry) => entry.key !== "news.answer") };
  // The standings that say so come later.
  const standings = state.standings.map((line) => (line === own(state) ? { ...line, status: "guessing" } : line));
  return { ...state, ...kept, phase: "playing", missing: 0, round, standings, isReturning: false };
}

function answered(state, message) {
  if (state.me && message.player.id === state.me.id) return settled(state, null, message.seconds);
  return told(state, "news.answer", message.player, { seconds: message.seconds });
}

function hinted(state, message) {
  const hints = state.hints.filter((hint) => hint.step !== message.step).concat([message]);
  return { ...faulted(state, null), hints, asksHint: false };
}

/** The state with a fault to be shown below the cards, until the next tap. */
function faulted(state, fault) {
  return state.round ? { ...state, round: { ...state.round, cards: { ...state.round.cards, fault } } } : state;
}

/** The state after the connection broke: a hint that was asked for may never come. */
function disconnected(state) {
  return state.asksHint ? { ...faulted(state, "fault.hint"), asksHint: false } : state;
}

/** Sets the outcome of the oldest try without one: the reason of a refusal, or the time of a right answer. */
function settled(state, reason, seconds) {
  const index = state.tries.findIndex((attempt) => attempt.isAsked);
  const outcome = reason === null ? { seconds } : { reason };
  if (index < 0) return { ...state, tries: state.tries.concat([{ text: "", isAsked: false, ...outcome }]) };
  const tries = state.tries.slice();
  tries[index] = { ...tries[index], isAsked: false, ...outcome };
  return { ...state, tries };
}

function asked(state, expression, isTyped) {
  return { ...state, tries: state.tries.concat([{ text: expression, isTyped, isAsked: true }]) };
}

function told(state, key, player, values) {
  const entry = { id: state.newsCount, key, name: player.name, ...values };
  return { ...state, news: state.news.concat([entry]).slice(-4), newsCount: state.newsCount + 1 };
}

/** Points that a player brings along were not won in this round. */
function seen(state, standings) {
  const before = { ...state.before };
  for (const line of standings) {
    if (line.status !== "solved") before[line.player.id] = line.points;
  }
  return { ...state, standings, before };
}

function ended(state, message, now) {
  const { before } = seen(state, message.standings);
  const won = {};
  const totals = {};
  for (const line of message.standings) {
    if (line.player.id in before) won[line.player.id] = line.points - before[line.player.id];
    totals[line.player.id] = line.points;
  }
  const isLast = message.pause === undefined;
  // Without a limit, or with much of it left, nobody's time was up. By the clock, a round ends when more than the limit has passed.
  const isEarly = state.rules.time === "none" || state.round !== null && state.round.until - now > 1000;
  const result = {
    number: message.number, hand: message.hand, solution: message.solution, total: isLast ? 0 : message.pause * 1000,
    until: isLast ? null : now + message.pause * 1000, isEarly,
  };
  return { ...state, phase: "pausing", standings: message.standings, before: totals, won, result };
}

/** The player's own line of the standings. */
function own(state) {
  return state.me ? state.standings.find((line) => line.player.id === state.me.id) : undefined;
}

/** What the player can still do in the round: `guessing`, `solved`, `gaveUp`, `waiting` or `outOfTime`. */
function standingOf(state) {
  if (state.tries.some((attempt) => attempt.seconds !== undefined)) return "solved";
  const line = own(state);
  return !line || line.status === "joinedAndGuessing" ? "guessing" : line.status;
}

/** Those with the most points; nobody if there are none. */
function winners(standings) {
  const most = Math.max(0, ...standings.map((line) => line.points));
  return most > 0 ? standings.filter((line) => line.points === most) : [];
}

/** The screen to show. A round whose end was missed, because the connection was broken, is over after a moment, and no next one is
 *  announced while the host seems to be gone. */
function screenOf(state, now, isGone = false) {
  switch (state.phase) {
    case "playing": return state.round.until === null || now < state.round.until + 5000 ? "play" : "wait";
    case "pausing": return isGone ? "wait" : "result";
    case "enter": return "enter";
    case "over":
    case "closed": return "end";
    default: return "wait";
  }
}

/** Whether the standings stay in sight when everything is over: not for somebody who was sent away. */
function keepsStandings(state) {
  return state.phase === "over" || Boolean(state.reason) && ["finished", "hostLeft", "otherRoom"].includes(state.reason.code);
}

/** Whether the host seems to be gone: several attempts had no answer, and the last answer is 20 s ago. */
function seemsGone(link, now) {
  return link.isWanted && !link.isHeard && link.attempt >= 2 && now - link.answeredAt > 20000;
}

/** The milliseconds before an attempt to come back, counted from 1; `random` is from 0 to 1. */
function delayBefore(attempt, random) {
  return Math.min(10000, 500 * 2 ** Math.min(attempt - 1, 10)) * (0.5 + random / 2);
}

// MARK: What is kept

const isBoard = location.pathname === "/board";
const shelf = isBoard ? "twentyfour.board." : "twentyfour.";

// Storage can be forbidden; then only a reload loses something.
function kept(key, storage = "localStorage") {
  try { return JSON.parse(window[storage].getItem(shelf + key)); } catch { return null; }
}

function keep(key, value, storage = "localStorage") {
  try {
    if (value === null) window[storage].removeItem(shelf + key);
    else window[storage].setItem(shelf + key, JSON.stringify(value));
  } catch { /* See above. */ }
}

/** The seat as long as the host keeps it; in the same tab always, because the host knows best. */
function keptSeat(now) {
  const seat = kept("seat");
  return seat && seat.place && (now < seat.until || kept("joined", "sessionStorage")) ? seat : null;
}

/** The host keeps the seat from when it notices that the connection is broken, so the page keeps the secret 60 s longer. */
function keepSeat(seat) {
  keep("seat", { ...seat, until: Date.now() + (seat.seconds + 60) * 1000 });
}

/** The name to come in with: what let the page in before is for the name that the room gave, which may have a number. */
function nameToGive() {
  const [name, given] = [kept("name") || "", kept("given")];
  return !token() && kept("admission") && given && given.typed === name ? given.name : name;
}

/** Hints that were paid for, and are not told again. */
function keepHints(state) {
  if (state.me && state.round) {
    keep("hints", { room: state.room, player: state.me.id, round: [state.round.number, state.round.hand], hints: state.hints });
  }
}

function keptHints(state) {
  const all = kept("hints");
  const isSame = all && state.me && all.room === state.room && all.player === state.me.id
    && String(all.round) === String([state.round.number, state.round.hand]);
  return isSame ? all.hints : [];
}

/** The cards and tries of the round, which this tab has after a reload, too; also if the seat is another one then. */
function keepRound(state) {
  if (!state.round) return;
  const { number, hand, cards } = state.round;
  keep("round", { room: state.room, round: [number, hand], cards, tries: state.tries }, "sessionStorage");
}

/** The state with the cards and tries that were kept, if they are of this round. */
function withKeptRound(state) {
  const all = kept("round", "sessionStorage");
  const isSame = all && all.room === state.room && String(all.round) === String([state.round.number, state.round.hand]);
  return isSame ? { ...state, tries: all.tries, round: { ...state.round, cards: { ...all.cards, fault: null } } } : state;
}

// MARK: The connection

let state = blank();
let seat = null;

/** The room or the server at this address: its `id`, `name` and `host`; null before it has answered. */
let place = null;

/** What the connection is for: to come in, or only to look; and where alone, null for anywhere. */
let aim = { comesIn: false, place: null };

/** `isHeard`: the host has said something over this connection; `answeredAt`: when it has last said anything. */
const link = {
  socket: null, isWanted: false, isHeard: false, isWelcome: false, attempt: 0, timer: 0, openedAt: 0, heardAt: 0, pingedAt: 0,
  answeredAt: 0, tickedAt: Date.now(),
};

/** The one-time token of the address; it stands behind the #, so that no request and no log contains it. */
function token() {
  return location.hash.length > 1 ? location.hash.slice(1) : null;
}

/** Removes the token from the address: it was used. */
function useToken() {
  if (location.hash) history.replaceState(null, "", location.pathname);
}

/** Comes in where the person has said so: into the room whose name the page shows. */
function join(name) {
  state = { ...blank(), phase: "joining" };
  keep("name", name);
  keep("joined", true, "sessionStorage");
  seat = keptSeat(Date.now());
  seek({ comesIn: true, place: place && !isBoard ? place.id : null });
}

/** Asks whose room is at this address, and whether the code is good, before anybody is asked for a name.
 *
 *  `former`: the place that the page was in; it tells if this is another one. */
function look(former = null) {
  seek({ comesIn: false, place: former });
}

function seek(next) {
  aim = next;
  Object.assign(link, { isWanted: true, attempt: 0, answeredAt: Date.now() });
  connect();
}

/** Ends the connection because there is nothing more to say. */
function hangUp() {
  link.isWanted = false;
  drop();
}

function connect() {
  clearTimeout(link.timer);
  drop();
  const socket = new WebSocket((location.protocol === "https:" ? "wss://" : "ws://") + location.host + "/socket");
  Object.assign(link, { socket, isHeard: false, isWelcome: false, openedAt: Date.now(), heardAt: Date.now(), pingedAt: 0 });
  const isCurrent = () => link.socket === socket;
  socket.onopen = () => { if (isCurrent()) send(looking()); };
  socket.onmessage = (event) => { if (isCurrent()) hear(event.data); };
  socket.onclose = () => { if (isCurrent()) lose(); };
}

function looking() {
  const message = { kind: "look", version: 3, ...admission() };
  if (isBoard) return { ...message, watch: true };
  const name = (seat && seat.name) || nameToGive();
  return name ? { ...message, name } : message;
}

function hello() {
  const message = { kind: "hello", version: 3, name: isBoard ? "Board" : nameToGive(), ...admission() };
  if (isBoard) return { ...message, watch: true };
  // The secret is for those who gave it, and whoever was in a room comes into no other one.
  const own = seat && seat.place === place.id ? seat : null;
  if (own) message.seat = { room: own.room, player: own.player, secret: own.secret };
  const room = state.room || (own && own.room);
  // The room may have added a number to the name.
  return room ? { ...message, room, name: (seat && seat.name) || message.name } : message;
}

function admission() {
  const admission = token() || kept("admission");
  return admission ? { admission } : {};
}

/** The host has said whose room it is. The page comes in if that was the aim, and this is the place. */
function meet(message) {
  const former = place ? titleOf(place) : seat && seat.title;
  place = { id: message.room, name: message.name, host: message.host };
  const isOther = aim.place !== null && aim.place !== place.id;
  if (aim.comesIn && !isOther) return send(hello());
  if (!message.admits && token()) {
    // It was used, or is too old. What let this page in before may be good.
    useToken();
    if (kept("admission")) return send(looking());
  }
  hangUp();
  if (isOther && state.room) {
    state = { ...state, phase: "closed", reason: { code: "otherRoom", text: text("end.other", { former, room: titleOf(place) }) } };
    closeDown("otherRoom");
  } else if (!message.admits) {
    keep("admission", null);
    state = { ...blank(), phase: "closed", reason: { code: "admission", text: text("end.admission") } };
  } else {
    state = { ...blank(), former: isOther ? former : null };
  }
}

function send(message) {
  if (link.socket && link.socket.readyState === WebSocket.OPEN) link.socket.send(JSON.stringify(message));
}

/** Ends the socket without waiting: the host may be out of reach. */
function drop() {
  const socket = link.socket;
  link.socket = null;
  if (socket) socket.close();
}

/** After a broken connection: tries again soon, then more and more seldom. */
function lose() {
  drop();
  Object.assign(link, { isHeard: false, isWelcome: false });
  if (!link.isWanted) return;
  state = disconnected(state);
  link.attempt += 1;
  clearTimeout(link.timer);
  link.timer = setTimeout(connect, delayBefore(link.attempt, Math.random()));
  draw();
}

function hear(data) {
  let message;
  try { message = JSON.parse(data); } catch { return; }
  Object.assign(link, { isHeard: true, heardAt: Date.now(), answeredAt: Date.now(), pingedAt: 0 });
  if (!message || message.kind === "pong") return;
  if (message.kind === "room") {
    meet(message);
  } else {
    const former = state;
    state = received(state, message, Date.now());
    follow(message, former);
  }
  draw();
}

/** What a message means for the connection, and for what is kept. */
function follow(message, former) {
  switch (message.kind) {
    case "welcome":
      Object.assign(link, { isWelcome: true, attempt: 0 });
      if (state.me && message.secret) {
        seat = {
          room: message.room, place: place.id, title: titleOf(place), player: state.me.id, name: state.me.name,
          secret: message.secret, seconds: message.returnSeconds,
        };
        keepSeat(seat);
      }
      keep("admission", message.admission || null);
      if (state.me) keep("given", { typed: kept("name"), name: state.me.name });
      useToken();
      break;
    case "round":
      if (!state.hints.length) state = { ...state, hints: keptHints(state) };
      if (!former.round) state = withKeptRound(state);
      // The connection may have broken before the host had these.
      if (former.phase === "playing" || !former.round) state.tries.filter((attempt) => attempt.isAsked).forEach((attempt) => answer(attempt.text));
      if (former.phase !== "playing") stayAwake();
      break;
    case "hint": keepHints(state); break;
    case "refused": keepRound(state); break;
    case "answer":
      keepRound(state);
      if (standingOf(state) === "solved" && standingOf(former) !== "solved" && navigator.vibrate) navigator.vibrate([60, 40, 120]);
      break;
    case "closed":
      closeDown(message.code);
      if (!waitsForMatch(state)) break;
      // The last result stays in sight until there is a next match.
      if (message.code === "noMatch" && waitsForMatch(former)) state = former;
      link.timer = setTimeout(() => seek({ comesIn: true, place: null }), 5000);
      break;
  }
}

/** Whether this is a board without a match. It looks for the next one by itself, because nobody stands beside it to press something. */
const waitsForMatch = (state) => isBoard && state.phase === "closed" && ["finished", "noMatch"].includes(state.reason.code);

function closeDown(code) {
  link.isWanted = false;
  keep("joined", null, "sessionStorage");
  // Another tab has the seat, and its secret.
  if (code !== "replaced") keep("seat", null);
  if (code === "kicked" || code === "banned") keep("admission", null);
  if (code === "name") state = { ...blank(), reason: state.reason };
  if (code !== "admission") return;
  if (token()) useToken();
  else keep("admission", null);
  // The other one may be good.
  if (kept("admission")) join(kept("name") || "");
}

function leave() {
  send({ kind: "leaving" });
  hangUp();
  for (const key of ["seat", "hints"]) keep(key, null);
  keep("joined", null, "sessionStorage");
  state = blank();
  draw();
}

function act(action) {
  send({ kind: "act", number: state.round.number, action });
}

/** Acts, or says that there is no connection: what is not an answer is not sent later, when it may be wanted no longer. */
function actNow(action) {
  state = link.isWelcome ? { ...faulted(state, null), asksHint: "hint" in action } : faulted(state, "fault.offline");
  if (link.isWelcome) act(action);
  draw();
}

function answer(expression) {
  act({ answer: { expression } });
}

/** Called four times a second. Browsers do not show a WebSocket's own pings, so the page has some of its own. */
function tick() {
  const now = Date.now();
  const missed = now - link.tickedAt - 250;
  link.tickedAt = now;
  // A page that stood still has read nothing meanwhile: what came may be waiting.
  if (missed > 1000) {
    link.openedAt += missed;
    if (link.pingedAt) link.pingedAt += missed;
  }
  if (link.isWanted && link.socket && document.visibilityState === "visible") watch(now);
  if (link.isWelcome && seat && now - (seat.keptAt || 0) > 5000) {
    seat.keptAt = now;
    keepSeat(seat);
  }
  if (isGone !== hostIsGone(now)) draw();
  drawClocks(now);
  tell(now);
}

function watch(now) {
  if (link.socket.readyState !== WebSocket.OPEN) {
    if (now - link.openedAt > 6000) lose();
  } else if (link.pingedAt && now - link.pingedAt > 5000) {
    lose();
  } else if (!link.pingedAt && now - link.heardAt > 8000) {
    ping();
  }
}

function ping() {
  link.pingedAt = Date.now();
  send({ kind: "ping" });
}

/** The phone woke up, or has another network: what seems connected may not be. */
function wake() {
  if (!link.isWanted || document.visibilityState !== "visible") return;
  // Nobody could answer a phone that slept.
  link.answeredAt = Math.max(link.answeredAt, Date.now() - 10000);
  if (state.phase === "playing") stayAwake();
  if (!link.socket || link.socket.readyState !== WebSocket.OPEN) {
    link.attempt = Math.min(link.attempt, 1);
    connect();
  } else if (Date.now() - link.heardAt > 2000 && !link.pingedAt) {
    ping();
  }
}

/** Keeps the screen on where browsers allow it: only pages that came encrypted, or from this machine. */
function stayAwake() {
  if (navigator.wakeLock) navigator.wakeLock.request("screen").catch(() => {});
}

// MARK: Texts

let texts = {};
const byId = (id) => document.getElementById(id);

/** A text with its values; one that depends on `count` is there once for each form of the language's plural. */
function text(key, values = {}) {
  const form = "count" in values ? "." + new Intl.PluralRules(texts.language).select(values.count) : "";
  const pattern = texts[key + form] || texts[key + ".other"] || texts[key] || "";
  return pattern.replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));
}

/** A name that cannot disturb the direction of the text around it. */
const isolated = (name) => "\u2068" + name + "\u2069";
/** "Ada’s game", or the name of a server. */
const titleOf = (place) => (place.host ? text("title", { host: isolated(place.host) }) : isolated(place.name));
const points = (count) => text("points", { count });
const time = (seconds) => text("seconds", { seconds: seconds.toFixed(2) });

function localize() {
  document.documentElement.lang = texts.language;
  document.documentElement.dir = texts.direction || "ltr";
  for (const element of document.querySelectorAll("[data-text]")) element.textContent = text(element.dataset.text);
  for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", text(element.dataset.label));
  byId("help-lines").replaceChildren(...text("help").split("\n").map((line) => made("li", line)));
}

// MARK: Drawing

function made(kind, content, className) {
  const element = document.createElement(kind);
  if (content !== undefined) element.textContent = content;
  if (className) element.className = className;
  return element;
}

/** Sets a text only if it is another one, and returns whether it is: a live region would be read out again. */
function put(id, content) {
  const element = byId(id);
  const isOther = element.textContent !== content;
  if (isOther) element.textContent = content;
  return isOther;
}

function show(id, isShown) {
  if (byId(id).hidden === isShown) byId(id).hidden = !isShown;
}

/** Shows the entries of a live region: old ones stay untouched. */
function list(id, entries) {
  const element = byId(id);
  const keys = entries.map((entry) => String(entry.key));
  for (const child of Array.from(element.children)) if (!keys.includes(child.dataset.key)) child.remove();
  const present = Array.from(element.children).map((child) => child.dataset.key);
  for (const entry of entries.filter((entry) => !present.includes(String(entry.key)))) {
    const child = made(element.tagName === "UL" ? "li" : "p", entry.text);
    child.dataset.key = entry.key;
    element.append(child);
  }
}

let screen = null;
let isGone = false;

/** What is shown, for speech and sounds, and what was shown when they were last made. */
let viewed = null;

function viewOf(now) {
  const left = state.phase === "playing" && state.round.until !== null ? Math.ceil(Math.max(0, state.round.until - now) / 1000) : Infinity;
  return { state, screen, now, left, link: linkKey(), wait: screen === "wait" ? waitKey() : "", isWelcome: link.isWelcome };
}

/** Says and plays what has changed. */
function tell(now) {
  const view = viewOf(now);
  if (viewed) {
    say(sentences(viewed, view));
    if (isBoard) play(soundsFor(viewed, view));
  }
  viewed = view;
}

/** A phone without any network knows nothing about the host. */
const hostIsGone = (now) => seemsGone(link, now) && navigator.onLine !== false;

function draw() {
  const now = Date.now();
  isGone = hostIsGone(now);
  const next = screenOf(state, now, isGone);
  for (const name of ["enter", "wait", "play", "result", "end"]) show(name, name === next);
  put("link", text(linkKey()));
  // A server may have the name of the game.
  const title = place && (place.host || place.name !== "TwentyFour") ? titleOf(place) : "";
  put("room", title);
  document.title = title ? title + " · TwentyFour" : "TwentyFour";
  put("place", placeLine());
  show("leave", link.isWanted && aim.comesIn && !isBoard);
  ({ enter: drawEntry, wait: drawWaiting, play: drawRound, result: drawResult, end: drawEnd })[next]();
  drawStandings(next);
  list("news", state.news.map((entry) => ({ key: entry.id, text: newsLine(entry) })));
  show("news-part", state.news.length > 0 && next !== "end");
  if (screen !== next) arrive(next);
  drawClocks(now);
  tell(now);
}

/** Moves to a new screen, and the focus with it if what had it is gone. */
function arrive(next) {
  const isFirst = screen === null;
  screen = next;
  if (isFirst) return;
  window.scrollTo(0, 0);
  const active = document.activeElement;
  if (active && active !== document.body && active.getClientRects().length) return;
  // Who has a keyboard goes on typing, and a name that was refused is there to be changed.
  const types = next === "play" && byId("typing").open && matchMedia("(pointer: fine)").matches && standingOf(state) === "guessing";
  byId(types ? "typed" : next === "enter" && state.reason ? "name" : next + "-title").focus({ preventScroll: true });
}

/** The key of what is wrong with the connection; "" if nothing is. */
function linkKey() {
  if (!link.isWanted) return "";
  if (state.phase === "closed") return isGone || link.attempt > 2 ? "link.none" : waitsForMatch(state) ? "" : "link.looking";
  if (link.isHeard || link.attempt === 0) return "";
  return isGone ? "link.gone" : state.room || state.phase === "approval" ? "link.broken" : "link.silent";
}

function placeLine() {
  const round = state.phase === "pausing" ? state.result : state.round;
  const parts = [];
  if (round && ["playing", "pausing"].includes(state.phase)) {
    parts.push(roundLine(round, state.rules));
  }
  if (state.me) parts.push(isolated(state.me.name));
  return parts.join(" · ");
}

const roundLine = ({ number }, { rounds }) => text(rounds ? "round.of" : "round", { number, rounds });

/** How much time there is for each round; "" for the usual time. */
const timeLine = ({ time, roundSeconds }) => (time ? text("time." + time, { seconds: roundSeconds }) : "");

function newsLine(entry) {
  return text(entry.key, { name: isolated(entry.name), time: entry.seconds === undefined ? "" : time(entry.seconds) });
}

function drawEntry() {
  put("enter-other", state.former ? text("enter.other", { former: state.former, room: titleOf(place) }) : "");
  put("name-error", state.reason ? state.reason.text : "");
  byId("name").setAttribute("aria-invalid", String(Boolean(state.reason)));
}

/** What is waited for. */
function waitKey() {
  const isBroken = link.isWanted && !link.isHeard && link.attempt > 0 && state.room;
  return isGone ? "gone" : isBroken ? "away" : state.phase === "joining" ? "joining" : state.phase === "approval" ? "approval" : state.missing > 0 ? "missing"
    : !isGuessed(state) ? "gathering" : { solved: "solved", gaveUp: "gaveUp" }[standingOf(state)] || "running";
}

function waitLine(key, state, now) {
  const line = own(state);
  const seconds = Math.max(0, Math.ceil((state.until - now) / 1000));
  return text("wait." + key, { count: state.missing, time: line && line.seconds ? time(line.seconds) : "", seconds });
}

function drawWaiting() {
  const key = waitKey();
  // A board is not in.
  put("wait-title", text("wait." + (isBoard && key === "missing" ? "gathering" : key) + ".title"));
  put("wait-text", waitLine(key, state, Date.now()));
  put("wait-time", ["missing", "gathering"].includes(key) ? timeLine(state.rules) : "");
}

function drawRound() {
  drawNumbers("shown", state.round.hand);
  const standing = standingOf(state);
  const isGuessing = standing === "guessing" && !isBoard;
  const wasGuessing = !byId("pad").hidden;
  for (const id of ["hand", "pad", "more"]) show(id, isGuessing);
  show("shown", !isGuessing);
  show("done", !isGuessing && !isBoard);
  if (isGuessing) drawPad();
  else drawDone(standing);
  if (wasGuessing && !isGuessing && !isBoard && screen === "play") byId("done").focus({ preventScroll: true });
  list("hints", state.hints.map((hint) => ({ key: state.round.number + "." + hint.step, text: hintLine(hint) })));
}

/** The numbers for those who only look on. */
function drawNumbers(id, hand) {
  if (byId(id).dataset.hand === String(hand)) return;
  byId(id).dataset.hand = String(hand);
  byId(id).replaceChildren(...hand.map((number) => made("li", String(number))));
}

function drawPad() {
  const { cards } = state.round;
  Array.from(byId("hand").children).forEach((button, index) => drawCard(button, cards.slots[index], cards.chosen === index));
  for (const button of byId("signs").children) {
    button.setAttribute("aria-pressed", String(button.dataset.sign === cards.sign));
  }
  const last = state.tries[state.tries.length - 1];
  const line = cards.fault ? text(cards.fault) : last ? outcomeLine(last) : "";
  // Beside what was typed: a keyboard on the screen leaves no room for both places.
  const place = last && last.isTyped && !cards.fault && byId("typing").open ? "typed-outcome" : "outcome";
  const isMoved = ["outcome", "typed-outcome"].map((id) => {
    byId(id).classList.toggle("asked", Boolean(!cards.fault && last && last.isAsked));
    return put(id, id === place ? line : "");
  });
  if (isMoved[1] && document.activeElement === byId("typed")) byId("typed").scrollIntoView({ block: "nearest" });
  const isUsed = state.hints.length >= 3;
  byId("hint").disabled = isUsed;
  put("hint", text(isUsed ? "hint.none" : "hint"));
}

function drawCard(button, card, isChosen) {
  button.disabled = !card;
  button.className = card ? "card" : "card none";
  button.setAttribute("aria-pressed", String(isChosen));
  const number = card ? written(card.value) : "";
  const source = card && card.level !== NUMBER ? pretty(card.text) : "";
  button.setAttribute("aria-label", !card ? text("card.none") : source ? text("card.made", { number, source }) : number);
  if (button.dataset.content === number + source) return;
  button.dataset.content = number + source;
  button.replaceChildren(made("span", number), ...(source ? [made("small", source)] : []));
}

function outcomeLine(attempt) {
  // A reason may name a column of what was typed.
  const expression = attempt.isTyped ? isolated(attempt.text) : pretty(attempt.text);
  if (attempt.isAsked) return text(link.isWelcome ? "outcome.asked" : "outcome.kept", { expression });
  return attempt.text ? text("outcome.refused", { expression, reason: attempt.reason }) : attempt.reason;
}

function drawDone(standing) {
  const line = own(state);
  const right = state.tries.find((attempt) => attempt.seconds !== undefined);
  const seconds = right ? right.seconds : line ? line.seconds : undefined;
  put("done-title", text("done." + standing, { time: seconds === undefined ? "" : time(seconds) }));
  put("done-text", right && right.text ? equation(right.text) : text("done.others"));
}

function hintLine(hint) {
  const values = {
    expression: pretty(hint.expression || "").replace(/ /g, "\u00a0"), left: hint.left, sign: signs[hint.operation], right: hint.right,
  };
  const about = text(hint.step === 1 ? "hint.1." + hint.operation : "hint." + hint.step, values);
  return text("hint.line", { number: hint.step, points: points(hint.cost), hint: about });
}

function drawResult() {
  const { result } = state;
  drawNumbers("result-hand", result.hand);
  put("result-title", text("result.title", { number: result.number }));
  put("result-solution", equation(result.solution));
  put("result-own", ownResultLine(state));
}

function ownResultLine(state) {
  const line = own(state);
  const won = state.me && state.won[state.me.id];
  if (!line) return "";
  if (line.status === "solved") return text("result.solved", { time: time(line.seconds), points: points(won === undefined ? line.points : won) });
  return text(line.status === "outOfTime" && state.result.isEarly ? "result.ended" : "result." + line.status);
}

function drawEnd() {
  const isOpen = state.phase === "over";
  const { code, text: sentence } = isOpen ? { code: "finished", text: text("end.open") } : state.reason;
  put("end-title", text("closed." + code) || text("closed"));
  const waits = waitsForMatch(state);
  put("end-text", code === "finished" && !isOpen ? "" : waits ? text("board.next") : sentence);
  put("end-winner", winnerLine(state));
  put("end-solution", state.result ? text("end.solution", { number: state.result.number, solution: equation(state.result.solution) }) : "");
  const isFinal = isOpen || ["banned", "version", "admission", "passcode"].includes(code);
  // While it looks for a room, there is nothing to press.
  show("again", !isFinal && !link.isWanted && !waits);
  put("again", code === "otherRoom" && place ? text("again.other", { room: titleOf(place) })
    : text({ replaced: "again.here", hostLeft: "again.look" }[code] || (state.room ? "again" : "again.try")));
}

/** Who has won; "" if nobody has. */
function winnerLine(state) {
  const best = keepsStandings(state) ? winners(state.standings) : [];
  return !best.length ? "" : best.length > 1 ? text("win.tie", { names: namesOf(best), points: points(best[0].points) })
    : state.me && best[0].player.id === state.me.id ? text("win.you", { points: points(best[0].points) })
    : text("win", { name: isolated(best[0].player.name), points: points(best[0].points) });
}

/** "Ada, Bo and Cy (you)" */
function namesOf(lines) {
  const names = lines.map(({ player }) => isolated(player.name) + (state.me && player.id === state.me.id ? " " + text("you") : ""));
  return new Intl.ListFormat(texts.language, { type: "conjunction" }).format(names);
}

function drawStandings(screen) {
  const isEnd = screen === "end";
  show("standings", state.standings.length > 0 && (isEnd ? keepsStandings(state) : screen !== "enter"));
  if (byId("standings").hidden) return;
  put("standings-status", text(isEnd ? "standings.best" : "standings.status"));
  const lines = isEnd || screen === "result" ? state.standings.slice().sort((a, b) => b.points - a.points) : state.standings;
  // A television does not scroll.
  const limit = !isBoard ? lines.length : lines.length > 12 ? 11 : 12;
  byId("lines").replaceChildren(...lines.slice(0, limit).map((line) => standingLine(line, isEnd, screen === "result")));
  put("lines-more", lines.length > limit ? text("standings.more", { count: lines.length - limit }) : "");
  if (isBoard) fit();
}

/** Makes the lines of the board smaller, and then cuts names from below, only as far as they do not fit. */
function fit() {
  const root = document.documentElement;
  const isTooHigh = () => root.scrollHeight > innerHeight;
  root.classList.remove("crowded");
  root.classList.toggle("crowded", isTooHigh());
  for (const row of Array.from(byId("lines").children).reverse()) row.classList.toggle("cut", isTooHigh());
}

function standingLine(line, isEnd, isResult) {
  const isMe = state.me && line.player.id === state.me.id;
  const row = made("tr", undefined, [isMe ? "me" : "", line.away ? "away" : line.status === "solved" && !isEnd ? "solved" : ""].join(" "));
  const name = made("td");
  name.append(made("bdi", line.player.name));
  if (isMe) name.append(" ", made("small", text("you")));
  const status = line.away ? text("status.away") : line.status === "solved" ? time(line.seconds) : text("status." + line.status);
  const best = line.best === undefined ? "–" : time(line.best);
  const total = made("td", String(line.points));
  const won = state.won[line.player.id];
  if (isResult && won > 0) total.prepend(made("span", "+" + won, "won"), " ");
  row.append(name, made("td", isEnd ? best : status), total);
  // Where the style makes other boxes of them, they are a table still.
  row.setAttribute("role", "row");
  for (const cell of row.children) cell.setAttribute("role", "cell");
  return row;
}

// MARK: Clocks

function drawClocks(now) {
  if (screen === "play" && state.phase === "playing") {
    const { until, total } = state.round;
    const left = Math.max(0, until - now);
    byId("clock").classList.toggle("endless", until === null);
    drawClock("clock", until === null ? total : left, total, until === null ? text("clock.none") : text("clock.left", { seconds: Math.ceil(left / 1000) }));
    if (screenOf(state, now, isGone) !== "play") draw();
  } else if (screen === "result" && state.result) {
    const { until, total, number } = state.result;
    show("pause", until !== null);
    const seconds = Math.max(0, Math.ceil((until - now) / 1000));
    const line = state.missing > 0 ? text("wait.missing", { count: state.missing }) : text("pause.next", { number: number + 1, seconds });
    if (until !== null) drawClock("pause", Math.max(0, until - now), total, line);
  } else if (screen === "wait" && state.phase === "approval" && link.isHeard) {
    put("wait-text", waitLine("approval", state, now));
  }
}

function drawClock(id, left, total, line) {
  byId(id + "-bar").style.transform = "scaleX(" + (total > 0 ? Math.min(1, left / total).toFixed(4) : 0) + ")";
  put(id + "-text", line);
  byId(id).classList.toggle("short", id === "clock" && left < Math.min(10000, total / 4));
}

// MARK: Input

function change(cards) {
  const former = state.round.cards;
  state = { ...state, round: { ...state.round, cards } };
  const card = cards.past.length > former.past.length && cards.slots.find((slot, index) => slot && slot !== former.slots[index]);
  if (card) say([{ text: text("card.made", { number: written(card.value), source: pretty(card.text) }) }]);
  keepRound(state);
  if (card && whole(cards)) submit(whole(cards));
  draw();
}

function submit(expression, isTyped = false) {
  state = asked(state, expression, isTyped);
  keepRound(state);
  answer(expression);
  draw();
}

/** A button that must be pressed twice, because the first time may be a slip. */
function onSecondPress(id, action) {
  const button = byId(id);
  let timer = 0;
  const rest = () => {
    clearTimeout(timer);
    timer = 0;
    button.className = "";
    button.textContent = text(button.dataset.text);
  };
  button.addEventListener("click", () => {
    if (timer) {
      rest();
      action();
      return;
    }
    button.className = "sure";
    button.textContent = text(button.dataset.text + ".sure");
    timer = setTimeout(rest, 5000);
  });
}

function listen() {
  byId("enter-form").addEventListener("submit", (event) => {
    event.preventDefault();
    join(byId("name").value.trim());
    draw();
  });
  Array.from(byId("hand").children).forEach((button, index) => {
    button.addEventListener("click", () => change(tapped(state.round.cards, index)));
  });
  for (const button of byId("signs").children) {
    button.addEventListener("click", () => change(signed(state.round.cards, button.dataset.sign)));
  }
  byId("undo").addEventListener("click", () => change(undone(state.round.cards)));
  byId("clear").addEventListener("click", () => change(cleared(state.round.cards)));
  byId("hint").addEventListener("click", () => actNow({ hint: {} }));
  onSecondPress("give-up", () => actNow({ giveUp: {} }));
  onSecondPress("leave", leave);
  byId("typing-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const expression = byId("typed").value.trim();
    if (expression) submit(expression, true);
    byId("typed").select();
  });
  byId("typing").addEventListener("toggle", draw);
  byId("again").addEventListener("click", () => {
    // What was there before stays in sight until there is something new.
    if (state.reason && state.reason.code === "hostLeft") look(place && place.id);
    else join(kept("name") || "");
    draw();
    if (screen === "end") byId("end-title").focus({ preventScroll: true });
  });
  // Another code was scanned, and the browser has shown it in the same tab.
  addEventListener("hashchange", () => {
    if (token() && ["enter", "closed"].includes(state.phase)) look();
  });
  // A keyboard on the screen hides the lower part, and some browsers scroll the page below what sticks to its top.
  if (window.visualViewport) {
    for (const event of ["resize", "scroll"]) {
      visualViewport.addEventListener(event, () => {
        const { offsetTop, scale } = visualViewport;
        document.documentElement.style.setProperty("--top", (scale > 1.01 ? 0 : Math.max(0, offsetTop)) + "px");
      });
    }
  }
  // What fits is another matter then.
  if (isBoard) addEventListener("resize", draw);
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  addEventListener("pageshow", wake);
  addEventListener("offline", () => { if (link.isWanted) lose(); });
}

/** Fetches the texts, as often as it takes, and begins: a player who was in the room comes back, another one is asked for a name. */
async function begin(attempt = 1) {
  try {
    const response = await fetch("/texts.json");
    if (!response.ok) throw new Error(response.status);
    texts = await response.json();
  } catch {
    setTimeout(() => begin(attempt + 1), delayBefore(attempt, Math.random()));
    return;
  }
  localize();
  listen();
  listenForSound();
  byId("name").value = kept("name") || "";
  byId("typing").open = matchMedia("(hover: hover) and (pointer: fine)").matches;
  if (isBoard) document.documentElement.classList.add("board");
  state = { ...blank(), phase: "joining" };
  seat = isBoard ? null : keptSeat(Date.now());
  seek({ comesIn: isBoard || Boolean(seat && kept("name")), place: seat ? seat.place : null });
  draw();
  setInterval(tick, 250);
}

begin();
