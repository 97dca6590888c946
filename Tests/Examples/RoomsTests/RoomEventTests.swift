import Foundation
import Rooms
import Testing
import TwentyFour

struct RoomEventTests {
  typealias Sample = RoomMessageTests

  @Test(
    arguments: [
      (
        .open(room: Sample.room, player: Sample.ada, rules: Sample.rules),
        #"{"event":"open","player":"Ada","room":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","#
          + #""rules":{"pauseSeconds":10,"roundSeconds":100}}"#
      ),
      (
        .open(room: Sample.room, player: nil, rules: RoomRules(Match.Rules(roundDuration: .seconds(5), rounds: 3))),
        #"{"event":"open","room":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","#
          + #""rules":{"pauseSeconds":10,"roundSeconds":5,"rounds":3}}"#
      ),
      (.joined(Sample.bob), #"{"event":"joined","player":"Bob \"the\" 李"}"#),
      (.left(Sample.ada), #"{"event":"left","player":"Ada"}"#),
      (.away(Sample.ada), #"{"event":"away","player":"Ada"}"#),
      (.back(Sample.ada), #"{"event":"back","player":"Ada"}"#),
      (.missing(1), #"{"count":1,"event":"missing"}"#),
      (.hint(.lastOperation(.times), cost: 2), #"{"cost":2,"event":"hint","operation":"*","step":1}"#),
      (
        .hint(.firstStep(try! TwentyFour.Expression("5-2")), cost: 2),
        #"{"cost":2,"event":"hint","expression":"5-2","step":2}"#
      ),
      (
        .hint(.lastStep(Rational(72), .over, Rational(3)), cost: 2),
        #"{"cost":2,"event":"hint","left":"72","operation":"/","right":"3","step":3}"#
      ),
      (.reconnecting(attempt: 2, in: .milliseconds(1500)), #"{"attempt":2,"event":"reconnecting","seconds":1.5}"#),
      (.resumed, #"{"event":"resumed"}"#),
      (.asked(Sample.ada), #"{"event":"asked","number":1,"player":"Ada"}"#),
      (.rule(.kick(Sample.ada.id), Sample.ada), #"{"event":"rule","number":1,"player":"Ada","rule":"kick"}"#),
      (.rule(.lock(false), nil), #"{"event":"rule","rule":"unlock"}"#),
      (.waiting(.seconds(60)), #"{"event":"waiting","seconds":60}"#),
      (
        .round(Match.Deal(number: 2, hand: Sample.hand, remaining: .seconds(5))),
        #"{"event":"round","hand":[8,9,2,5],"number":2,"seconds":5}"#
      ),
      (
        .round(Match.Deal(number: 2, hand: Sample.hand, remaining: .seconds(3_600), isLimited: false)),
        #"{"event":"round","hand":[8,9,2,5],"limited":false,"number":2,"seconds":3600}"#
      ),
      (
        .open(room: Sample.room, player: nil, rules: RoomRules(Match.Rules(time: .half))),
        #"{"event":"open","room":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","#
          + #""rules":{"pauseSeconds":10,"roundSeconds":150,"time":"1.5"}}"#
      ),
      (.rule(.next, nil), #"{"event":"rule","rule":"next"}"#),
      (.answer(Sample.ada, time: .nanoseconds(12_340_400_000)), #"{"event":"answer","player":"Ada","seconds":12.34}"#),
      (
        .refused(RoomReason(.wrongValue, "That is 22, not 24.")),
        #"{"event":"refused","reason":"wrongValue","text":"That is 22, not 24."}"#
      ),
      (
        .standings(Array(Sample.standings.prefix(2))),
        #"{"event":"standings","standings":[{"number":1,"player":"Ada","points":38,"seconds":12.34,"status":"solved"},"#
          + #"{"number":2,"player":"Bob \"the\" 李","points":0,"status":"guessing"}]}"#
      ),
      (
        .standings([Sample.standings[6]]),
        #"{"event":"standings","standings":[{"away":true,"best":12.34,"hints":3,"number":2,"player":"Bob \"the\" 李","#
          + #""points":5,"status":"guessing"}]}"#
      ),
      (
        .roundEnded(
          Match.RoundResult(
            number: 2, hand: Sample.hand, solution: Sample.solution, standings: [Sample.standings[5]], pause: .seconds(1))),
        #"{"event":"roundEnded","hand":[8,9,2,5],"number":2,"pause":1,"solution":"8*9/(5-2)","standings":["#
          + #"{"number":2,"player":"Bob \"the\" 李","points":4,"status":"outOfTime"}]}"#
      ),
      (.matchEnded, #"{"event":"matchEnded"}"#), (.matchBegan(number: 2), #"{"event":"matchBegan","number":2}"#),
      (.rule(.again, nil), #"{"event":"rule","rule":"again"}"#),
      (
        .closed(RoomReason(.hostLeft, "The host closed\nthe room.")),
        #"{"event":"closed","reason":"hostLeft","text":"The host closed\nthe room."}"#
      ),
    ] as [(RoomEvent, String)])
  func `is one line of JSON as documented`(event: RoomEvent, json: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(String(decoding: try encoder.encode(event), as: UTF8.self) == json)
  }
}
