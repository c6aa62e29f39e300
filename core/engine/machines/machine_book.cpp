#include "core/engine/machines/machine_book.h"

#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/json/document.h"
#include "core/json/lenient.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>
#include <system_error>

namespace yard::engine {

namespace {

constexpr std::string_view kMachineKind = "machine";
constexpr std::string_view kLeaseKind = "lease";
constexpr unsigned kMostSlots = 4'096;
/// Attempts at once that take another amount than one core.
constexpr unsigned kMostOthers = 256;

std::string_view wordOf(fleet::Gate wish) {
    if (wish == fleet::Gate::Paused) return "paused";
    return wish == fleet::Gate::Draining ? "draining" : "open";
}

fleet::Gate wishOf(std::string_view word) {
    if (word == "paused") return fleet::Gate::Paused;
    return word == "draining" ? fleet::Gate::Draining : fleet::Gate::Open;
}

std::optional<DialTarget> dialFrom(const JsonView& object) {
    DialTarget target;
    if (!object.isObject()) return std::nullopt;
    for (const JsonView member : object) {
        if (member.key() == "url") target.url = textOrEmpty(member);
        if (member.key() == "fingerprint") target.fingerprint = textOrEmpty(member);
        if (member.key() == "token") target.token = textOrEmpty(member);
        if (member.key() == "install") target.installs = isTrue(member);
    }
    if (target.url.empty()) return std::nullopt;
    return target;
}

std::optional<KeptMachine> machineFrom(std::string_view body) {
    const auto tape = readDocument(body);
    if (!tape) return std::nullopt;
    KeptMachine machine;
    for (const JsonView member : tape->root()) {
        const std::string_view key = member.key();
        if (key == "key") machine.key = textOrEmpty(member);
        if (key == "name") machine.name = textOrEmpty(member);
        if (key == "platform") machine.platform = textOrEmpty(member);
        if (key == "version") machine.version = textOrEmpty(member);
        if (key == "run_id") machine.runId = textOrEmpty(member);
        if (key == "milli_cores") machine.milliCores = integerOrZero(member);
        if (key == "memory_mb") machine.memoryMb = integerOrZero(member);
        if (key == "wish") machine.wish = wishOf(textOrEmpty(member));
        if (key == "most_milli_cores") machine.mostMilliCores = std::max<std::int64_t>(0, integerOrZero(member));
        if (key == "most_memory_mb") machine.mostMemoryMb = std::max<std::int64_t>(0, integerOrZero(member));
        if (key == "hours") machine.hours = textOrEmpty(member);
        if (key == "utc_offset")
            machine.utcOffset = static_cast<std::int32_t>(
                std::clamp<std::int64_t>(integerOrZero(member), -link::kMostUtcOffset, link::kMostUtcOffset));
        if (key == "workers") machine.takesWorkers = isTrue(member);
        if (key == "dial") machine.dial = dialFrom(member);
        if (key == "removed") machine.isRemoved = isTrue(member);
        if (key == "tags" && member.kind() == JsonKind::Array)
            for (const JsonView tag : member) machine.tags.push_back(textOrEmpty(tag));
    }
    if (machine.name.empty() || machine.milliCores <= 0) return std::nullopt;
    return machine;
}

/// A machine that cannot be read. It gets nothing, and nobody comes back as it.
KeptMachine standsFor(const std::string& document) {
    constexpr std::size_t kShown = 8;
    return {.key = {},
            .name = fmt::format("unread-{}", document.substr(0, kShown)),
            .platform = {},
            .version = {},
            .runId = {},
            .milliCores = 1'000,
            .isRemoved = true,
            .isUnread = true};
}

std::optional<std::int64_t> numberFrom(std::string_view text) {
    std::int64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || number <= 0) return std::nullopt;
    return number;
}

std::optional<KeptLease> leaseFrom(std::string_view body) {
    const auto takeWord = [&body] {
        const std::string_view word = body.substr(0, body.find(' '));
        body.remove_prefix(std::min(body.size(), word.size() + 1));
        return word;
    };
    const auto attempt = numberFrom(takeWord());
    const auto lease = numberFrom(takeWord());
    KeptLease kept;
    kept.holder = std::string(takeWord());
    kept.runId = std::string(body);
    if (!attempt || *attempt > std::int64_t{UINT32_MAX} || !lease || kept.holder.empty()) return std::nullopt;
    kept.attempt = static_cast<std::uint32_t>(*attempt);
    kept.lease = std::chrono::milliseconds(*lease);
    return kept;
}

} // namespace

std::string documentOf(std::string_view key) {
    return Sha256::of(key).hex();
}

static void writeMachineMembers(JsonWriter& writer, const KeptMachine& machine) {
    writer.member("key", machine.key);
    writer.member("name", machine.name);
    writer.member("platform", machine.platform);
    writer.member("version", machine.version);
    writer.member("run_id", machine.runId);
    writer.member("milli_cores", machine.milliCores);
    writer.member("memory_mb", machine.memoryMb);
    writer.member("wish", wordOf(machine.wish));
    if (machine.mostMilliCores > 0) writer.member("most_milli_cores", machine.mostMilliCores);
    if (machine.mostMemoryMb > 0) writer.member("most_memory_mb", machine.mostMemoryMb);
    if (!machine.hours.empty()) writer.member("hours", machine.hours);
    if (machine.utcOffset != 0) writer.member("utc_offset", machine.utcOffset);
    if (machine.takesWorkers) writer.member("workers", true);
    if (machine.dial) {
        writer.key("dial");
        writer.openObject();
        writer.member("url", machine.dial->url);
        writer.member("fingerprint", machine.dial->fingerprint);
        writer.member("token", machine.dial->token);
        if (machine.dial->installs) writer.member("install", true);
        writer.closeObject();
    }
    if (machine.isRemoved) writer.member("removed", true);
    writer.key("tags");
    writer.openArray();
    for (const std::string& tag : machine.tags) writer.string(tag);
    writer.closeArray();
}

store::DocumentChange keep(const KeptMachine& machine) {
    std::string body = writeDocument([&machine](JsonWriter& writer) { writeMachineMembers(writer, machine); });
    return {.kind = std::string(kMachineKind), .name = documentOf(machine.key), .body = std::move(body)};
}

store::DocumentChange forgetMachine(std::string_view document) {
    return {.kind = std::string(kMachineKind), .name = std::string(document), .body = {}};
}

store::DocumentChange keep(Lsn lsn, const KeptLease& lease) {
    const auto length = std::chrono::duration_cast<std::chrono::milliseconds>(lease.lease).count();
    return {.kind = std::string(kLeaseKind),
            .name = std::to_string(lsn.value),
            .body = fmt::format("{} {} {} {}", lease.attempt, length, lease.holder, lease.runId)};
}

store::DocumentChange forgetLease(Lsn lsn) {
    return {.kind = std::string(kLeaseKind), .name = std::to_string(lsn.value), .body = {}};
}

fleet::Machine placeOf(const KeptMachine& machine) {
    fleet::Machine place;
    place.name = machine.name;
    place.platform = machine.platform;
    place.tags = machine.tags;
    place.takesWorkers = machine.takesWorkers;
    const auto most = [](std::int64_t gives, std::int64_t limit) {
        return std::max<std::int64_t>(0, limit > 0 ? std::min(gives, limit) : gives);
    };
    place.total = {.milliCores = most(machine.milliCores, machine.mostMilliCores),
                   .memoryMb = most(machine.memoryMb, machine.mostMemoryMb),
                   .named = {}};
    // As many as it gives: it may be let have more later.
    place.slots = static_cast<std::uint32_t>(std::clamp<std::int64_t>(machine.milliCores / 1'000, 1, kMostSlots));
    place.otherSlots = std::min(place.slots, kMostOthers);
    return place;
}

MachineBook MachineBook::from(std::span<const store::DocumentRow> documents) {
    MachineBook book;
    std::size_t damaged = 0;
    std::set<std::string> unread; // machines that may run what their leases say
    for (const store::DocumentRow& document : documents) {
        if (document.kind == kMachineKind) {
            auto machine = machineFrom(document.body);
            if (machine && documentOf(machine->key) == document.name)
                book.machines.emplace(document.name, std::move(*machine));
            else
                unread.insert(document.name);
        } else if (document.kind == kLeaseKind) {
            const auto lsn = numberFrom(document.name);
            auto lease = leaseFrom(document.body);
            if (lsn && lease)
                book.leases.emplace(Lsn(*lsn), std::move(*lease));
            else
                ++damaged;
            if (lsn && !lease && std::to_string(*lsn) == document.name) book.orphans.emplace_back(*lsn);
        }
    }
    for (const auto& [lsn, lease] : book.leases)
        if (unread.contains(lease.holder)) book.machines.try_emplace(lease.holder, standsFor(lease.holder));
    damaged += unread.size() + std::erase_if(book.leases, [&](const auto& entry) {
                   const std::string& holder = entry.second.holder;
                   if (book.machines.contains(holder)) return false;
                   book.orphans.push_back(entry.first);
                   return true;
               });
    if (damaged > 0) logWarning("engine", "{} notes on other machines in the journal cannot be read", damaged);
    return book;
}

const KeptLease* MachineBook::find(Lsn lsn, std::uint32_t attempts) const {
    const auto at = leases.find(lsn);
    return at != leases.end() && at->second.attempt == attempts + 1 ? &at->second : nullptr;
}

} // namespace yard::engine
