// How Swift's runtime is called.

#ifndef MAYDAY_SWIFT_CALL_H
#define MAYDAY_SWIFT_CALL_H

#if defined(__has_attribute)
#if __has_attribute(swiftcall)
#define SWIFT_CALL __attribute__((swiftcall))
#endif
#endif
#ifndef SWIFT_CALL
#define SWIFT_CALL
#endif

#endif
