import Testing

@testable import Grouping

@Suite struct MessageShapeTests {
    @Test(arguments: [
        ("no warehouse has item 2", "no warehouse has item #"),
        ("object 0x55d0c0ffee00 was destroyed", "object # was destroyed"),
        ("no coupon \"SUMMER\" for 'anna'", "no coupon \"…\" for '…'"),
        ("can't find user's cart", "can't find user's cart"),
        ("request 01a22bb5-57c6-7356-a87f-2b2e6b40795b failed", "request #-#-#-#-# failed"),
        ("10.0.0.12:8080 refused after 3.5 s", "#.#.#.#:# refused after #.# s"),
        ("utf8 in file2", "utf# in file#"),
        ("unclosed \"quote", "unclosed \"…"),
        ("", ""),
    ])
    func shape(_ message: String, _ shape: String) {
        #expect(MessageShape.shape(message) == shape)
    }
}
