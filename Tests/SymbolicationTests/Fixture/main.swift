import Foundation

let items = (0..<Int(CommandLine.arguments.count * 5)).map { Item(name: "item \($0)", price: $0 * 3) }
var cart = Shop.Cart<Item>()
cart.entries = items
let register = Register()
try register.add(cart, for: "first")
print(
    register.report(),
    register.name,
    items.expensive(),
    checksums(items),
    cart.cheapest(below: 7)?.name ?? "none",
    cart[0].name
)
let warehouse = Warehouse()
print(await warehouse.fill(items), cents(of: items.count))
let data = try JSONEncoder().encode(items)
print(try JSONDecoder().decode([Item].self, from: data).count)
print(nested(Till()))
