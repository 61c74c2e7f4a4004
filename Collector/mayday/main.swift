print("mayday")
