#include "core/host/gpu_reader.h"

#include "core/base/thread_mutex.h"
#include "core/base/thread_name.h"

#include <utility>

namespace yard::host {

namespace {

constexpr std::chrono::seconds kEndWait{1};

} // namespace

/// Of the reader and its thread, which may outlive it.
struct GpuReader::Shared {
    ThreadMutex mutex;
    ThreadCondition changed; ///< any of what follows
    std::optional<std::vector<Gpu>> found YARD_GUARDED_BY(mutex);
    std::vector<GpuFigures> first YARD_GUARDED_BY(mutex);
    Tell asked YARD_GUARDED_BY(mutex);
    bool isEnding YARD_GUARDED_BY(mutex) = false;
    bool hasEnded YARD_GUARDED_BY(mutex) = false;

    void read(std::string root, std::string library);
    /// The next look; empty: it is the end.
    Tell next();
};

GpuReader::Tell GpuReader::Shared::next() {
    const ThreadLock lock(mutex);
    while (!asked && !isEnding) changed.wait(mutex);
    return isEnding ? Tell() : std::exchange(asked, {});
}

void GpuReader::Shared::read(std::string root, std::string library) {
    nameThisThread("gpus");
    {
        const Gpus gpus(std::move(root), std::move(library));
        {
            std::vector<GpuFigures> seen = gpus.look();
            const ThreadLock lock(mutex);
            first = std::move(seen);
            found = gpus.all();
            changed.notifyAll();
        }
        while (!gpus.all().empty()) {
            Tell tell = next();
            if (!tell) break;
            tell(gpus.look());
        }
    }
    Tell dropped; // without the lock: what it has may be anything
    const ThreadLock lock(mutex);
    hasEnded = true;
    std::swap(asked, dropped);
    changed.notifyAll();
}

GpuReader::GpuReader(std::string root, std::string library)
    : shared_(std::make_shared<Shared>())
    , thread_([shared = shared_, root = std::move(root), library = std::move(library)]() mutable {
        shared->read(std::move(root), std::move(library));
    }) {}

GpuReader::~GpuReader() {
    const auto until = std::chrono::steady_clock::now() + kEndWait;
    bool hasEnded = false;
    {
        const ThreadLock lock(shared_->mutex);
        shared_->isEnding = true;
        shared_->changed.notifyAll();
        while (!shared_->hasEnded && shared_->changed.waitUntil(shared_->mutex, until)) {
        }
        hasEnded = shared_->hasEnded;
    }
    if (hasEnded)
        thread_.join();
    else
        thread_.detach(); // it hangs in the driver
}

std::optional<std::vector<Gpu>> GpuReader::find(std::chrono::milliseconds limit) const {
    const auto until = std::chrono::steady_clock::now() + limit;
    const ThreadLock lock(shared_->mutex);
    while (!shared_->found && shared_->changed.waitUntil(shared_->mutex, until)) {
    }
    return shared_->found;
}

std::vector<GpuFigures> GpuReader::first() const {
    const ThreadLock lock(shared_->mutex);
    return shared_->first;
}

void GpuReader::look(Tell tell) {
    const ThreadLock lock(shared_->mutex);
    if (shared_->hasEnded) return;
    std::swap(shared_->asked, tell);
    shared_->changed.notifyAll();
}

} // namespace yard::host
