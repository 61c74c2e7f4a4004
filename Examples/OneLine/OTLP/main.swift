import Mayday
import MaydayOTLP
import Shop

try Mayday.start(
    .init(release: "shop@2.1.0", environment: "production"),
    uploader: OTLPUploader(endpoint: "http://127.0.0.1:4318")
)
Mayday.breadcrumb("cart loaded", data: ["items": 3])
print(Cart(prices: [5, 7, 9]).total(of: 4))
