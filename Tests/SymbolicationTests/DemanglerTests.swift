import Testing

@testable import Symbolication

@Suite struct DemanglerTests {
    @Test(arguments: [
        ("$s7Fixture9checksumsySays5Int32VGSayAA4ItemVGF", "checksums(_:)"),
        ("$s3Svc4workyyYaKFTY4_", "work()"),
        ("_ZN6labels7Printer5printEi", "labels::Printer::print(int)"),
        ("shop_checksum", "shop_checksum"),
        ("$sNotASymbol", "$sNotASymbol"),
        ("_Znonsense", "_Znonsense"),
        ("main", "main"),
        ("async_MainTQ0_", "main"),
        ("$s15CheckoutServiceAA8ResponseVAA7RequestVYaYbcfU0_", "closure #2 in main"),
        ("", ""),
    ])
    func short(_ mangled: String, _ name: String) {
        #expect(Demangler().short(mangled) == name)
    }

    @Test func full() {
        #expect(
            Demangler().full("$s7Fixture9checksumsySays5Int32VGSayAA4ItemVGF")
                == "Fixture.checksums(Swift.Array<Fixture.Item>) -> Swift.Array<Swift.Int32>"
        )
        #expect(Demangler().full("_ZN6labels7Printer5printEi") == "labels::Printer::print(int)")
        #expect(Demangler().full("main") == nil)
    }

    /// Given to the runtime's demangler, this takes all memory there is.
    @Test(arguments: ["$s1a1byyFTf3np", "$sIetH_yts5Error_pIegHrzo_TR10async_MainTf3np"])
    func namesThatStopInTheMiddle(_ name: String) {
        #expect(Demangler().short(name) == name)
        #expect(Demangler().full(name) == nil)
    }

    /// Names come out of files that may be hostile.
    @Test func longAndNestedNames() {
        let nested = "$s4Shop" + String(repeating: "Say", count: 2000) + "Si" + String(repeating: "G", count: 2000)
        #expect(!Demangler().short(nested).isEmpty)
        let long = "$s" + String(repeating: "1", count: 100_000)
        #expect(Demangler().short(long) == long)
        #expect(Demangler().full(long) == nil)
        #expect(!Demangler().short("_Z" + String(repeating: "P", count: 8000) + "i").isEmpty)
    }
}
