#include "core/host/desk_files.h"

#include "core/host/small_file.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <linux/magic.h>
#include <string_view>
#include <sys/vfs.h>
#include <unistd.h>

namespace yard::host {

namespace {

/// Thousandths of a degree. What no machine stands is a sensor that does not work.
std::optional<double> degreesIn(const std::string& path) {
    constexpr double kHottest = 200;
    const auto value = leadingNumber(readSmallFile(path));
    if (!value) return std::nullopt;
    const double degrees = static_cast<double>(*value) / 1'000;
    return degrees > 0 && degrees <= kHottest ? std::optional(degrees) : std::nullopt;
}

/// The lowest point at which the machine itself does something about it.
std::optional<double> lowestTripOf(const std::string& zone) {
    constexpr int kMostTrips = 32;
    std::optional<double> lowest;
    for (int i = 0; i < kMostTrips; ++i) {
        const std::string type = readSmallFile(fmt::format("{}/trip_point_{}_type", zone, i));
        if (type.empty()) break;
        if (!type.starts_with("passive") && !type.starts_with("hot") && !type.starts_with("critical")) continue;
        if (const auto at = degreesIn(fmt::format("{}/trip_point_{}_temp", zone, i)))
            lowest = lowest ? std::min(*lowest, *at) : *at;
    }
    return lowest;
}

} // namespace

std::optional<double> readPressure(const std::string& path) {
    const std::string text = readSmallFile(path);
    const std::string_view some = lineOf(text, "some ");
    constexpr std::string_view kMean = "avg10=";
    const auto at = some.find(kMean);
    if (at == some.npos) return std::nullopt;
    double value = 0;
    const char* const end = some.data() + some.size();
    const auto [last, error] = std::from_chars(some.data() + at + kMean.size(), end, value);
    if (error != std::errc{} || !(value >= 0 && value <= 100)) return std::nullopt;
    return value;
}

UniqueFd watchPressure(const std::string& path) {
    // Windows that are no multiple of 2 s are for root alone.
    constexpr std::string_view kTrigger("some 200000 2000000\0", 20);
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    struct statfs where{};
    if (fd && (::fstatfs(fd.get(), &where) != 0 || where.f_type != PROC_SUPER_MAGIC)) fd.reset();
    if (fd && ::write(fd.get(), kTrigger.data(), kTrigger.size()) < 0) fd.reset();
    return fd;
}

std::optional<ProcessorTimes> readProcessors(const std::string& path) {
    constexpr std::size_t kUser = 0;
    constexpr std::size_t kIdle = 3;
    constexpr std::size_t kWaitsForDisk = 4;
    constexpr std::size_t kStolen = 7;
    const std::string text = readSmallFile(path);
    std::string_view line = lineOf(text, "cpu ");
    ProcessorTimes times;
    std::array<std::int64_t, kStolen + 1> ticks{};
    for (std::int64_t& one : ticks) {
        const auto value = leadingNumber(line);
        if (!value || *value < 0) return std::nullopt;
        one = *value;
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        line.remove_prefix(std::min(line.find(' '), line.size()));
    }
    for (std::size_t i = kUser; i < ticks.size(); ++i) times.all += ticks[i];
    times.busy = times.all - ticks[kIdle] - ticks[kWaitsForDisk] - ticks[kStolen];
    eachLine(text, [&times](std::string_view one) {
        if (one.starts_with("cpu") && one.size() > 3 && one[3] != ' ') ++times.cores;
    });
    return times.cores > 0 ? std::optional(times) : std::nullopt;
}

std::optional<double> busyCores(const ProcessorTimes& before, const ProcessorTimes& after) {
    const std::int64_t all = after.all - before.all;
    const std::int64_t busy = after.busy - before.busy;
    if (all <= 0 || busy < 0 || busy > all) return std::nullopt; // counters of the kernel may go back a little
    return static_cast<double>(busy) / static_cast<double>(all) * after.cores;
}

std::optional<Heat> readHeat(const std::string& directory) {
    constexpr int kMostZones = 256;
    std::optional<Heat> heat;
    std::error_code error;
    int looked = 0;
    for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
        const std::string zone = at->path().string();
        if (!at->path().filename().string().starts_with("thermal_zone") || ++looked > kMostZones) continue;
        const auto degrees = degreesIn(zone + "/temp");
        if (!degrees) continue;
        if (!heat) heat = Heat{.hottest = *degrees, .left = {}};
        heat->hottest = std::max(heat->hottest, *degrees);
        if (const auto trip = lowestTripOf(zone))
            heat->left = heat->left ? std::min(*heat->left, *trip - *degrees) : *trip - *degrees;
    }
    return heat;
}

} // namespace yard::host
