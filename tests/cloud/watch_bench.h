// A mock of the metadata services and who watches it, on a clock moved by hand.
#pragma once

#include "tests/cloud/metadata_mock.h"

#include <QtTest>

#include <cstdint>

namespace yard::cloud::test {

/// Who derives from it has the watch, and stops it at its end.
class WatchBench {
public:
    WatchBench(const char* address, std::uint16_t port)
        : mock(rig, address, port) {}
    WatchBench(const WatchBench&) = delete;
    WatchBench& operator=(const WatchBench&) = delete;

    template<class Condition>
    bool until(Condition condition) {
        return QTest::qWaitFor(
            [&] {
                rig.settle();
                return condition();
            },
            kWaitMs);
    }
    /// The machine is one of AWS.
    void isAws() {
        mock.replies["/latest/api/token"].body = "TOKEN1";
        mock.replies["/latest/meta-data/instance-id"].body = "i-01";
        mock.replies["/latest/meta-data/instance-type"].body = "c5.large";
        mock.replies["/latest/meta-data/placement/region"].body = "eu-west-1";
        mock.replies["/latest/meta-data/instance-life-cycle"].body = "spot";
    }

    coro::test::Rig rig;
    MetadataMock mock;

protected:
    ~WatchBench() = default;
    template<class Watch>
    void startWatch(Watch& watch) {
        rig.spawn("start", [](Watch& begun) -> coro::Task<void> {
            begun.start();
            co_return;
        }(watch));
        rig.settle();
    }
    template<class Watch>
    void stopWatch(Watch& watch) {
        rig.spawn("stop", [](WatchBench& bench, Watch& ended) -> coro::Task<void> {
            co_await ended.stop();
            co_await bench.mock.stop();
            bench.isStopped_ = true;
        }(*this, watch));
        until([this] { return isStopped_; });
    }

private:
    bool isStopped_ = false;
};

} // namespace yard::cloud::test
