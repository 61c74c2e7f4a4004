print("CheckoutService")
