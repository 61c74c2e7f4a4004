public import CrashReport

extension Report {
    /// The report as one object: the fields of its `report` line, and a member for each other line type, an array where
    /// there may be several (`threads`, `images`, `breadcrumbs`, `attachments`). The fields are those of the report format;
    /// attachments have `size` in place of `data`.
    public var jsonObject: JSONValue {
        var report = self
        for index in attachments.indices { report.attachments[index].data = nil }
        var object: [String: JSONValue] = [:]
        var lists: [String: [JSONValue]] = ["threads": [], "images": [], "breadcrumbs": []]
        for line in report.jsonLines.split(separator: UInt8(ascii: "\n")) {
            var (type, members) = Self.members(Array(line))
            switch type {
            case "report": object.merge(members) { _, member in member }
            case "message": object["message"] = members["text"]
            case "thread", "image", "breadcrumb": lists["\(type)s", default: []].append(.object(members))
            case "attachment":
                let index = lists["attachments"]?.count ?? 0
                members["size"] = attachments[index].data.map { .integer(Int64($0.count)) }
                lists["attachments", default: []].append(.object(members))
            default: object[type] = .object(members)
            }
        }
        return .object(object.merging(lists.mapValues { .array($0) }) { _, list in list })
    }

    private static func members(_ line: [UInt8]) -> (type: String, members: [String: JSONValue]) {
        do {
            guard case .object(var members) = try JSONReader.parse(line), case .string(let type) = members["type"]
            else { preconditionFailure("the writer wrote a line without a type") }
            members["type"] = nil
            return (type, members)
        } catch {
            preconditionFailure("the writer wrote what the reader does not read: \(error)")
        }
    }
}
