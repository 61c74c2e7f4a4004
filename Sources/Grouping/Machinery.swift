/// Functions that say how a crash was raised or a thread was run, never why: not counted when no function of the service is there.
enum Machinery {
    static func contains(_ name: String) -> Bool { names.contains(name) || prefixes.contains(where: name.hasPrefix) }

    private static let names: Set<String> = [
        "abort", "raise", "gsignal", "kill", "tgkill", "syscall", "start_thread", "clone", "clone3", "_start", "main",
        "free", "malloc",
        "realloc", "calloc", "cfree", "sysmalloc", "malloc_printerr", "malloc_consolidate", "unlink_chunk", "_int_free",
        "_int_malloc",
        "_int_realloc", "__restore_rt",
    ]

    private static let prefixes = [
        "__pthread_kill", "pthread_kill", "__GI_", "__libc_", "__assert_fail", "__assert_perror_fail", "__fortify_fail",
        "__stack_chk_fail",
        "__chk_fail", "__cxa_", "__gxx_", "__gnu_cxx::__verbose_terminate_handler", "__cxxabiv1::", "std::terminate",
        "std::__throw_",
        "_Unwind_", "_assertionFailure", "_fatalErrorMessage", "assertionFailure", "fatalError", "preconditionFailure",
        "swift_runtime_", "_swift_runtime_", "swift::fatalError", "swift::crash", "swift::swift_abort", "swift_abort",
        "swift_job_run",
        "swift_task_", "swift::runJobInEstablishedExecutorContext", "(anonymous namespace)::ProcessOutOfLineJob",
        "_dispatch_",
        "completeTask",
    ]
}
