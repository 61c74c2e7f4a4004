import Mayday
import MaydaySentry
import Shop

try Mayday.start(
    .init(release: "shop@2.1.0", environment: "production"),
    uploader: SentryUploader(dsn: "https://KEY@o1.ingest.example.com/42")
)
Mayday.breadcrumb("cart loaded", data: ["items": 3])
print(Cart(prices: [5, 7, 9]).total(of: 4))
