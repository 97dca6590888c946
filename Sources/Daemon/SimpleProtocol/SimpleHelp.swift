/// What `HELP` answers.
enum SimpleHelp {
  static let text = """
    + One command a connection:
    + RESOLVE-HOSTNAME NAME, RESOLVE-HOSTNAME-IPV4 NAME, RESOLVE-HOSTNAME-IPV6 NAME
    + RESOLVE-ADDRESS ADDRESS

    """
}
