// CaptureChild without the Swift runtime: it starts in a few milliseconds and has few images, and the walks start it
// thousands of times.

#include "CaptureChildCrashes.h"

int main(int count, char **arguments) { capture_child_exit(capture_child_main(count, arguments)); }
