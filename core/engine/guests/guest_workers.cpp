#include "core/engine/guests/guest_workers.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/guests/guest_worker.h"
#include "core/lease/scratch.h"
#include "core/model/limits.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace yard::engine {

namespace {

struct MadeWorker {
    GuestWorkers::Ready ready;
    std::uint64_t bytes = 0;
};

/// Blocks.
Result<MadeWorker> makeWorker(store::ChunkStore& chunks, const std::string& directory, const Hash256& id,
                              bool sync) {
    auto text = chunks.read(id, kMaxSentWorkerBytes);
    if (!text) return std::unexpected(text.error());
    auto parsed = parseWorker(*text);
    if (!parsed) return std::unexpected(parsed.error());
    MadeWorker made{.ready = {.descriptor = parsed->descriptor, .directory = {}}};
    std::vector<runners::PlacedFile> files;
    for (const WorkerFile& file : made.ready.descriptor->files) {
        const auto size = chunks.sizeOf(file.hash);
        if (!size) return fail(ErrorKind::NotFound, fmt::format("{} of its worker is gone again", file.path));
        if (*size != file.size)
            return fail(ErrorKind::Invalid,
                        fmt::format("{} of its worker is not as long as its descriptor says", file.path));
        made.bytes += *size;
        files.push_back({file.path, file.hash, file.mode});
    }
    auto place = runners::ensureWorkerFiles(
        directory, id.hex(), files,
        [&chunks](const Hash256& hash, const std::string& path, unsigned mode) {
            return chunks.materialise(hash, path, mode);
        },
        sync);
    if (!place) return std::unexpected(place.error());
    made.ready.directory = std::move(*place);
    return made;
}

} // namespace

coro::Task<Result<GuestWorkers::Ready>> GuestWorkers::use(Hash256 id) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await mutex_.lock();
    if (!isClean_) co_await clean();
    if (const auto known = kept_.find(id); known != kept_.end()) {
        ++known->second.uses;
        known->second.lastUse = ++lastUse_;
        co_return known->second.ready;
    }
    auto made = co_await parts_.helpers.run(
        [&chunks = *chunks_, directory = parts_.directory, id, sync = parts_.settings.durability == "power"] {
            return makeWorker(chunks, directory, id, sync);
        });
    if (!made) co_return std::unexpected(made.error());
    kept_[id] = {.ready = made->ready, .bytes = made->bytes, .uses = 1, .lastUse = ++lastUse_};
    co_await makeRoom();
    co_return std::move(made->ready);
}

void GuestWorkers::release(const Hash256& id) {
    YARD_ASSERT_OWNER(owner_);
    if (const auto known = kept_.find(id); known != kept_.end() && known->second.uses > 0) --known->second.uses;
}

/// Which of them an earlier engine used last nobody knows.
coro::Task<void> GuestWorkers::clean() {
    const auto gone = co_await parts_.helpers.run([path = parts_.directory] { return removeTree(path); });
    if (!gone) logWarning("guests", "workers of other engines are left from before: {}", gone.error().message);
    isClean_ = true;
}

/// While nobody else makes one: the one that goes could come back meanwhile.
coro::Task<void> GuestWorkers::makeRoom() {
    const auto limit = static_cast<std::uint64_t>(parts_.settings.guestStoreMb) << 20;
    for (;;) {
        std::uint64_t bytes = 0;
        auto oldest = kept_.end();
        for (auto at = kept_.begin(); at != kept_.end(); ++at) {
            bytes += at->second.bytes;
            const bool isOlder = oldest == kept_.end() || at->second.lastUse < oldest->second.lastUse;
            if (at->second.uses == 0 && isOlder) oldest = at;
        }
        if ((kept_.size() <= kMostKept && bytes <= limit) || oldest == kept_.end()) co_return;
        const std::string id = oldest->first.hex();
        kept_.erase(oldest);
        const auto gone =
            co_await parts_.helpers.run([path = parts_.directory, id, stop = parts_.helpers.stopping()] {
                return runners::removeWorkerFiles(path, id, stop);
            });
        if (!gone) logWarning("guests", "the files of a worker are left: {}", gone.error().message);
    }
}

guests::LookedUp lookUpInputs(store::ChunkStore& chunks, const guests::DeskOut::Lookup& lookup) {
    guests::LookedUp answer{.missing = chunks.missing(lookup.hashes)};
    if (!lookup.worker || std::ranges::find(answer.missing, lookup.worker->id) != answer.missing.end())
        return answer;
    const auto text = chunks.read(lookup.worker->id, kMaxSentWorkerBytes);
    if (!text && text.error().kind == ErrorKind::NotFound) {
        answer.missing.push_back(lookup.worker->id); // it went meanwhile
        return answer;
    }
    if (!text) {
        answer.unfit = fmt::format("the descriptor of its worker cannot be read: {}", text.error().message);
        return answer;
    }
    const auto worker = guests::vetWorker(*text, *lookup.worker);
    if (!worker) {
        answer.unfit = worker.error();
        return answer;
    }
    answer.files = guests::filesOf(**worker);
    const std::vector<Hash256> lacking = chunks.missing(*answer.files);
    answer.missing.insert(answer.missing.end(), lacking.begin(), lacking.end());
    return answer;
}

} // namespace yard::engine
