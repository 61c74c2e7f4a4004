import Mayday
import MaydayWebhook
import Shop

try Mayday.start(
    .init(release: "shop@2.1.0", environment: "production"),
    uploader: WebhookUploader(url: "https://chat.example.com/hooks/KEY")
)
Mayday.breadcrumb("cart loaded", data: ["items": 3])
print(Cart(prices: [5, 7, 9]).total(of: 4))
