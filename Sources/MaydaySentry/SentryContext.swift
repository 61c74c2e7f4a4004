internal import BackendSupport
internal import CrashReport

extension SentryEvent {
    /// Tags, user, breadcrumbs, and what is known of machine and process.
    func writeContext(to json: inout JSONWriter) {
        let header = readable.report.header
        let context = readable.report.context
        json.key("tags")
        json.object { json in
            json.member("service", header.service)
            for (key, value) in (context?.tags ?? [:]).sorted(by: { $0.key < $1.key }) where key != "service" {
                json.member(key.cut(to: 200), value.cut(to: 200))
            }
        }
        writeBreadcrumbs(to: &json)
        if let user = context?.user, !user.isEmpty {
            json.key("user")
            json.value(.object(user))
        }
        json.key("contexts")
        json.object { json in
            json.key("os")
            json.object { json in
                json.member("name", header.host?.os ?? "Linux")
                json.member("kernel_version", header.host?.kernel)
            }
            json.key("device")
            json.object { json in
                json.member("arch", header.host?.arch)
                if let cpus = header.host?.cpus {
                    json.key("processor_count")
                    json.integer(cpus)
                }
                if let memory = header.host?.memory {
                    json.key("memory_size")
                    json.integer(memory)
                }
            }
            json.key("app")
            json.object { $0.member("app_start_time", header.process.started) }
            json.key("process")
            json.object { json in
                json.member("name", header.process.name)
                json.key("pid")
                json.integer(header.process.pid)
                json.member("container", header.host?.container)
            }
            json.key("report")
            json.object { json in
                json.member("id", header.id)
                json.member("culprit", readable.culprit)
            }
            write("request", context?.request, to: &json)
            write("custom", context?.custom, to: &json)
        }
    }

    private func write(_ name: String, _ members: [String: JSONValue]?, to json: inout JSONWriter) {
        guard let members, !members.isEmpty else { return }
        json.key(name)
        json.value(.object(members))
    }

    private func writeBreadcrumbs(to json: inout JSONWriter) {
        let breadcrumbs = readable.report.breadcrumbs
        guard !breadcrumbs.isEmpty else { return }
        json.key("breadcrumbs")
        json.object { json in
            json.key("values")
            json.array { json in
                for breadcrumb in breadcrumbs.suffix(100) {
                    json.object { json in
                        json.member("timestamp", breadcrumb.time)
                        json.member("message", breadcrumb.message.cut(to: 8_000))
                        json.member("category", breadcrumb.category)
                        json.member("level", breadcrumb.level)
                        if !breadcrumb.data.isEmpty {
                            json.key("data")
                            json.value(.object(breadcrumb.data))
                        }
                    }
                }
            }
        }
    }
}
