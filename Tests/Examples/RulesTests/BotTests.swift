import Testing
import TwentyFour

struct BotTests {
  @Test func `answers correctly within the time, or gives up now and then`() throws {
    var bot = Bot(generator: SeededGenerator(seed: 7))
    var dealer = SeededGenerator(seed: 8)
    var surrenders = 0
    for _ in 0..<60 {
      let hand = Hand.random(using: &dealer)
      let move = bot.move(for: hand, remaining: .seconds(50))
      #expect(.seconds(5)...(.seconds(35)) ~= move.thinkingTime)
      switch move.choice {
      case .answer(let expression): #expect(try Answer(expression, to: hand).expression == expression)
      case .giveUp: surrenders += 1
      }
    }
    #expect(1...20 ~= surrenders)
  }

  @Test func `decides the same for the same seed`() {
    var bot = Bot(generator: SeededGenerator(seed: 7))
    var twin = Bot(generator: SeededGenerator(seed: 7))
    let hand = Hand(.one, .two, .three, .four)
    for _ in 0..<5 {
      #expect(bot.move(for: hand, remaining: .seconds(5)) == twin.move(for: hand, remaining: .seconds(5)))
    }
  }

  @Test func `gives up what cannot be solved`() {
    var bot = Bot(generator: SeededGenerator(seed: 7))
    for _ in 0..<5 {
      #expect(bot.move(for: Hand(.one, .one, .one, .one), remaining: .seconds(5)).choice == .giveUp)
    }
  }
}
