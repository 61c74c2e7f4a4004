import Mayday
import Shop

try Mayday.start(
    .init(release: "shop@2.1.0", environment: "production"),
    uploader: CollectorUploader(dsn: "http://KEY@127.0.0.1:7171/1")
)
Mayday.breadcrumb("cart loaded", data: ["items": 3])
print(Cart(prices: [5, 7, 9]).total(of: 4))
