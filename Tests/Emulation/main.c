// CaptureChild without Swift, for machines that there is no Swift cross compiler for.

#include "CaptureChildCrashes.h"

int main(int count, char **arguments) { capture_child_exit(capture_child_main(count, arguments)); }
