#ifndef CCrashKinds_H
#define CCrashKinds_H
#endif
