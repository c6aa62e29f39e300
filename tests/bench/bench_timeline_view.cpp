// bench_timeline_view [LANES] [BARS] [FRAMES]: milliseconds a frame of the timeline, panned and zoomed, offscreen.
// Target: 64 lanes of 10,000 bars at 60 frames a second, 16.7 ms.
#include "tests/ui/timeline_fixed.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"
#include "ui/timeline/timeline_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

using namespace yard;
using namespace yard::ui::timeline;

namespace {

constexpr WallMicros kStart = 1'800'000'000'000'000;

Picture work(std::uint32_t lanes, std::size_t bars, std::mt19937& random) {
    Picture picture;
    WallMicros latest = kStart;
    constexpr std::uint32_t kLanesOfAWorker = 8;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (lane % kLanesOfAWorker == 0) {
            const QString name = QStringLiteral("worker %1").arg(lane / kLanesOfAWorker, 2, 10, QChar('0'));
            picture.groups.push_back({name, name, {}});
        }
        std::vector<Item> items;
        WallMicros at = kStart;
        for (std::size_t i = 0; i < bars; ++i) {
            Item item;
            item.lsn = static_cast<qint64>(lane * bars + i + 1);
            item.begin = at;
            item.running = at + 20'000;
            const auto runs = static_cast<WallMicros>(200'000 + random() % 8'000'000);
            item.exited = item.running + runs;
            item.end = item.exited + 15'000;
            item.face = random() % 200 == 0   ? ui::DisplayState::Failed
                        : random() % 90 == 0  ? ui::DisplayState::Cancelled
                        : random() % 300 == 0 ? ui::DisplayState::Abandoned
                                              : ui::DisplayState::Completed;
            item.name = picture.names->add(QStringLiteral("frame %1").arg(i % 500));
            at = item.end + static_cast<WallMicros>(random() % 400'000);
            items.push_back(item);
        }
        latest = std::max(latest, at);
        picture.groups.back().lanes.emplace(lane, Lane(std::move(items)));
    }
    picture.range = {kStart, latest};
    picture.now = latest;
    picture.step = kMillisecond;
    return picture;
}

Figures figures(Range range) {
    Figures made;
    made.range = range;
    made.step = range.length() / 600;
    for (int i = 0; i < 600; ++i) {
        made.t.push_back(range.from + i * made.step);
        for (auto* series :
             {&made.cores, &made.memory, &made.pending, &made.running, &made.completed, &made.failed})
            series->push_back((i * 37) % 60);
    }
    return made;
}

/// Of this process: on a machine that does something else the clock on the wall says little.
double cpuMs() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

template<class Step>
void measure(const char* what, TimelineView& view, QImage& frame, int frames, Step step) {
    std::vector<double> times;
    const double before = cpuMs();
    for (int i = 0; i < frames; ++i) {
        QElapsedTimer clock;
        clock.start();
        step(i);
        view.render(&frame);
        times.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    std::ranges::sort(times);
    double sum = 0;
    for (const double time : times) sum += time;
    std::printf("%-28s mean %5.2f  median %5.2f  p99 %5.2f  worst %5.2f ms a frame (target 16.7); CPU %5.2f\n",
                what, sum / static_cast<double>(times.size()), times[times.size() / 2],
                times[times.size() * 99 / 100], times.back(), (cpuMs() - before) / frames);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const auto number = [&](int at, long usual) { return argc > at ? std::atol(argv[at]) : usual; };
    const auto lanes = static_cast<std::uint32_t>(number(1, 64));
    const auto bars = static_cast<std::size_t>(number(2, 10'000));
    const int frames = static_cast<int>(number(3, 300));
    ui::Theme theme(nullptr);
    ui::dressApplication();
    std::mt19937 random(1);
    test::FixedTimeline data;
    TimelineView view(data);
    view.setMachine({64, 256e9, 0.8});
    view.resize(1'264, 1'600); // so that all lanes are in view
    QElapsedTimer building;
    building.start();
    data.set(work(lanes, bars, random));
    data.setFigures(figures({kStart, data.now()}));
    std::printf("%u lanes of %zu bars, built in %lld ms; view %d x %d\n", lanes, bars,
                static_cast<long long>(building.elapsed()), view.width(), view.height());
    view.show();
    view.setActive(true);
    QImage frame(view.size(), QImage::Format_RGB32);
    const Range whole{kStart, data.now()};
    const double nowSteps = static_cast<double>(frames);
    struct Share {
        const char* what;
        double share;
    };
    for (const Share& share : {Share{"pan, 100 % in view", 1}, Share{"pan, 10 % in view", 0.1},
                               Share{"pan, 1 % in view", 0.01}, Share{"pan, 0.1 % in view", 0.001}}) {
        const auto length = static_cast<std::int64_t>(static_cast<double>(whole.length()) * share.share);
        measure(share.what, view, frame, frames, [&](int i) {
            const WallMicros from =
                whole.from +
                static_cast<WallMicros>(static_cast<double>(whole.length() - length) * 0.9 * i / nowSteps) + i;
            view.setRange({from, from + length});
        });
    }
    measure("zoom, from all to 1 s", view, frame, frames, [&](int i) {
        const double factor = std::pow(1e6 / static_cast<double>(whole.length()), i / nowSteps);
        const auto length = static_cast<std::int64_t>(static_cast<double>(whole.length()) * factor);
        const WallMicros middle = whole.from + whole.length() / 2;
        view.setRange({middle - length / 2, middle + length / 2});
    });
    view.setFilter("frame 12");
    measure("pan, filtered, 100 % in view", view, frame, frames,
            [&](int i) { view.setRange({whole.from + i * kSecond, whole.to + i * kSecond}); });
    return 0;
}
