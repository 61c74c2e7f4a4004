import CaptureChildCrashes

// All of it is C: what is tested here is the capture below Swift. Crashes of Swift kinds are in Examples/CrashGallery.
let status = capture_child_main(CommandLine.argc, CommandLine.unsafeArgv)
capture_child_exit(status)
