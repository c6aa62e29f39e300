#include "core/guests/update_batch.h"

#include "core/link/frame.h"

#include <utility>

namespace yard::guests {
namespace {

/// The reference, kind, number and length of a text: what an update takes beside its text.
constexpr std::size_t kUpdateBytes = 25;

bool isOutput(link::UpdateKind kind) {
    return kind == link::UpdateKind::Output || kind == link::UpdateKind::ErrorOutput;
}

/// Bodies that are filled one after the other.
class Bodies {
public:
    void add(link::Update update) {
        constexpr std::size_t kMost = 512u << 10;
        const std::size_t size = kUpdateBytes + update.text.size();
        if (made_.empty() || bytes_ + size > kMost || made_.back().size() >= link::kMaxUpdates) {
            made_.emplace_back();
            bytes_ = 0;
        }
        bytes_ += size;
        made_.back().push_back(std::move(update));
    }
    std::vector<link::Updates> take() { return std::move(made_); }

private:
    std::vector<link::Updates> made_;
    std::size_t bytes_ = 0;
};

} // namespace

void UpdateBatch::note(link::Update update) {
    Pending& pending = all_[update.id];
    changed_.insert(update.id);
    if (isOutput(update.kind))
        noteOutput(pending, update);
    else
        pending.latest.insert_or_assign(update.kind, std::move(update));
}

void UpdateBatch::noteOutput(Pending& pending, const link::Update& update) {
    Output& output = pending.output[update.kind];
    std::string_view fresh = update.text;
    std::uint64_t offset = update.number;
    if (fresh.size() > link::kMaxUpdateBytes) {
        offset += fresh.size() - link::kMaxUpdateBytes;
        fresh.remove_prefix(fresh.size() - link::kMaxUpdateBytes);
    }
    if (output.offset + output.bytes.size() != offset) {
        bytes_ -= output.bytes.size();
        output = {.offset = offset};
    }
    if (bytes_ + fresh.size() > kPendingBytes) return;
    output.bytes += fresh;
    bytes_ += fresh.size();
    if (output.bytes.size() <= link::kMaxUpdateBytes) return;
    const std::size_t over = output.bytes.size() - link::kMaxUpdateBytes;
    output.bytes.erase(0, over);
    output.offset += over;
    bytes_ -= over;
}

void UpdateBatch::drop(link::AttemptRef id) {
    changed_.erase(id);
    const auto at = all_.find(id);
    if (at == all_.end()) return;
    for (const auto& [kind, output] : at->second.output) bytes_ -= output.bytes.size();
    all_.erase(at);
}

void UpdateBatch::dropOutput() {
    for (auto& [id, pending] : all_) pending.output.clear();
    bytes_ = 0;
}

std::vector<link::Updates> UpdateBatch::take(link::BootTime now) {
    Bodies bodies;
    for (auto at = changed_.begin(); at != changed_.end();) {
        Pending& pending = all_[*at];
        if (pending.latest.empty() && pending.output.empty()) { // what there was is dropped
            at = changed_.erase(at);
            continue;
        }
        if (pending.sent && now - *pending.sent < kPause) {
            ++at;
            continue;
        }
        pending.sent = now;
        for (auto& [kind, update] : pending.latest) bodies.add(std::move(update));
        pending.latest.clear();
        for (auto& [kind, output] : pending.output) {
            bytes_ -= output.bytes.size();
            if (!output.bytes.empty())
                bodies.add({.id = *at, .kind = kind, .number = output.offset, .text = std::move(output.bytes)});
        }
        pending.output.clear();
        at = changed_.erase(at);
    }
    return bodies.take();
}

} // namespace yard::guests
