#include "core/guests/guest_vetting.h"

#include "core/json/utf8.h"
#include "core/model/limits.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::guests {
namespace {

Duration bounded(std::uint64_t milliseconds) {
    constexpr auto kMost = static_cast<std::uint64_t>(kMaxSeconds) * 1'000;
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(milliseconds, kMost)));
}

/// Why such an action cannot be run for others; empty: it can, as far as its worker has no part in it.
std::string unfit(const ActionSpec& spec, std::string_view worker, const GuestLimits& limits) {
    if (spec.worker != (worker.empty() ? std::string_view("exec") : worker))
        return "its lease says another worker than its action";
    if (!worker.empty() && !Hash256::fromHex(worker)) return "its worker is not said by its id";
    if (spec.isExec() && !spec.sandbox && !limits.unsandboxed)
        return "this machine runs nothing outside a sandbox for others (guest_unsandboxed)";
    if (spec.array) return "an array is no attempt: its elements are";
    if (spec.tty) return "this machine has no terminal for guests";
    if (spec.cwd) return "a command for another machine cannot name its \"cwd\"";
    if (!spec.unkeptEnv.empty())
        return fmt::format("the value of its variable {} did not come along",
                           plainLine(spec.unkeptEnv.front(), link::kMaxNameBytes));
    return {};
}

/// What the yard counts, but not less than the action says itself: the yard may be wrong.
Resources needsOf(const ActionSpec& spec, const link::Amounts& said) {
    Resources needs = effectiveResources(spec);
    needs.milliCores = std::max(needs.milliCores, said.milliCores);
    needs.memoryMb = std::max(needs.memoryMb, said.memoryMb);
    return needs;
}

std::string tooLarge(const Resources& needs, const link::Amounts& said, const GuestLimits& limits) {
    if (needs.milliCores > limits.milliCores)
        return fmt::format("it needs {} cores, and this machine gives guests {} (guest_cores)",
                           static_cast<double>(needs.milliCores) / 1000,
                           static_cast<double>(limits.milliCores) / 1000);
    if (needs.memoryMb > limits.memoryMb)
        return fmt::format("it needs {} MB of memory, and this machine gives guests {} (guest_memory_mb)",
                           needs.memoryMb, limits.memoryMb);
    for (const auto& [name, amount] : needs.named)
        if (amount > 0) return fmt::format("this machine gives guests no {}", plainLine(name, link::kMaxNameBytes));
    for (const auto& [name, amount] : said.named)
        if (amount > 0) return fmt::format("this machine gives guests no {}", plainLine(name, link::kMaxNameBytes));
    return {};
}

std::vector<Hash256> inputsOf(const ActionSpec& spec, const std::vector<Hash256>& said,
                              const std::optional<Hash256>& worker) {
    std::vector<Hash256> all = spec.inputChunks();
    all.insert(all.end(), said.begin(), said.end());
    if (worker) all.push_back(*worker);
    std::ranges::sort(all);
    const auto twice = std::ranges::unique(all);
    all.erase(twice.begin(), twice.end());
    return all;
}

} // namespace

std::expected<GuestAttempt, std::string> vet(const link::Lease& lease, const GuestLimits& limits) {
    Result<ParsedAction> parsed = parseAction(lease.spec);
    if (!parsed) return std::unexpected("its action is not one that this machine reads: " + parsed.error().message);
    const ActionSpec& spec = *parsed->spec;
    if (std::string why = unfit(spec, lease.worker, limits); !why.empty()) return std::unexpected(std::move(why));
    Resources needs = needsOf(spec, lease.needs);
    if (std::string why = tooLarge(needs, lease.needs, limits); !why.empty())
        return std::unexpected(std::move(why));
    const auto worker = lease.worker.empty() ? std::nullopt : Hash256::fromHex(lease.worker);
    return GuestAttempt{.id = lease.id,
                        .spec = parsed->spec,
                        .worker = worker,
                        .deadline = bounded(lease.deadlineMs),
                        .grace = bounded(lease.graceMs),
                        .needs = std::move(needs),
                        .inputs = inputsOf(spec, lease.inputs, worker),
                        .once = lease.once};
}

std::string plainLine(std::string_view text, std::size_t limit) {
    std::string line;
    const std::string whole = wellFormed(text.substr(0, limit));
    for (std::string_view left = whole; !left.empty();) {
        const std::string_view one = left.substr(0, utf8SequenceLength(left));
        left.remove_prefix(one.size());
        line += hasControlCharacters(one) ? std::string_view(" ") : one;
    }
    return std::string(utf8Prefix(line, limit));
}

} // namespace yard::guests
