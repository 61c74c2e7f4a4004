#include "CxxCrashKinds.h"

#include <stdexcept>
#include <string>

namespace labels {

class Printer {
public:
    int32_t print(int32_t copies) {
        if (copies < 1000) {
            throw std::runtime_error("no paper for " + std::to_string(copies) + " labels"); // crash: cxx-exception
        }
        return printed += copies;
    }

private:
    int32_t printed = 0;
};

} // namespace labels

int32_t label_print(int32_t copies) {
    labels::Printer printer;
    return printer.print(copies) + 1;
}

int32_t label_try_print(int32_t copies) {
    labels::Printer printer;
    try {
        return printer.print(copies);
    } catch (const std::runtime_error &) {
        return copies;
    }
}
