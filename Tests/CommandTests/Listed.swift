#if os(Linux)
    import Foundation
    import Testing

    /// What `mayday list --json` and `mayday reports --json` printed.
    enum Listed {
        /// The ids of all reports, and of those that are digested. None is listed twice.
        static func reports(_ json: String) throws -> (all: Set<String>, digested: Set<String>) {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            let reports = try #require(object["reports"] as? [[String: Any]])
            let all = Set(reports.compactMap { $0["id"] as? String })
            #expect(all.count == reports.count)
            return (all, Set(reports.filter { $0["state"] as? String == "done" }.compactMap { $0["id"] as? String }))
        }

        /// The reports that all issues together count.
        static func count(_ json: String) throws -> Int {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            return try #require(object["issues"] as? [[String: Any]]).compactMap { $0["count"] as? Int }.reduce(0, +)
        }

        /// The reports that wait for digestion.
        static func pending(_ json: String) throws -> Int {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            return try #require((object["undigested"] as? [String: Any])?["pending"] as? Int)
        }
    }
#endif
