// A pool with a host that does at once, or on demand, what it asks for; verify() after each step.
#pragma once

#include "core/pool/pool.h"

#include <QtTest>

#include <algorithm>
#include <string>
#include <vector>

namespace yard::pool {

class PoolTest {
public:
    explicit PoolTest(PoolOptions options = {.max = 4, .maxPerGroup = 0, .maxIdle = Duration(300'000'000)})
        : pool(options) {}

    GroupId group(const char* key, GroupOptions options = {}, const char* family = nullptr) {
        const GroupId id = pool.addGroup(key, family ? family : key, options, now, out);
        step();
        return id;
    }
    /// The process, or nothing when it waits.
    std::optional<ProcessId> checkout(GroupId g, std::uint64_t tag = 0) {
        const auto got = pool.checkout(g, tag, now, out);
        waiter = got.waiter;
        step();
        return got.process;
    }
    void close(ProcessId p, bool answered = true) {
        pool.close(p, answered, now, out);
        step();
    }
    /// Everything that was ordered comes up.
    void spawnAll(unsigned concurrency = 1) {
        while (!starting.empty()) spawnOne(concurrency);
    }
    ProcessId spawnOne(unsigned concurrency = 1) {
        const ProcessId p = starting.front().process;
        starting.erase(starting.begin());
        pool.spawned(p, concurrency, 0, now, out);
        step();
        return p;
    }
    void failOne() {
        const ProcessId p = starting.front().process;
        starting.erase(starting.begin());
        pool.spawnFailed(p, now, out);
        step();
    }
    /// Everything that was told to end is gone.
    void reap() {
        while (!ending.empty()) {
            const ProcessId p = ending.front().process;
            ending.erase(ending.begin());
            pool.gone(p, now, out);
            step();
        }
    }
    /// A group with one process, which is idle.
    ProcessId warm(GroupId g) {
        checkout(g, 999);
        const ProcessId p = spawnOne();
        close(p);
        served.clear();
        return p;
    }
    void pass(Duration time) { now += time; }
    void step() {
        for (const auto& spawn : out.spawn) starting.push_back(spawn);
        for (const auto& end : out.end) {
            std::erase_if(starting, [&](const auto& s) { return s.process == end.process; });
            ending.push_back(end);
        }
        std::ranges::copy(out.served, std::back_inserter(served));
        std::ranges::copy(out.failed, std::back_inserter(failed));
        std::ranges::copy(out.finishing, std::back_inserter(finishing));
        restarted += out.restarted.size();
        std::ranges::copy(out.rolledBack, std::back_inserter(rolledBack));
        out.clear();
        const std::string broken = pool.verify();
        QVERIFY2(broken.empty(), broken.c_str());
    }
    ProcessState stateOf(ProcessId p) const {
        const auto view = pool.process(p);
        return view ? view->state : ProcessState::Gone;
    }

    Pool pool;
    Outbox out;
    MonoTime now{Duration(1'000'000'000)};
    WaiterId waiter;
    std::vector<Outbox::Spawn> starting;
    std::vector<Outbox::End> ending;
    std::vector<Outbox::Served> served;
    std::vector<Outbox::Failed> failed;
    std::vector<Outbox::Finishing> finishing;
    std::size_t restarted = 0;
    std::vector<Outbox::RolledBack> rolledBack;
};

} // namespace yard::pool
