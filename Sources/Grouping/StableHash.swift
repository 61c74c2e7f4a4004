/// FNV-1a with 128 bits: the same on every machine and in every process, unlike `Hasher`.
///
/// Constants from the algorithm's own description (Fowler, Noll, Vo). It tells keys apart; it is no protection against somebody who
/// wants two to be equal, and none is needed: reports come from the service itself.
enum StableHash {
    /// 32 hex digits.
    static func hash(_ lines: [String]) -> String {
        var state: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b
        for line in lines {
            // A line's end counts too, so that ["ab", "c"] and ["a", "bc"] differ.
            for byte in Array(line.utf8) + [0x0a] {
                state ^= UInt128(byte)
                state &*= prime
            }
        }
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
