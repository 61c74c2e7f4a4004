import Store

extension StoreError {
    /// For who may be anybody: no path, host, user or reason of the system, which the log has.
    var publicText: String {
        switch self {
        case .full: "the store is full, and takes reports again when there is room (the collector's log says where)"
        default: "the store cannot be used at the moment (the collector's log says why)"
        }
    }
}
