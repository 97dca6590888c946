await HostMode(of: CommandLine.arguments.dropFirst()).run()
