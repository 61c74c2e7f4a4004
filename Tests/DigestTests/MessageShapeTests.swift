import Testing

@testable import Grouping

@Suite struct MessageShapeTests {
    @Test(arguments: [
        ("no warehouse has item 2", "no warehouse has item #"),
        ("object 0x55d0c0ffee00 was destroyed", "object # was destroyed"),
        ("no coupon \"SUMMER\" for 'anna'", "no coupon \"…\" for '…'"),
        ("no coupon \"a \\\"b\\\" c\", sorry", "no coupon \"…\", sorry"),
        ("coupon “SUMMER” and «WINTER»", "coupon “…” and «…»"),
        ("can't find user's cart", "can't find user's cart"),
        ("user 'o'brien' is gone", "user '…' is gone"),
        ("request 01a22bb5-57c6-7356-a87f-2b2e6b40795b failed", "request # failed"),
        ("request(01A22BB5-abcd-7356-abcd-aaaaaaaaaaaa) failed", "request(#) failed"),
        ("10.0.0.12:8080 refused after 3.5 s", "# refused after # s"),
        ("took 12ms, -4.5% of 1,234,567", "took #, #% of #"),
        ("commit deadbeefcafe and 4f2a9c1", "commit # and #"),
        ("a cafe for added facade", "a cafe for added facade"),
        ("utf8 in file2", "utf# in file#"),
        ("order K7QX2P and token eyJhbGciOiJIUzI1NiJ9.e30.x1Y", "order # and token #"),
        ("cannot open /var/lib/shop/7/cart.db: No such file", "cannot open <path>: No such file"),
        ("(./cart.db, ~/x) and/or input/output", "(<path>, <path>) and/or input/output"),
        ("GET https://shop.example/cart?id=7 gave 502", "GET <url> gave #"),
        ("no mail to anna@shop.example.", "no mail to <address>."),
        ("user=anna code=E12 a == b", "user=… code=… a == b"),
        ("items [1, 2, 3] of [db] and [\"a\"]", "items […] of [db] and […]"),
        ("Refusal(code: 7, carts: [Cart(id: 1), Cart(id: 2)])", "Refusal(code: #, carts: […])"),
        ("body {\"id\": 1, \"of\": [1]} is bad", "body {…} is bad"),
        (
            "Could not cast value of type 'Swift.String' to 'Swift.Int'.",
            "Could not cast value of type 'Swift.String' to 'Swift.Int'."
        ),
        (
            "'try!' expression unexpectedly raised an error: Shop.Refusal.locked(2)",
            "'…' expression unexpectedly raised an error: Shop.Refusal.locked(#)"
        ),
        ("a b c d e f g h i j k l", "a b c d e f g h i j k l"),
        ("a b c d e f g h i j k l m n", "a b c d e f g h i j k l …"),
        ("unclosed \"quote", "unclosed \"…"),
        ("unclosed [1, 2", "unclosed [#, #"),
        ("  ", ""),
        ("", ""),
    ])
    func shape(_ message: String, _ shape: String) {
        #expect(MessageShape.shape(message) == shape)
    }

    @Test func longTextsTakeNoTime() {
        #expect(MessageShape.shape(String(repeating: "[\"", count: 1 << 20)).count < 600)
        #expect(MessageShape.shape(String(repeating: "1.", count: 1 << 20)) == "#. …")
    }
}
