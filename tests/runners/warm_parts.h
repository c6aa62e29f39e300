// What the parts of the warm runner are tested with: a host that notes what it is asked, and processes that are only
// fields. No launcher, no process.
#pragma once

#include "core/runners/warm_process.h"
#include "core/runners/warm_state.h"

#include <QTemporaryDir>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <sys/epoll.h>
#include <utility>
#include <vector>

namespace yard::runners::test {

class NotingHost final : public WarmHost {
public:
    void prepare(const ProcessOrder& order) override { orders.push_back(order); }
    void discard(const ProcessOrder& order) override { discarded.push_back(order); }
    void remake(AttemptId request) override { remakes.push_back(request); }
    bool hold(std::uint64_t key, const Resources& resources) override {
        asked.push_back(key);
        amounts[key] = resources;
        return gives;
    }
    GivenResources given(std::uint64_t key) const override {
        const auto at = pieces.find(key);
        return at == pieces.end() ? GivenResources{} : at->second;
    }
    bool lacks(std::uint64_t, const std::string& resource) const override { return resource == lacking; }
    void letGo(std::uint64_t key) override { freed.push_back(key); }
    bool lacksMemory(const std::string&) const override { return false; }
    bool isCrowded() const override { return false; }
    void setWindow(std::uint32_t gate, int most) override { windows.emplace_back(gate, most); }
    void syncEntries() override { ++syncs; }
    void lookForRestart(const std::string& worker, const std::string&, bool) override { looks.push_back(worker); }

    std::vector<ProcessOrder> orders;
    std::vector<ProcessOrder> discarded;
    std::vector<AttemptId> remakes;
    std::vector<std::uint64_t> asked;               ///< keys of hold()
    std::vector<std::uint64_t> freed;               ///< of letGo()
    std::map<std::uint64_t, Resources> amounts;     ///< of hold(), by key
    std::map<std::uint64_t, GivenResources> pieces; ///< of given()
    std::string lacking;                            ///< of lacks()
    std::vector<std::pair<std::uint32_t, int>> windows;
    std::vector<std::string> looks;
    int syncs = 0;
    bool gives = true; ///< what hold() asks for
};

/// Notes what it is told, and starts nothing.
class NotingStarter final : public WarmProcessStarter {
public:
    void submit(Lease lease) override { leases.push_back(std::move(lease)); }
    void end(AttemptId id, Duration grace) override { ends.emplace_back(id, grace); }
    void acknowledge(SlotId, AttemptId id) override { acknowledged.push_back(id); }
    bool askOutput(AttemptId) override { return tells; }
    /// Of the process that was started last, its own end of the socket.
    int socket() const { return leases.back().socket->get(); }

    std::vector<Lease> leases;
    std::vector<std::pair<AttemptId, Duration>> ends;
    std::vector<AttemptId> acknowledged;
    bool tells = true;
};

inline std::shared_ptr<const WorkerDescriptor> warmDescriptor(const char* name, std::int64_t memoryMb = 0,
                                                              std::int64_t milliCores = 0) {
    auto made = std::make_shared<WorkerDescriptor>();
    made->name = made->pool.group = name;
    made->resources.memoryMb = memoryMb;
    made->resources.milliCores = milliCores;
    return made;
}

/// Each process asks for a GPU and a port, and keeps the GPU.
inline std::shared_ptr<const WorkerDescriptor> keepingDescriptor(const char* name) {
    auto made = std::make_shared<WorkerDescriptor>(*warmDescriptor(name, 100, 1000));
    made->resources.named = {{"gpus", 500}, {"port", 1000}};
    made->resources.gpuMemoryMb = 20;
    made->pool.keeps = {"gpus"};
    return made;
}

/// The state that parts share, in a directory of its own.
struct WarmParts {
    explicit WarmParts(bool durable = false)
        : shared(config(dir.path().toStdString(), durable), host) {
        shared.epoll.reset(::epoll_create1(EPOLL_CLOEXEC));
        if (!shared.timer.open()) qFatal("no timer");
    }
    static WarmConfig config(std::string dataDir, bool durable) {
        WarmConfig config;
        config.dataDir = std::move(dataDir);
        config.slots = 4;
        config.pool.max = 4;
        config.durable = durable;
        return config;
    }
    std::string path(const char* name) const { return dir.filePath(name).toStdString(); }

    QTemporaryDir dir;
    NotingHost host;
    WarmShared shared;
};

inline Lease warmLease(std::int64_t lsn, bool once = false, pool::GroupId group = {}) {
    Lease lease;
    lease.id = {Lsn(lsn), 1};
    lease.warm = WarmCall{.group = group, .spec = std::make_shared<ActionSpec>(), .root = {}};
    lease.warm->once = once;
    return lease;
}

} // namespace yard::runners::test
