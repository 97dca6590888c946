// The sounds of the board. They are made here and not loaded, and off until somebody switches them on: browsers are silent before a touch.
"use strict";

/** The notes of each sound: the frequency in hertz, and when each begins and how long it lasts, in seconds. */
const notes = {
  round: [[523, 0, .15], [784, .15, .3]],
  solved: [[1047, 0, .1], [1319, .1, .25]],
  ten: [[880, 0, .08], [880, .16, .08], [880, .32, .08]],
  over: [[784, 0, .15], [523, .15, .35]],
  match: [[523, 0, .15], [659, .15, .15], [784, .3, .15], [1047, .45, .6]],
};

/** The sounds for a change from one view to the next (see speech.js), in their order. */
function soundsFor(before, after) {
  const sounds = [];
  if (freshNews(before, after).some((entry) => entry.key === "news.answer")) sounds.push("solved");
  if (isNewRound(before, after)) sounds.push("round");
  if (after.screen === "play" && passedMark(before, after, [10])) sounds.push("ten");
  if (after.state.result && after.state.result !== before.state.result) sounds.push("over");
  const isOver = ({ state }) => state.phase === "over" || Boolean(state.reason) && state.reason.code === "finished";
  if (isOver(after) && !isOver(before)) sounds.push("match");
  return sounds;
}

let audio = null;
let playedUntil = 0;

const soundIsOn = () => kept("sound", "sessionStorage") === true;

/** Plays sounds one after the other; nothing if they are off. */
function play(sounds) {
  if (!soundIsOn() || !audio || audio.state !== "running") return;
  for (const sound of sounds) {
    const start = Math.max(audio.currentTime, playedUntil);
    for (const [frequency, at, length] of notes[sound]) playNote(frequency, start + at, length);
    const [, at, length] = notes[sound][notes[sound].length - 1];
    playedUntil = start + at + length;
  }
}

function playNote(frequency, start, length) {
  const oscillator = audio.createOscillator();
  const volume = audio.createGain();
  oscillator.type = "triangle";
  oscillator.frequency.value = frequency;
  // Without steps, which would click.
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(.25, start + .01);
  volume.gain.linearRampToValueAtTime(0, start + length);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + length);
}

/** Switches the sounds on or off, for this tab. */
function switchSound() {
  keep("sound", soundIsOn() ? null : true, "sessionStorage");
  wakeSound().then(() => play(["round"]));
  drawSound();
}

/** Lets the browser play, which it may refuse before a touch. */
async function wakeSound() {
  if (!soundIsOn() || !window.AudioContext) return;
  audio = audio || new AudioContext();
  audio.onstatechange = drawSound;
  if (audio.state !== "running") await audio.resume();
}

function drawSound() {
  const isOn = soundIsOn();
  show("sound", isBoard && Boolean(window.AudioContext));
  byId("sound").setAttribute("aria-pressed", String(isOn));
  put("sound", text(isOn && (!audio || audio.state !== "running") ? "sound.waiting" : "sound"));
}

function listenForSound() {
  if (!isBoard) return;
  byId("sound").addEventListener("click", switchSound);
  addEventListener("keydown", (event) => {
    const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.repeat;
    if (isPlain && event.key.toLowerCase() === "s" && event.target.tagName !== "INPUT") switchSound();
  });
  // After a reload, any touch will do.
  for (const event of ["pointerdown", "keydown"]) addEventListener(event, () => { wakeSound(); });
  drawSound();
}
