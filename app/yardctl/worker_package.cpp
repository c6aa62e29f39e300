#include "app/yardctl/worker_package.h"

#include "core/model/worker_package.h"

namespace yard::ctl {

Outcome<WorkerPackage> openWorkerPackage(const std::string& path) {
    auto package = yard::readWorkerPackage(path);
    if (!package) return failedWith(package.error());
    WorkerPackage out{std::move(package->worker), {}};
    for (const PackedFile& file : package->files) out.files.add(file.content.hash, file.path);
    return out;
}

} // namespace yard::ctl
