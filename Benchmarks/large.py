"""A program with at least 100 MB of debug information: the Crasher, linked with generated Swift code.

Most of the debug information of an optimised Swift program describes inlined calls, so that is what is generated:
functions that are inlined into each other several levels deep, each leaf a call that cannot be optimised away.
"""

import re
import shutil
import subprocess

from harness import BUILD, ROOT, Failure, log, swift_build

FILES = 60
ENTRIES = 12
DEPTH = 4
CALLS = 5
WANTED = 100_000_000

PACKAGE = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "large",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "mayday", path: "ROOT")],
    targets: [
        .target(name: "Ballast"),
        .executableTarget(
            name: "LargeCrasher",
            dependencies: ["Ballast", .product(name: "Mayday", package: "mayday")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
    ]
)
"""


def source(number):
    text = [
        f"@inline(never) public func touch{number}(_ value: Int, _ place: Int) -> Int {{ value ^ place }}\n",
    ]
    for level in range(DEPTH, 0, -1):
        text.append(f"@inline(__always) func level{level}of{number}(_ value: Int, label: Int) -> Int {{\n")
        text.append("    var total = value\n")
        for call in range(CALLS):
            inner = f"level{level + 1}of{number}(share{call}, label: {call})"
            leaf = f"touch{number}(share{call}, label)"
            text.append(f"    let share{call} = total &* {level * 10 + call + 3} &+ label\n")
            text.append(f"    let part{call} = {inner if level < DEPTH else leaf}\n")
            text.append(f"    total = total &+ part{call}\n")
        text.append("    return total\n}\n")
    for entry in range(ENTRIES):
        text.append(f"public func entry{entry}of{number}(_ seed: Int) -> Int {{ level1of{number}(seed, label: {entry}) }}\n")
    return "".join(text)


def generate(directory, count):
    ballast = directory / "Sources" / "Ballast"
    program = directory / "Sources" / "LargeCrasher"
    for folder in (ballast, program):
        folder.mkdir(parents=True, exist_ok=True)
    files = {ballast / f"Part{number}.swift": source(number) for number in range(count)}
    calls = "\n".join(
        f"    total ^= entry{entry}of{number}(total)" for number in range(count) for entry in range(ENTRIES)
    )
    files[ballast / "All.swift"] = f"public func all(_ seed: Int) -> Int {{\n    var total = seed\n{calls}\n    return total\n}}\n"
    files[program / "Ballast.swift"] = (
        "import Ballast\n\nfunc keepBallast() {\n    if CommandLine.argc > 100 { print(all(Int(CommandLine.argc))) }\n}\n"
    )
    files[program / "main.swift"] = (ROOT / "Benchmarks/Programs/Crasher/main.swift").read_text()
    files[directory / "Package.swift"] = PACKAGE.replace("ROOT", str(ROOT))
    # A file that is the same keeps its time, and is not compiled again.
    for path, text in files.items():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def debug_bytes(program):
    """Size of the .debug_ sections, as `readelf` has it."""
    if not shutil.which("readelf"):
        raise Failure("readelf is missing: install binutils")
    table = subprocess.run(["readelf", "-SW", str(program)], check=True, stdout=subprocess.PIPE, text=True).stdout
    return sum(int(size, 16) for size in re.findall(r"\.debug_\w+\s+\w+\s+[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)", table))


def large_program(name="large", count=FILES, wanted=WANTED):
    """The program of so many files, and how many bytes of debug information it has."""
    directory = BUILD / name
    generate(directory, count)
    log("the first build of the large program takes some minutes; it is kept in .build/benchmarks")
    program = swift_build(directory, BUILD / f"{name}-build", ["LargeCrasher"]) / "LargeCrasher"
    size = debug_bytes(program)
    if size < wanted:
        raise Failure(f"the large program has {size} bytes of debug information instead of {wanted}: raise its files")
    return program, size
