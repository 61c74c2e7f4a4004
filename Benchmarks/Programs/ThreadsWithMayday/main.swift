// The same as `Threads`, and Mayday is started.

import Mayday
import ThreadTimes

try Mayday.start(
    MaydayConfiguration(release: "threads@1.0.0", environment: "benchmark"),
    uploader: CollectorUploader(dsn: "http://key@127.0.0.1:9/1")
)
printThreadTimes(Int(CommandLine.arguments[1]) ?? 1)
