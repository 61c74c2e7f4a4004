"""A program with at least 100 MB of debug information: the Crasher, linked with generated Swift code.

Most of the debug information of an optimised Swift program describes inlined calls, so that is what is generated:
functions that are inlined into each other several levels deep, each leaf a call that cannot be optimised away.
"""

import re
import shutil
import subprocess
from pathlib import Path

from harness import BUILD, ROOT, SWIFT, Failure, log, swift_build

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


def large_program():
    """The program, and how many bytes of debug information it has."""
    directory = BUILD / "large"
    generate(directory, FILES)
    log("the first build of the large program takes some minutes; it is kept in .build/benchmarks")
    program = swift_build(directory, BUILD / "large-build", ["LargeCrasher"]) / "LargeCrasher"
    return program, enough_debug_bytes(program, WANTED)


def enough_debug_bytes(program, wanted):
    size = debug_bytes(program)
    if size < wanted:
        raise Failure(f"{program.name} has {size} bytes of debug information instead of {wanted}: raise its files")
    return size


#: Of the program that has twice as much: files of a module, and modules.
PART_FILES = 12
PARTS = 10


def larger_program():
    """A program of 200 MB of debug information that is only ever looked at, and how much it has.

    To compile so much takes a quarter of an hour. So one module is compiled, and the others are its objects under names of the
    same length: functions, files and debug information of their own, as if there were a source of each.
    """
    directory = BUILD / "larger"
    directory.mkdir(parents=True, exist_ok=True)
    sources = {directory / f"Part{number}.swift": source(number) for number in range(PART_FILES)}
    program = directory / "Larger"
    if program.exists() and all(path.exists() and path.read_text() == text for path, text in sources.items()):
        return program, enough_debug_bytes(program, 2 * WANTED)
    log("building the program with 200 MB of debug information, which takes a minute; it is kept in .build/benchmarks")
    program.unlink(missing_ok=True)
    for path, text in sources.items():
        path.write_text(text)
    swiftc = Path(shutil.which(SWIFT) or SWIFT).parent / "swiftc"
    compile_whole = [swiftc, "-O", "-g", "-wmo", "-num-threads", "2", "-swift-version", "6"]
    run(directory, [*compile_whole, "-parse-as-library", "-module-name", "Ballast", "-c", *sources])
    objects = []
    for number in range(PARTS):
        for path in sources:
            data = (directory / f"{path.stem}.o").read_bytes()
            objects.append(directory / f"{path.stem}.{number}.o")
            objects[-1].write_bytes(data.replace(b"Ballast", b"Ballas%d" % number))
    (directory / "main.swift").write_text("print(CommandLine.argc)\n")
    run(directory, [*compile_whole, "-o", program, "main.swift", *objects])
    for path in directory.glob("*.o"):
        path.unlink()
    return program, enough_debug_bytes(program, 2 * WANTED)


def run(directory, command):
    done = subprocess.run([str(part) for part in command], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Failure(f"{Path(command[0]).name} failed:\n{done.stdout[-4000:]}")
