// dl_iterate_phdr of the whole process. Outside a crash it is the loader's. For the crashing thread it answers from the
// image table: the loader's lock may be held by a thread that never runs again, and the unwinder asks at every frame.

#include "internal.h"
#include "runs_at_start.h"

#if defined(__linux__) && MAYDAY_INTERPOSE

#include <link.h>

_Atomic(int (*)(PhdrCallback, void *)) mayday_real_dl_iterate_phdr WRITTEN_AT_START;

/// Async-signal-safe on the crashing thread; elsewhere as the loader's.
__attribute__((visibility("default"))) int dl_iterate_phdr(PhdrCallback callback, void *data) {
    if (!mayday_on_crashing_thread()) {
        int (*real)(PhdrCallback, void *) = mayday_real_dl_iterate_phdr;
        // Asked before our constructor ran: a library's constructor throws an exception, say.
        if (real == NULL) real = mayday_find_dl_iterate_phdr();
        return real == NULL ? 0 : real(callback, data);
    }
    uint32_t count = mayday_images.count;
    for (uint32_t index = 0; index < count; index++) {
        const LoadedImage *image = &mayday_images.images[index];
        PhdrInfo info = {
            .dlpi_addr = image->bias,
            .dlpi_name = image->path,
            .dlpi_phdr = (const ElfW(Phdr) *)image->headers,
            .dlpi_phnum = image->header_count,
            .dlpi_adds = count,
            .dlpi_subs = 0,
        };
        int result = callback(&info, sizeof info, data);
        if (result != 0) return result;
    }
    return 0;
}

#endif
