import CrashReport
import Testing

@Suite("Times and ids")
struct TimestampTests {
    @Test(
        "Times are read and written",
        arguments: [
            ("1970-01-01T00:00:00.000000Z", 0),
            ("1969-12-31T23:59:59.999999Z", -1),
            ("2026-11-30T08:17:53.123456Z", 1_796_026_673_123_456),
            ("2000-02-29T12:00:00.000000Z", 951_825_600_000_000),
            ("1900-03-01T00:00:00.000000Z", -2_203_891_200_000_000),
            ("0000-01-01T00:00:00.000000Z", -62_167_219_200_000_000),
            ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
        ]
    )
    func roundTrips(text: String, microseconds: Int64) {
        #expect(Timestamp(text)?.microseconds == microseconds)
        #expect(Timestamp(microseconds: microseconds).description == text)
    }

    @Test("Every day of 800 years comes back")
    func roundTripsDays() {
        for day in Int64(-150_000)...150_000 {
            let time = Timestamp(microseconds: day * 86_400_000_000)
            #expect(Timestamp(time.description) == time)
        }
    }

    @Test(
        "Other forms of RFC 3339 are read",
        arguments: [
            ("2026-11-30T08:17:53Z", "2026-11-30T08:17:53.000000Z"),
            ("2026-11-30t08:17:53.5z", "2026-11-30T08:17:53.500000Z"),
            ("2026-11-30 09:47:53.123456789+01:30", "2026-11-30T08:17:53.123456Z"),
            ("2026-12-31T23:59:60Z", "2027-01-01T00:00:00.000000Z"),
            ("2026-11-30T00:17:53-08:00", "2026-11-30T08:17:53.000000Z"),
        ]
    )
    func reads(text: String, same: String) {
        #expect(Timestamp(text)?.description == same)
    }

    @Test(
        "What is no time is refused",
        arguments: [
            "", "2026-11-30", "2026-11-30T08:17:53", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-11-31T00:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T08:60:00Z", "2026-11-30T08:17:61Z",
            "2026-11-30T08:17:53.Z", "2026-11-30T08:17:53.1234567890Z", "2026-11-30T08:17:53Zx",
            "2026-11-30T08:17:53+0100",
            "２026-11-30T08:17:53Z",
        ]
    )
    func refuses(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("Edges are kept where the year has four digits")
    func clamps() {
        #expect(Timestamp(microseconds: .max).description == "9999-12-31T23:59:59.999999Z")
        #expect(Timestamp(microseconds: .min).description == "0000-01-01T00:00:00.000000Z")
    }

    @Test("Ids are UUIDs of version 7 in lower case")
    func checksIDs() {
        let id = "01ba5a16-5b03-7a3c-8123-456789abcdef"
        #expect(ReportID.isValid(id))
        #expect(ReportID.time(of: id) == Timestamp(microseconds: 1_899_886_959_363_000))
        let bad = [
            "", id.uppercased(), String(id.dropLast()), id + "0", id.replacing("-7a3c", with: "-4a3c"),
            id.replacing("-8123", with: "-c123"), id.replacing("-", with: ""), "../../../../../../../../../etc/passwd",
            id.replacing("01ba", with: "01b/"), id.replacing("01ba", with: "é1b"),
        ]
        for text in bad {
            #expect(!ReportID.isValid(text), "\(text)")
            #expect(ReportID.time(of: text) == nil)
        }
    }
}
