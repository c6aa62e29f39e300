#include "app/yardmaster/entry.h"

#include "core/base/files.h"
#include "core/json/json_reader.h"
#include "core/launcher/child_environment.h"
#include "core/launcher/child_process.h"
#include "core/lease/attempt_lease.h"
#include "core/sandbox/plan.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace yard::app {

namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::size_t kMaxFile = 64u << 20;
/// The user outside, for root: no slot has this one.
constexpr std::uint32_t kOwnSlot = sandbox::kMostHostUsers - 1;

std::unexpected<Error> inFile(const std::string& path, const Error& error) {
    return fail(error.kind, fmt::format("{}: {}", path, error.message));
}

struct NumberField {
    std::string_view name;
    std::int64_t EntryLimits::* member;
};
constexpr std::array<NumberField, 6> kNumbers = {{{"memory_mb", &EntryLimits::memoryMb},
                                                  {"tmp_mb", &EntryLimits::tmpMb},
                                                  {"open_files", &EntryLimits::openFiles},
                                                  {"processes", &EntryLimits::processes},
                                                  {"file_bytes", &EntryLimits::fileBytes},
                                                  {"output_bytes", &EntryLimits::outputBytes}}};

/// One member of enter.json. False: it is not as it should be.
bool takeMember(JsonView member, Entry& entry, std::optional<std::int64_t>& index) {
    constexpr double kLongestSeconds = 1e9;
    const std::string_view key = member.key();
    const JsonNode& node = member.node();
    if (key == "sandbox" || key == "network") {
        (key == "sandbox" ? entry.limits.sandbox : entry.limits.network) = node.boolean;
        return node.kind == JsonKind::Bool;
    }
    if (key == "deadline_s") {
        const bool isWhole = node.kind == JsonKind::Integer;
        const double seconds = isWhole ? static_cast<double>(node.integer) : node.number;
        if ((!isWhole && node.kind != JsonKind::Number) || !(seconds >= 0 && seconds <= kLongestSeconds))
            return false;
        entry.limits.deadline = Duration(static_cast<std::int64_t>(seconds * 1e6));
        return true;
    }
    if (node.kind != JsonKind::Integer) return false;
    if (key == "index") {
        index = node.integer;
        return true;
    }
    if (node.integer < 0) return false;
    if (key == "format") return node.integer == kFormat;
    if (key == "lsn") entry.lsn = node.integer;
    if (key == "attempt") entry.attempt = node.integer;
    for (const NumberField& field : kNumbers)
        if (key == field.name) entry.limits.*field.member = node.integer;
    constexpr std::int64_t kMostMb = std::numeric_limits<std::int64_t>::max() >> 20;
    return entry.limits.memoryMb <= kMostMb && entry.limits.tmpMb <= kMostMb;
}

Result<void> readLimits(const std::string& path, Entry& entry, std::optional<std::int64_t>& index) {
    const auto text = readFile(path, kMaxFile);
    if (!text) return inFile(path, text.error());
    const auto tape = readJson(*text);
    if (!tape) return inFile(path, tape.error());
    bool hasFormat = false;
    if (tape->root().isObject())
        for (const JsonView member : tape->root()) {
            if (!takeMember(member, entry, index))
                return fail(ErrorKind::Invalid,
                            fmt::format("{}: \"{}\" is not as this yardmaster writes it", path, member.key()));
            hasFormat = hasFormat || member.key() == "format";
        }
    if (!hasFormat) return fail(ErrorKind::Invalid, fmt::format("{} is not what 'yardctl reproduce' writes", path));
    entry.limits.tmpMb = std::max<std::int64_t>(entry.limits.tmpMb, 1);
    return {};
}

Result<void> readAction(const std::string& path, Entry& entry, std::optional<std::int64_t> index) {
    const auto text = readFile(path, kMaxFile);
    if (!text) return inFile(path, text.error());
    const auto parsed = parseAction(*text);
    if (!parsed) return inFile(path, parsed.error());
    auto spec = std::make_shared<ActionSpec>(*parsed->spec);
    if (index) applyArrayIndex(*spec, *index);
    entry.spec = std::move(spec);
    return {};
}

Result<void> readWorker(const std::string& path, Entry& entry) {
    if (entry.spec->isExec()) return {};
    const auto text = readFile(path, kMaxFile);
    if (!text) return inFile(path, text.error());
    auto parsed = parseWorker(*text);
    if (!parsed) return inFile(path, parsed.error());
    entry.worker = std::move(parsed->descriptor);
    return {};
}

sandbox::Plan planOf(const Entry& entry) {
    const sandbox::Places places{.root = entry.directory,
                                 .workerDir = entry.worker ? entry.directory + "/worker" : std::string(),
                                 .dataDir = {},
                                 .hasInputs = entry.hasInputs};
    const sandbox::Policy policy{.networkAllowed = entry.limits.network,
                                 .defaultMemoryMb = entry.limits.memoryMb,
                                 .tmpMb = entry.limits.tmpMb};
    const std::uint32_t user = sandbox::hostUserOf(kOwnSlot);
    return entry.worker ? sandbox::planForWorker(*entry.worker, places, policy, user)
                        : sandbox::planForExec(*entry.spec, places, policy, user);
}

WorkerLimits limitsOf(const EntryLimits& given) {
    WorkerLimits limits;
    limits.processes = given.processes;
    limits.openFiles = given.openFiles;
    limits.fileBytes = given.fileBytes;
    limits.outputBytes = given.outputBytes;
    return limits;
}

/// Without the variables that the action gives.
runners::Lease bareLeaseOf(const Entry& entry) {
    const WorkerLimits limits = limitsOf(entry.limits);
    if (entry.limits.sandbox) {
        const auto plan = std::make_shared<const sandbox::Plan>(planOf(entry));
        return entry.worker ? runners::sandboxedLease(*entry.worker, limits, plan)
                            : runners::sandboxedLease(*entry.spec, limits, plan);
    }
    if (entry.worker) return runners::plainLease(*entry.worker, limits, entry.directory);
    runners::Lease lease;
    lease.argv = entry.spec->argv;
    lease.cwd = entry.spec->cwd.value_or(entry.directory);
    if (entry.spec->needsScratch()) lease.env.emplace_back("YARD_SCRATCH", entry.directory);
    return lease;
}

/// Of this process: here they are those of the engine.
std::vector<std::string> ownVariables() {
    std::vector<std::string> own;
    for (char** entry = environ; entry && *entry; ++entry) own.emplace_back(*entry);
    return own;
}

bool isThere(const std::string& path, mode_t type) {
    struct stat found{};
    return ::lstat(path.c_str(), &found) == 0 && (found.st_mode & S_IFMT) == type;
}

/// What is run, and how, is read from these: who could have written them could have us run anything.
Result<void> checkOwners(const std::string& directory) {
    for (const char* name : {"", "/enter.json", "/posted.json", "/worker.json"}) {
        const std::string path = directory + name;
        struct stat found{};
        if (::lstat(path.c_str(), &found) != 0) {
            if (errno == ENOENT) continue; // whoever needs it says so
            return failErrno(fmt::format("cannot look at {}", path), errno);
        }
        if (S_ISLNK(found.st_mode)) return fail(ErrorKind::Forbidden, fmt::format("{} is a link", path));
        if (found.st_uid != ::geteuid() && found.st_uid != 0)
            return fail(ErrorKind::Forbidden,
                        fmt::format("{} belongs to somebody else, who could have it run anything", path));
        if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
            return fail(ErrorKind::Forbidden,
                        fmt::format("others may write {}, and have it run anything: chmod go-w '{}'", path, path));
    }
    return {};
}

} // namespace

Result<Entry> readEntry(const std::string& directory) {
    struct Free {
        void operator()(char* text) const { std::free(text); }
    };
    const std::unique_ptr<char, Free> real(::realpath(directory.c_str(), nullptr));
    if (!real) return failErrno(fmt::format("cannot enter {}", directory), errno);
    Entry entry;
    entry.directory = real.get();
    if (auto ours = checkOwners(entry.directory); !ours) return std::unexpected(ours.error());
    std::optional<std::int64_t> index;
    if (auto read = readLimits(entry.directory + "/enter.json", entry, index); !read)
        return std::unexpected(read.error());
    if (auto read = readAction(entry.directory + "/posted.json", entry, index); !read)
        return std::unexpected(read.error());
    if (auto read = readWorker(entry.directory + "/worker.json", entry); !read)
        return std::unexpected(read.error());
    entry.hasInputs = isThere(entry.directory + "/inputs", S_IFDIR);
    entry.hasStdin = isThere(entry.directory + "/stdin", S_IFREG);
    for (const char* name : {"/outputs", "/worker"}) {
        const bool isNeeded = name == std::string_view("/outputs") || entry.worker;
        if (isNeeded && !isThere(entry.directory + name, S_IFDIR))
            return fail(ErrorKind::NotFound, fmt::format("{}{} is no directory", entry.directory, name));
    }
    return entry;
}

runners::Lease leaseOf(Entry& entry) {
    runners::Lease lease = bareLeaseOf(entry);
    lease.id = {.lsn = Lsn(entry.lsn), .attempt = static_cast<std::uint32_t>(entry.attempt)};
    const ActionSpec& spec = *entry.spec;
    lease.env.insert(lease.env.end(), spec.env.begin(), spec.env.end());
    for (const std::string& name : spec.unkeptEnv) {
        // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread yet
        if (const char* value = std::getenv(name.c_str()))
            lease.env.emplace_back(name, value);
        else
            entry.lacking.push_back(name);
    }
    lease.engineEnv = spec.engineEnv;
    lease.deadline = entry.limits.deadline;
    return lease;
}

std::vector<std::string> variablesOf(const runners::Lease& lease) {
    const std::string nobody;
    const std::vector<std::string> own = ownVariables();
    const runners::ChildEnvironment environment(own, nobody);
    std::vector<std::string> all;
    if (lease.sandbox) {
        all = environment.inside(lease);
    } else {
        const std::vector<std::string> given = environment.own(lease);
        std::vector<char*> pointers;
        environment.pointTo(lease, given, pointers);
        for (const char* text : pointers)
            if (text != nullptr) all.emplace_back(text);
    }
    // No engine owns it: none is to look for it.
    std::erase_if(all, [](const std::string& entry) { return entry.starts_with("YARD_OWNER="); });
    return all;
}

std::string programOf(const runners::Lease& lease, const std::string& wanted) {
    const std::string nobody;
    const std::vector<std::string> own = ownVariables();
    const std::string_view path = runners::ChildEnvironment(own, nobody).searchPath(lease);
    const runners::Lookup found = runners::lookUpProgram(wanted, path, lease.cwd);
    return found.path.empty() ? wanted : found.path;
}

} // namespace yard::app
