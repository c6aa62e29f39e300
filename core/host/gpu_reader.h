// The GPUs of this machine, read on a thread of its own: a driver's call that does not come back holds up nobody but that
// thread. Without GPUs the thread ends at once.
//
// Thread-safe. Lifetime: the destructor gives the thread a second to end, then leaves it behind with all that it reads.
#pragma once

#include "core/host/gpus.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace yard::host {

class GpuReader {
public:
    using Tell = std::move_only_function<void(std::vector<GpuFigures>)>;

    /// Begins to find them. Parameters: those of Gpus.
    explicit GpuReader(std::string root = "/", std::string library = {});
    ~GpuReader();
    GpuReader(const GpuReader&) = delete;
    GpuReader& operator=(const GpuReader&) = delete;

    /// Those that were found. Nothing: not within `limit`; who asks again may get them. Blocks for that long.
    std::optional<std::vector<Gpu>> find(std::chrono::milliseconds limit) const;
    /// What each did when they were found, in the same order.
    std::vector<GpuFigures> first() const;
    /// Looks at all of them, then calls `tell` on the thread. Bound: one waits; another one takes its place. Where there
    /// are none, or at the end, `tell` is dropped.
    void look(Tell tell);

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
    std::thread thread_;
};

} // namespace yard::host
