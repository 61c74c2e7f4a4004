import Mayday
import MaydayOTLP
import MaydaySentry
import MaydayWebhook
import Shop

try Mayday.start(
    .init(release: "shop@2.1.0", environment: "production"),
    uploader: [
        CollectorUploader(dsn: "http://KEY@127.0.0.1:7171/1"),
        DirectoryUploader(path: "/mnt/crashes"),
        SentryUploader(dsn: "https://KEY@o1.ingest.example.com/42"),
        OTLPUploader(endpoint: "http://127.0.0.1:4318"),
        WebhookUploader(url: "https://chat.example.com/hooks/KEY"),
    ]
)
Mayday.breadcrumb("cart loaded", data: ["items": 3])
print(Cart(prices: [5, 7, 9]).total(of: 4))
