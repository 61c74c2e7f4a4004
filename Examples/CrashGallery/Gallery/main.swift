// Every kind of crash by name, for tests and for trying out a collector:
//
//     CrashGallery list
//     CrashGallery KIND [--thread main|thread|dispatch|task]

import CCrashKinds
import Mayday

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// The same crash without Mayday, to compare with.
if getenv("GALLERY_WITHOUT_MAYDAY") == nil {
    try Mayday.start(
        .init(release: "gallery@1.0.0", environment: "test"),
        uploader: CollectorUploader(dsn: "http://KEY@127.0.0.1:7171/1")
    )
}

switch Invocation(CommandLine.arguments.dropFirst()) {
case .list:
    print(table(gallery))
case .crash(let kind, let stage):
    guard bystander_start() == 0 else {
        print("no thread could be started")
        exit(3)
    }
    stage.run(kind, 2)
    if case .topLevel = kind.body {
        throw Refusal.locked(2)  // crash: uncaught-error
    }
    survive(kind)
case .wrong(let reason):
    print("CrashGallery: \(reason)")
    exit(2)
}
