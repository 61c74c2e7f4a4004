#include "CrashCapture.h"

MaydayCaptureStatus mayday_capture_install(const MaydayCaptureOptions *options) {
    (void)options;
    return MAYDAY_CAPTURE_UNSUPPORTED;
}
