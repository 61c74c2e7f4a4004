import CaptureChildCrashes

// All of it is C, but for one crash: what is tested here is the capture below Swift. Crashes of Swift kinds are in
// Examples/CrashGallery.
@_cdecl("capture_child_fatal_error")
func endBySwift() {
    fatalError("the child is asked to end")
}

let status = capture_child_main(CommandLine.argc, CommandLine.unsafeArgv)
capture_child_exit(status)
