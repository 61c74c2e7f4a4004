#include "CxxCrashKinds.h"

#include <exception>
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

struct Tray {
    virtual ~Tray() = default;
    int32_t number = 0;
};

/// An exception that does not begin with its `std::exception`.
class Jam : public Tray, public std::exception {
public:
    explicit Jam(int32_t tray) : text("tray " + std::to_string(tray) + " is jammed") {}
    const char *what() const noexcept override { return text.c_str(); }

private:
    std::string text;
};

__attribute__((noinline)) int32_t pull(int32_t tray) {
    if (tray < 1000) throw Jam(tray);
    return tray;
}

int32_t feed(int32_t tray) noexcept {
    return pull(tray) + 1; // crash: cxx-noexcept
}

int32_t cut(int32_t length) {
    if (length < 1000) throw length; // crash: cxx-thrown-number
    return length;
}

} // namespace labels

int32_t label_feed(int32_t tray) { return labels::feed(tray) + 1; }

int32_t label_cut(int32_t length) { return labels::cut(length) + 1; }

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
