print("CrashGallery")
