import Foundation

// A reader of our output that goes away is an error of `write`, which ends us quietly, and no signal.
signal(SIGPIPE, SIG_IGN)
exit(Mayday.run(Array(CommandLine.arguments.dropFirst()), Console()).rawValue)
