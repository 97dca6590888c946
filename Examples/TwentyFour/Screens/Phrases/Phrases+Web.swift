import TwentyFour

/// The texts of the page for browsers, which gets them as JSON.
///
/// `{name}` stands for a value. A text that depends on a count is there once for each form that the language's plural has, by the
/// names of Unicode's CLDR: `.one`, `.other` and so on. `direction` is `ltr` or `rtl`.
extension Phrases {
  static let web: [String: String] = webPage.merging(webRounds) { $1 }.merging(webEnds) { $1 }

  private static let webPage = [
    "language": "en",
    "direction": "ltr",
    "goal": "Make 24 with all four numbers, using +\u{A0}−\u{A0}×\u{A0}÷\u{A0}(\u{A0}).",
    "points.one": "1 point",
    "points.other": "{count} points",
    "seconds": "{seconds}\u{A0}s",
    "you": "(you)",
    "title": "{host}’s game",
    "round": "Round {number}",
    "round.of": "Round {number} of {rounds}",

    "enter.title": "Who plays?",
    "enter.name": "Your name, as the others see it",
    "enter.play": "Play",
    "enter.other": "You were in {former}. This is another room: {room}.",
    "sound": "Sound (S)",
    "sound.waiting": "Sound: touch the page",
    "leave": "Leave the room",
    "leave.sure": "Leave? Press again",
    "board.next": "The next match is shown as soon as it begins.",
    "board.scan": "To play: scan the code on the host’s screen.",

    "link.broken": "The connection broke. Coming back …",
    "link.silent": "The room does not answer. Trying again …",
    "link.gone": "The host does not answer any more and seems to be gone. Still trying …",
    "link.looking": "Looking for a room …",
    "link.none": "No room answers here. Still trying …",

    "time.1.5": "1.5 times the time: {seconds}\u{A0}s for each round.",
    "time.2": "Twice the time: {seconds}\u{A0}s for each round.",
    "time.none": "No time limit: a round ends when everybody has answered or given up.",

    "wait.joining.title": "Joining the room …",
    "wait.joining": "",
    "wait.away.title": "Coming back to the room …",
    "wait.away": "The standing is from before the connection broke.",
    "wait.gone.title": "The host seems to be gone",
    "wait.gone": "No answer came for 20 s. If the host comes back, this page does, too; a new room has a new code.",
    "wait.approval.title": "The host decides whether you may come in",
    "wait.approval": "An answer comes within {seconds} s.",
    "wait.missing.title": "You are in",
    "wait.missing.one": "One more player is needed to begin.",
    "wait.missing.other": "{count} more players are needed to begin.",
    "wait.gathering.title": "Get ready",
    "wait.gathering": "The next round begins soon; others may still come.",
    "wait.running.title": "A round is running",
    "wait.running": "You play in the next one.",
    "wait.solved.title": "You have it, after {time}",
    "wait.solved": "You solved this round after {time}; the others go on.",
    "wait.gaveUp.title": "You gave up",
    "wait.gaveUp": "The others go on.",

    "standings.title": "Standing",
    "standings.player": "Player",
    "standings.status": "This round",
    "standings.points": "Points",
    "standings.best": "Best time",
    "standings.more": "and {count} more",
    "status.guessing": "guessing",
    "status.joinedAndGuessing": "joined, guessing",
    "status.waiting": "waiting",
    "status.gaveUp": "gave up",
    "status.outOfTime": "out of time",
    "status.away": "away",

    "news": "News",
    "news.joined": "{name} came.",
    "news.left": "{name} left.",
    "news.away": "{name} is away; the seat is kept for a while.",
    "news.back": "{name} is back.",
    "news.held": "The server holds the match for a moment; your answers are kept.",
    "news.answer": "{name} has it, after {time}.",

    "help.title": "How to play",
    "help": """
    Tap a number, a sign and another number: the result takes their place. After three steps the answer is sent.
    Use each number exactly once. Fractions such as 8/3 are fine.
    A solution is worth 10 points, and up to 10 more the sooner you have it.
    A hint costs \(points(Match.Rules().hintCost)); at least 1 point is left for a solution.
    A wrong answer costs nothing: try as often as you like.
    """,
  ]

  private static let webRounds = [
    "play.title": "Make 24 with all four numbers",
    "clock": "Time left",
    "clock.left": "{seconds}\u{A0}s",
    "clock.none": "No time limit.",
    "clock.spoken": "{seconds} seconds left",
    "hand": "The numbers",
    "signs": "The signs",
    "sign.plus": "plus",
    "sign.minus": "minus",
    "sign.times": "times",
    "sign.over": "divided by",
    "card.none": "used",
    "card.made": "{number}, from {source}",
    "undo": "Undo",
    "clear": "Start over",
    "fault.zero": "That divides by zero.",
    "fault.choose": "Choose a number first, then a sign.",
    "fault.offline": "There is no connection to the room. Press again when it is back.",
    "fault.hint": "The connection broke before the hint came. Ask again.",
    "outcome.asked": "{expression}: asking the room …",
    "outcome.kept": "{expression}: goes to the room when the connection is back.",
    "outcome.refused": "{expression}: {reason}",

    "hints": "Your hints",
    "hint": "Hint\u{A0}(−\(Match.Rules().hintCost))",
    "hint.none": "No more hints",
    "hint.line": "Hint {number}, for {points}: {hint}",
    "hint.1.+": "The last thing to do is to add.",
    "hint.1.-": "The last thing to do is to subtract.",
    "hint.1.*": "The last thing to do is to multiply.",
    "hint.1./": "The last thing to do is to divide.",
    "hint.2": "Begin with {expression}.",
    "hint.3": "The last step is {left}\u{A0}{sign}\u{A0}{right}.",
    "giveUp": "Give up",
    "giveUp.sure": "Give up? Press again",

    "typing.title": "Type the answer",
    "typing.label": "Your answer, such as 8*(9/(5-2))",
    "typing.send": "Send",

    "done": "Your round",
    "done.solved": "You have it, after {time}!",
    "done.gaveUp": "You gave up; the others go on.",
    "done.waiting": "A round is running; you play in the next one.",
    "done.outOfTime": "The time is up.",
    "done.others": "The solution comes at the end of the round.",
  ]

  private static let webEnds = [
    "result.title": "A solution of round {number}",
    "result.solved": "You had it after {time}: {points}.",
    "result.gaveUp": "You gave up.",
    "result.outOfTime": "The time was up.",
    "result.ended": "The round was ended before you answered.",
    "result.waiting": "You play in the next round.",
    "pause": "Time until the next round",
    "pause.next": "Round {number} begins in {seconds}\u{A0}s",

    // Only said to those who do not see the page.
    "said.back": "The connection is back.",
    "said.round": "{round}: {numbers}. {limit}",
    "said.seconds.one": "1 second.",
    "said.seconds.other": "{count} seconds.",
    "said.result": "Round {number} is over. {solution}.",
    "said.over": "That was the last round.",

    "win": "{name} wins with {points}!",
    "win.you": "You win with {points}!",
    "win.tie": "{names} win with {points} each.",
    "end.solution": "A solution of round {number}:\n{solution}",
    "end.open": "The host may play again.",
    "end.other": "{former} is gone. At its address is {room} now.",
    "end.admission": "Scan the code on the host’s screen again: each code lets one phone in.",
    "again": "Join again",
    "again.try": "Try again",
    "again.here": "Play here",
    "again.look": "Look for another room here",
    "again.other": "Join {room}",

    "closed": "You are not in the room",
    "closed.finished": "The game is over",
    "closed.hostLeft": "The room is closed",
    "closed.full": "The room is full",
    "closed.kicked": "You were removed",
    "closed.banned": "You were banned",
    "closed.locked": "The room is locked",
    "closed.notApproved": "The host said no",
    "closed.unanswered": "Nobody answered",
    "closed.otherRoom": "Another room is here now",
    "closed.noMatch": "No match yet",
    "closed.replaced": "You play in another window",
    "closed.takenOver": "Your seat was taken over",
    "closed.share": "Too many from here",
    "closed.tooFast": "Too fast",
    "closed.version": "The page is out of date",
    "closed.admission": "Scan the code again",
    "closed.passcode": "Scan the code again",
  ]
}
