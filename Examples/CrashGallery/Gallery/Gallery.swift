/// Every kind of crash.
let gallery = languageKinds + objectKinds + concurrencyKinds + systemKinds

/// The gallery as a table: name, signal, innermost function, where it can happen.
func table(_ kinds: [CrashKind]) -> String {
    let rows = kinds.map { kind in
        [kind.name, kind.signal, kind.function, kind.stages.map(\.rawValue).joined(separator: " ")]
    }
    let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
        zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
    }.joined(separator: "\n")
}
