// Async functions as the compiler makes them, to crash in. They need no more of Swift's runtime than async_frames.c has.

@_silgen_name("capture_child_segv")
func crash()

@inline(never)
func innermost(_ number: Int) async -> Int {
    if number >= 0 { crash() }
    return number &+ 1
}

@inline(never)
func middle(_ number: Int) async -> Int {
    let result = await innermost(number)
    return result &+ 1
}

/// The async function that nothing of this file awaits.
@inline(never)
public func outermost(_ number: Int) async -> Int {
    let result = await middle(number)
    return result &+ 2
}

/// Traps, in a part that has no frame of its own when it is optimised.
@inline(never)
func overflowing(_ number: Int) async -> Int {
    number + .max
}

/// Awaits the function that traps.
@inline(never)
public func overflow(_ number: Int) async -> Int {
    let result = await overflowing(number &+ 1)
    return result &+ 1
}
