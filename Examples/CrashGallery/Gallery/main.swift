// Every kind of crash by name, for tests and for trying out a collector:
//
//     CrashGallery list
//     CrashGallery KIND [--thread main|thread|dispatch|task]

import Mayday

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

switch Invocation(CommandLine.arguments.dropFirst()) {
case .list:
    print(table(gallery))
case .crash(let kind, let stage):
    stage.run(kind, 2)
    if case .topLevel = kind.body {
        throw Refusal.locked(2)  // crash: uncaught-error
    }
    survive(kind)
case .wrong(let reason):
    print("CrashGallery: \(reason)")
    exit(2)
}
