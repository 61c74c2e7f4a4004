import Testing

@testable import Grouping

/// Names of real builds, and what grouping makes of them.
@Suite struct FunctionNameTests {
    @Test(arguments: [
        ("checkout(_:)", "checkout(_:)"),
        ("specialized Cart.total()", "Cart.total()"),
        ("merged Item.name.getter", "Item.name.getter"),
        ("partial apply for closure #2 in Stage.run(_:_:)", "closure in Stage.run(_:_:)"),
        ("@objc closure #1 in closure #2 in checksums(_:)", "closure in checksums(_:)"),
        (
            "partial apply for specialized closure #1 in closure #1 in Warehouse.fill(_:)",
            "closure in Warehouse.fill(_:)"
        ),
        ("specialized implicit closure #1 in Array<A>.expensive()", "closure in Array.expensive()"),
        (
            "closure #1 in variable initialization expression of kinds",
            "closure in variable initialization expression of kinds"
        ),
        (
            "$defer #1 <A>() in isCheap #1 <A>(_:) in Shop.Cart.cheapest(below:)",
            "$defer in isCheap(_:) in Shop.Cart.cheapest(below:)"
        ),
        ("isCheap #1 <A>(_:) in Shop.Cart.cheapest(below:)", "isCheap(_:) in Shop.Cart.cheapest(below:)"),
        ("__RawDictionaryStorage.find<A>(_:hashValue:)", "__RawDictionaryStorage.find(_:hashValue:)"),
        (
            "MutableCollection<>._insertionSort(within:sortedEnd:by:)",
            "MutableCollection._insertionSort(within:sortedEnd:by:)"
        ),
        ("static Version.< infix(_:_:)", "static Version.< infix(_:_:)"),
        ("static Version.== infix<A>(_:_:)", "static Version.== infix(_:_:)"),
        ("Register.__deallocating_deinit", "Register.deinit"),
        ("Register.__allocating_init(name:)", "Register.init(name:)"),
        ("(5) suspend resume partial function for Svc.work()", "Svc.work()"),
        ("(2) await resume partial function for Svc.work()", "Svc.work()"),
        ("shop::List<int, std::less<int>>::at(unsigned long)", "shop::List::at(unsigned long)"),
        ("shop::operator<(shop::Key, shop::Key)", "shop::operator<(shop::Key, shop::Key)"),
        ("shop::Handle<int>::operator->()", "shop::Handle::operator->()"),
        ("parcel_move.part.0", "parcel_move"),
        ("parcel_move.cold", "parcel_move"),
        ("parcel_move.constprop.3.isra.1", "parcel_move"),
        ("async_Main", "main"),
        ("a < b", "a < b"),
        ("", ""),
    ])
    func normalized(_ name: String, _ expected: String) {
        #expect(FunctionName(name).normalized == expected)
    }

    @Test(arguments: [
        "outlined destroy of TaskPriority?", "specialized thunk for @callee_guaranteed () -> (@unowned Int)",
        "partial apply for thunk for @escaping @callee_guaranteed () -> ()",
        "protocol witness for Priced.price.getter in conformance Item", "type metadata accessor for Item",
        "lazy protocol witness table accessor for type Item and conformance Item", "static CheckoutService.$main()",
        "destroy for Shop.Failure", "__swift_memcpy16_8", "objectdestroyTm", "dispatch thunk of Handler.handle(_:)",
    ])
    func madeByTheCompiler(_ name: String) {
        #expect(!FunctionName(name).isSignificant)
    }

    @Test(arguments: [
        "checkout(_:)", "closure #1 in checkout(_:)", "one-time initialization function for shared",
        "default argument 0 of checkout(_:)", "variable initialization expression of Cart.entries",
        "static CheckoutService.main()",
        "Register.__deallocating_deinit", "destroyAll()",
    ])
    func ownCode(_ name: String) {
        #expect(FunctionName(name).isSignificant)
    }

    @Test(arguments: [
        ("closure #2 in closure #1 in checkout(_:)", "checkout(_:)"),
        ("$defer #1 () in closure #1 in checkout(_:)", "checkout(_:)"),
        ("helper #1 (_:) in closure #1 in checkout(_:)", "helper(_:) in closure in checkout(_:)"),
        ("closure #1 in variable initialization expression of kinds", "variable initialization expression of kinds"),
        ("checkout(_:)", "checkout(_:)"),
    ])
    func declaration(_ name: String, _ expected: String) {
        #expect(FunctionName(name).declaration == expected)
    }

    @Test(arguments: [
        ("main", true), ("async_Main", true), ("static CheckoutService.main()", true), ("closure #1 in main", true),
        ("(2) suspend resume partial function for static Shop.main()", true), ("mainLoop()", false),
        ("Shop.main()", false),
    ])
    func beginsTheProgram(_ name: String, _ expected: Bool) {
        #expect(FunctionName(name).isMain == expected)
    }
}
