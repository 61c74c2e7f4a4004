import Mayday
import Shop

try Mayday.start(
    .init(release: "shop@2.1.0", environment: "production"),
    uploader: DirectoryUploader(path: "/mnt/crashes")
)
Mayday.breadcrumb("cart loaded", data: ["items": 3])
print(Cart(prices: [5, 7, 9]).total(of: 4))
