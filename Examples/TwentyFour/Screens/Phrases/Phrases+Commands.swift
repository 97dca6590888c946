/// What each program does, in a sentence, and what its examples do; and what is wrong with a command line.
extension Phrases {
  public enum Commands {
    public static let join = "Joins a room for TwentyFour."
    public static let chooses = "choose from the open rooms, or host one"
    public static let joinsOne = "join a certain room"
    public static let botJoins = "let the program play in any room"
    public static let practises = "practise alone"
    public static let host = "Opens a room for TwentyFour, and plays in it."
    public static let opens = "open \"Ada's game\" for everyone on the network"
    public static let botHosts = "let the program play three rounds for you"
    public static let hostsWithPasscode = "let in only those to whom you tell the six digits on your screen"
    public static let givesTime = "give everybody twice the time; with none, as much as they need"
    public static let letsPhonesIn = "let phones in, too: the key w shows the code that they scan"
    public static let continues = "continue the evening after a restart"
    public static let server = "Runs a server of many matches of TwentyFour."
    public static let usualServer = "100 matches of 2 to 16 players, on port 1955"
    public static let serverWithPasscode = "only for those who know the passcode"
    public static let shortMatches = "short matches of four players, with a leaderboard"
    public static let administration = "Sends a command to an open match server."
    public static let lists = "the matches and their players"
    public static let bans = "ban player 2 of match 7"
    public static let results = "Shows the best players of a host, or its latest matches."
    public static let best = "the best players of all recorded matches"
    public static let fastest = "the fastest players of a results file"
    public static let joinedResults = "Shows the best players of several servers, or their latest matches."
    public static let bestOfGroup = "the best players of a group of two servers"
    public static let latestOfAll = "the latest matches of all servers, for a program"
  }

  public static let oneRoom = "ROOM, --any, --connect and --practice exclude each other; give one of them"
  public static let linkOfInsecureRoom = "--insecure and a link exclude each other"
  public static func roundIsTooLong(_ time: String) -> String {
    "--round-seconds with --time \(time) is longer than 86400 seconds; give less"
  }
}
