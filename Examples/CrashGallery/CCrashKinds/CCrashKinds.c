#include "CCrashKinds.h"
