// What files of the kernel say of pressure and heat. Functions; they block on /proc and /sys.
#pragma once

#include "core/base/unique_fd.h"

#include <cstdint>
#include <optional>
#include <string>

namespace yard::host {

/// Percent of the last 10 s in which something waited for it: "some avg10" of PSI. Nothing: the kernel does not say.
std::optional<double> readPressure(const std::string& path);

/// Readable with POLLPRI when something waited for memory for a tenth of 2 s. Empty: no such thing here.
UniqueFd watchPressure(const std::string& path);

/// How much time all processors of /proc/stat have worked, and how much they have had, since the start of the machine.
struct ProcessorTimes {
    std::int64_t busy = 0; ///< in ticks, without what waited for a disk or was taken by another machine's work
    std::int64_t all = 0;
    int cores = 0;
};
std::optional<ProcessorTimes> readProcessors(const std::string& path);
/// Cores that were in use between two looks. Nothing: no time has passed, or one of them cannot be.
std::optional<double> busyCores(const ProcessorTimes& before, const ProcessorTimes& after);

struct Heat {
    double hottest = 0;         ///< degrees Celsius
    std::optional<double> left; ///< the least that a zone has to a trip point; no zone has one: nothing
};
/// Of the zones in a directory like /sys/class/thermal. Nothing: there is none that can be read.
std::optional<Heat> readHeat(const std::string& directory);

} // namespace yard::host
