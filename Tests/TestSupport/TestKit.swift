// `ScriptedServer` is a part of what Mayday ships for tests, and every test of ours may use it.
@_exported public import MaydayTestKit
