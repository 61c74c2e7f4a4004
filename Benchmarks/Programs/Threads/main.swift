// Makes as many threads as its argument says, and prints what they took.

import ThreadTimes

printThreadTimes(Int(CommandLine.arguments[1]) ?? 1)
