// What timelines cost: a million spans of a day in 64 lanes written, read at a start, drawn as a day, an hour and a
// minute. Prints milliseconds; blocks of work as helpers of the engine do them.
#include "core/timeline/timeline_store.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <random>

using namespace yard;

namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr WallMicros kBegin = 1'800'000'000 * kSecond;
constexpr int kLanes = 64;

template<class F>
auto timed(const char* what, F work) {
    const MonoTime before = MonoClock::now();
    auto result = work();
    fmt::print("{:<44} {:8.1f} ms\n", what, static_cast<double>((MonoClock::now() - before).count()) / 1'000);
    return result;
}

std::vector<timeline::Span> aDay(int spans) {
    std::mt19937 random(1);
    std::vector<timeline::Span> all;
    const std::int64_t each = 86'400 * kSecond / (spans / kLanes);
    for (int i = 0; i < spans; ++i) {
        const std::int64_t begin = kBegin + (i / kLanes) * each + std::int64_t(random() % 500'000);
        const std::int64_t length = each / 10 + std::int64_t(random() % std::uint64_t(each * 8 / 10));
        all.push_back({.lsn = Lsn{i + 1},
                       .slot = std::uint32_t(i % kLanes),
                       .state = i % 1'000 == 0 ? ActionState::Failed : ActionState::Completed,
                       .begin = begin,
                       .running = begin + 2'000,
                       .exited = begin + length - 1'000,
                       .end = begin + length});
    }
    return all;
}

std::size_t itemsOf(const timeline::View& view) {
    std::size_t items = 0;
    for (const timeline::LaneView& lane : view.lanes) items += lane.bars.size() + lane.columns.size();
    return items;
}

} // namespace

int main(int argc, char** argv) {
    const int spans = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
    const std::string dir = std::filesystem::temp_directory_path() / "yard-bench-timeline";
    std::filesystem::remove_all(dir);
    const std::vector<timeline::Span> day = aDay(spans);
    const auto all = [](std::uint32_t) { return true; };
    auto store = std::make_unique<timeline::TimelineStore>(dir, std::vector<std::uint32_t>{0},
                                                           timeline::TimelineStore::Limits{});
    timed("written, 4,000 at a time", [&] {
        for (std::size_t at = 0; at < day.size(); at += 4'000) {
            const auto end = day.begin() + static_cast<std::ptrdiff_t>(std::min(at + 4'000, day.size()));
            if (!store->append({day.begin() + static_cast<std::ptrdiff_t>(at), end})) return false;
        }
        return true;
    });
    store = std::make_unique<timeline::TimelineStore>(dir, std::vector<std::uint32_t>{0},
                                                      timeline::TimelineStore::Limits{});
    const auto draw = [&](const char* what, std::int64_t seconds, std::int64_t resolution) {
        const timeline::View view =
            timed(what, [&] { return store->draw({kBegin, kBegin + seconds * kSecond, resolution, all}, {}); });
        fmt::print("{:>44} {} items, {:.3f} s a step\n", "", itemsOf(view),
                   static_cast<double>(view.resolution) / kSecond);
    };
    draw("the first picture: reads all", 60, kSecond / 20);
    draw("a day, a minute a step", 86'400, 60 * kSecond);
    draw("a day, 45 s a step: from the spans", 86'400, 45 * kSecond);
    draw("an hour, 2.5 s a step", 3'600, 5 * kSecond / 2);
    draw("a minute, 50 ms a step", 60, kSecond / 20);
    draw("a day as fine as possible", 86'400, kSecond / 100);
    std::filesystem::remove_all(dir);
}
