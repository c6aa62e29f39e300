// The JSON codec of worker descriptors. What is accepted here is kept under its hash forever, so shapes are
// checked in full, those of the pool's member too.

#include "core/model/worker.h"

#include "core/json/canonical_json.h"
#include "core/json/json_reader.h"
#include "core/json/utf8.h"
#include "core/model/json_fields.h"
#include "core/model/resource_fields.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace yard {

namespace {

constexpr std::array<std::string_view, 10> kRouteWords{"exec", "all",     "cancel",  "retry",   "retire",
                                                       "hold", "release", "history", "running", "completed"};

/// "0755" or "755". What stands before the nine permission bits must be zero: no set-id bits, no sticky bit.
std::optional<unsigned> parseMode(std::string_view text) {
    if (text.size() == 4 && text[0] == '0') text.remove_prefix(1);
    if (text.size() != 3) return std::nullopt;
    unsigned mode = 0;
    for (const char c : text) {
        if (c < '0' || c > '7') return std::nullopt;
        mode = mode * 8 + static_cast<unsigned>(c - '0');
    }
    return mode;
}

struct FileSeen {
    bool path = false;
    bool hash = false;
    bool size = false;
    bool mode = false;
};

bool readFileMember(JsonFields& fields, JsonView v, const FieldPath& at, WorkerFile& file, FileSeen& seen) {
    if (v.key() == "path") return seen.path = fields.path(v, at, file.path);
    if (v.key() == "hash") return seen.hash = fields.hash(v, at, file.hash);
    if (v.key() == "size") {
        std::int64_t size = 0;
        seen.size = fields.integer(v, at, 0, kMaxExactInteger, size);
        file.size = static_cast<std::uint64_t>(size);
        return seen.size;
    }
    if (v.key() != "mode") return fields.refuseUnknown(at);
    const auto mode = v.kind() == JsonKind::String ? parseMode(v.string()) : std::nullopt;
    if (!mode) return fields.refuse(at, "permission bits in octal such as \"0755\", without set-id bits");
    file.mode = *mode;
    return seen.mode = true;
}

bool readFiles(JsonFields& fields, JsonView v, WorkerDescriptor& worker, std::vector<FileSeen>& modes) {
    if (!fields.array(v, {v.key()}, 1, kMaxFiles)) return false;
    worker.files.reserve(v.count());
    for (const JsonView entry : v) {
        const auto index = static_cast<std::int64_t>(worker.files.size());
        if (!fields.object(entry, {.member = "files", .index = index})) return false;
        WorkerFile& file = worker.files.emplace_back();
        FileSeen seen;
        for (const JsonView member : entry)
            if (!readFileMember(fields, member, {.member = "files", .index = index, .inner = member.key()}, file,
                                seen))
                return false;
        if (!seen.path || !seen.hash || !seen.size)
            return fields.refuse({.member = "files", .index = index},
                                 "an object with \"path\", \"hash\" and \"size\"");
        modes.push_back(seen);
    }
    std::vector<std::string_view> paths;
    for (const WorkerFile& file : worker.files) paths.emplace_back(file.path);
    if (const auto conflict = conflictingPath(paths))
        return fields.refuseWith({"files"},
                                 fmt::format("Rename the file {} in \"files\": another one has its path or "
                                             "is a file where this needs a directory.",
                                             quoted(*conflict)));
    return true;
}

bool readFunctions(JsonFields& fields, JsonView v, WorkerDescriptor& worker) {
    if (!fields.array(v, {v.key()}, 0, kMaxFunctions)) return false;
    for (const JsonView entry : v) {
        const auto index = static_cast<std::int64_t>(worker.functions.size());
        if (!fields.object(entry, {.member = "functions", .index = index})) return false;
        WorkerFunction function;
        for (const JsonView member : entry) {
            const FieldPath at{.member = "functions", .index = index, .inner = member.key()};
            if (member.key() == "name") {
                if (!fields.word(member, at, 1, kMaxWordBytes, function.name)) return false;
            } else if (member.key() == "version") {
                if (!fields.word(member, at, 0, kMaxWordBytes, function.version)) return false;
            } else if (member.key() == "files") {
                if (!fields.boolean(member, at, function.files)) return false;
            } else {
                return fields.refuseUnknown(at);
            }
        }
        if (function.name.empty())
            return fields.refuse({.member = "functions", .index = index},
                                 "an object with \"name\" and \"version\"");
        if (worker.function(function.name))
            return fields.refuseWith(
                {.member = "functions", .index = index},
                fmt::format("Name the function {} once in \"functions\".", quoted(function.name)));
        worker.functions.push_back(std::move(function));
    }
    return true;
}

bool readLimits(JsonFields& fields, JsonView v, WorkerLimits& limits) {
    struct Limit {
        std::string_view name;
        std::int64_t WorkerLimits::* field;
        std::int64_t least;
        std::int64_t most;
    };
    static constexpr std::array kLimits{
        Limit{"processes", &WorkerLimits::processes, 1, kMaxProcesses},
        Limit{"open_files", &WorkerLimits::openFiles, 1, kMaxProcesses},
        Limit{"file_bytes", &WorkerLimits::fileBytes, 0, kMaxExactInteger},
        Limit{"output_bytes", &WorkerLimits::outputBytes, 0, kMaxExactInteger},
        Limit{"output_files", &WorkerLimits::outputFiles, 0, kMaxProcesses},
    };
    if (!fields.object(v, {v.key()})) return false;
    for (const JsonView member : v) {
        const FieldPath at{.member = "limits", .inner = member.key()};
        const auto limit = std::ranges::find(kLimits, member.key(), &Limit::name);
        if (limit == kLimits.end()) return fields.refuseUnknown(at);
        if (!fields.integer(member, at, limit->least, limit->most, limits.*limit->field)) return false;
    }
    return true;
}

bool isOneOf(JsonView v, std::string_view a, std::string_view b) {
    return v.kind() == JsonKind::String && (v.string() == a || v.string() == b);
}

bool readPoolMember(JsonFields& fields, JsonView v, WorkerPool& pool) {
    const FieldPath at{.member = "pool", .inner = v.key()};
    struct Count {
        std::string_view name;
        unsigned WorkerPool::* field;
        std::int64_t least;
    };
    static constexpr std::array kCounts{Count{"min_processes", &WorkerPool::minProcesses, 0},
                                        Count{"max_processes", &WorkerPool::maxProcesses, 1},
                                        Count{"max_requests", &WorkerPool::maxRequests, 0}};
    if (const auto one = std::ranges::find(kCounts, v.key(), &Count::name); one != kCounts.end()) {
        std::int64_t count = 0;
        if (!fields.integer(v, at, one->least, kMaxProcesses, count)) return false;
        pool.*one->field = static_cast<unsigned>(count);
        return true;
    }
    if (v.key() == "max_idle_s") return fields.seconds(v, at, true, pool.maxIdle.emplace());
    if (v.key() == "group") {
        if (v.kind() != JsonKind::String || !isPlainName(v.string()))
            return fields.refuse(at, "a name like a worker's");
        pool.group = v.string();
        return true;
    }
    if (v.key() == "queue") {
        if (!isOneOf(v, "global", "private")) return fields.refuse(at, "\"global\" or \"private\"");
        pool.globalQueue = v.string() == "global";
        return true;
    }
    if (v.key() == "io") {
        if (!isOneOf(v, "files", "inline") && !isOneOf(v, "auto", "auto"))
            return fields.refuse(at, "\"auto\", \"files\" or \"inline\"");
        pool.io = v.string() == "files"    ? WorkerIo::Files
                  : v.string() == "inline" ? WorkerIo::Inline
                                           : WorkerIo::Auto;
        return true;
    }
    if (v.key() == "keeps") {
        if (!fields.array(v, at, 0, kMaxNamedResources)) return false;
        for (const JsonView name : v) {
            if (name.kind() != JsonKind::String) return fields.refuse(at, "a list of names of \"resources\"");
            pool.keeps.emplace_back(name.string());
        }
        std::ranges::sort(pool.keeps);
        return true;
    }
    if (v.key() != "restart_dir") return fields.refuseUnknown(at);
    if (v.kind() != JsonKind::String || !v.string().starts_with('/')) return fields.path(v, at, pool.restartDir);
    return fields.word(v, at, 1, kMaxCwdBytes, pool.restartDir);
}

bool readPool(JsonFields& fields, JsonView v, WorkerDescriptor& worker) {
    if (!fields.object(v, {v.key()})) return false;
    for (const JsonView member : v)
        if (!readPoolMember(fields, member, worker.pool)) return false;
    auto text = canonicalJson(v);
    if (!text) return fields.refuseWith({"pool"}, std::move(text.error().message));
    worker.poolJson = std::move(*text);
    return true;
}

/// Cores and memory are members of the descriptor itself.
bool readNamedAmounts(JsonFields& fields, JsonView v, Resources& resources) {
    if (!fields.object(v, {v.key()}, kMaxNamedResources + 1)) return false;
    for (const JsonView amount : v) {
        if (amount.key() == "cores" || amount.key() == "memory_mb")
            return fields.refuseWith({.member = v.key(), .inner = amount.key()},
                                     fmt::format("Give {} beside \"resources\", not in it.", quoted(amount.key())));
        if (!readNamedResource(fields, amount, resources)) return false;
    }
    return finishResources(fields, resources);
}

bool readName(JsonFields& fields, JsonView v, WorkerDescriptor& worker) {
    if (v.kind() != JsonKind::String || !isPlainName(v.string()))
        return fields.refuse({v.key()}, "a letter, then letters, digits, \".\", \"_\" or \"-\", at most 64 in all");
    if (!isWorkerName(v.string()))
        return fields.refuseWith(
            {v.key()},
            fmt::format("Choose another \"name\": {} is a word of the API's routes.", quoted(v.string())));
    worker.name = v.string();
    return true;
}

bool readVersion(JsonFields& fields, JsonView v, WorkerDescriptor& worker) {
    if (v.kind() != JsonKind::String || !isWorkerVersion(v.string()))
        return fields.refuse({v.key()},
                             "1 to 64 letters, digits or \".\", \"_\", \"+\", \"~\", \"-\", such as \"1.2.0\"");
    worker.version = v.string();
    return true;
}

bool readPlatform(JsonFields& fields, JsonView v, WorkerDescriptor& worker) {
    if (v.kind() != JsonKind::String || !isPlainName(v.string()))
        return fields.refuse({v.key()}, "a system and a processor, such as \"linux-x86_64\"");
    worker.platform = v.string();
    return true;
}

bool readMode(JsonFields& fields, JsonView v, WorkerDescriptor& worker) {
    if (!isOneOf(v, "process", "warm")) return fields.refuse({v.key()}, "\"process\" or \"warm\"");
    worker.mode = v.string() == "warm" ? WorkerMode::Warm : WorkerMode::Process;
    return true;
}

bool readMember(JsonFields& fields, JsonView v, WorkerDescriptor& worker, std::vector<FileSeen>& modes) {
    const std::string_view key = v.key();
    if (key == "name") return readName(fields, v, worker);
    if (key == "version") return readVersion(fields, v, worker);
    if (key == "platform") return readPlatform(fields, v, worker);
    if (key == "executable") return fields.path(v, {key}, worker.executable);
    if (key == "files") return readFiles(fields, v, worker, modes);
    if (key == "environment") return fields.environment(v, key, worker.environment);
    if (key == "functions") return readFunctions(fields, v, worker);
    if (key == "cores") return fields.thousandths(v, {key}, 1, kMaxMilliCores, worker.resources.milliCores);
    if (key == "memory_mb") return fields.integer(v, {key}, 0, kMaxMemoryMb, worker.resources.memoryMb);
    if (key == "resources") return readNamedAmounts(fields, v, worker.resources);
    if (key == "deadline_s") return fields.seconds(v, {key}, false, worker.deadline.emplace());
    if (key == "network") return fields.boolean(v, {key}, worker.network);
    if (key == "limits") return readLimits(fields, v, worker.limits);
    if (key == "mode") return readMode(fields, v, worker);
    if (key == "pool") return readPool(fields, v, worker);
    return fields.refuseUnknown({key});
}

/// The executable must be a file that may be executed; without a mode of its own it gets one.
bool checkExecutable(JsonFields& fields, WorkerDescriptor& worker, const std::vector<FileSeen>& modes) {
    const auto file = std::ranges::find(worker.files, worker.executable, &WorkerFile::path);
    if (file == worker.files.end()) return fields.refuse({"executable"}, "the path of one of \"files\"");
    const auto index = file - worker.files.begin();
    if (!modes[static_cast<std::size_t>(index)].mode) file->mode = 0755;
    return (file->mode & 0100) != 0 ||
           fields.refuse({.member = "files", .index = index, .inner = "mode"}, "\"0755\", as it is the executable");
}

bool checkComplete(JsonFields& fields, const WorkerDescriptor& worker) {
    if (worker.name.empty()) return fields.refuseMissing("name", "what actions call the worker");
    if (worker.version.empty()) return fields.refuseMissing("version", "such as \"1.0.0\"");
    if (worker.platform.empty()) return fields.refuseMissing("platform", "such as \"linux-x86_64\"");
    if (worker.executable.empty()) return fields.refuseMissing("executable", "the path of one of \"files\"");
    if (worker.files.empty())
        return fields.refuseMissing("files", "the worker's files with path, hash, size and mode");
    for (const std::string& name : worker.pool.keeps)
        if (!worker.resources.amountOf(name))
            return fields.refuseWith(
                {.member = "pool", .inner = "keeps"},
                fmt::format("Give {} an amount in \"resources\", or take it out of \"keeps\".", quoted(name)));
    return true;
}

} // namespace

const WorkerFunction* WorkerDescriptor::function(std::string_view functionName) const {
    const auto found = std::ranges::find(functions, functionName, &WorkerFunction::name);
    return found == functions.end() ? nullptr : &*found;
}

bool WorkerDescriptor::needsDirectory(std::string_view functionName, bool hasFiles) const {
    if (pool.io != WorkerIo::Auto) return pool.io == WorkerIo::Files;
    if (hasFiles) return true;
    const WorkerFunction* found = function(functionName);
    return found && found->files;
}

Result<ParsedWorker> parseWorker(std::string_view json) {
    const auto tape = readJson(json);
    if (!tape) return std::unexpected(tape.error());
    if (!tape->root().isObject()) return invalid("", "Give the worker's descriptor as a JSON object.");
    JsonFields fields("a worker's descriptor");
    auto descriptor = std::make_shared<WorkerDescriptor>();
    std::vector<FileSeen> modes;
    for (const JsonView member : tape->root())
        if (!readMember(fields, member, *descriptor, modes)) return fields.error();
    if (!checkComplete(fields, *descriptor) || !checkExecutable(fields, *descriptor, modes)) return fields.error();
    if (descriptor->pool.group.empty()) descriptor->pool.group = descriptor->name;
    auto canonical = canonicalJson(tape->root());
    if (!canonical) return std::unexpected(std::move(canonical.error()));
    return ParsedWorker{.id = Sha256::of(*canonical), .canonical = std::move(*canonical), .descriptor = descriptor};
}

bool isWorkerName(std::string_view name) {
    return isPlainName(name) && std::ranges::find(kRouteWords, name) == kRouteWords.end();
}

bool isWorkerVersion(std::string_view version) {
    const auto isAlnum = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    return !version.empty() && version.size() <= 64 && isAlnum(version[0]) &&
           std::ranges::all_of(version, [&](char c) {
               return isAlnum(c) || c == '.' || c == '_' || c == '+' || c == '~' || c == '-';
           });
}

bool isWorkerReference(std::string_view text) {
    if (text == "exec" || (text.size() == 64 && Hash256::fromHex(text))) return true;
    const std::size_t at = text.find('@');
    if (at == std::string_view::npos) return isWorkerName(text);
    return isWorkerName(text.substr(0, at)) && isWorkerVersion(text.substr(at + 1));
}

std::string_view thisPlatform() {
#if defined(_WIN32)
    return "windows-x86_64";
#elif defined(__APPLE__) && defined(__aarch64__)
    return "macos-aarch64";
#elif defined(__APPLE__)
    return "macos-x86_64";
#elif defined(__aarch64__)
    return "linux-aarch64";
#elif defined(__x86_64__)
    return "linux-x86_64";
#else
    return "linux-other";
#endif
}

} // namespace yard
