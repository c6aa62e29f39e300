#include "app/yardctl/reproduction.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/chunks.h"
#include "app/yardctl/engine_start.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "core/base/hash.h"
#include "core/model/action_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>
#include <vector>

namespace yard::ctl {

namespace {

constexpr std::int64_t kEnterFormat = 1;
constexpr std::size_t kLongestProgram = 4'096;

/// The bytes of a chunk into a new file. Fails where they are not those of its hash.
Outcome<void> writeNewChunk(Engine& engine, std::int64_t lsn, const Hash256& hash, const NewDirectory& directory,
                            const std::string& path, unsigned mode) {
    const auto file = directory.file(path, mode);
    if (!file) return std::unexpected(file.error());
    const auto came = receiveChunk(engine, lsn, hash, file->get());
    if (!came) return failed(fmt::format("cannot fetch {}: {}", path, came.error().message));
    if (*came != hash) return failed(fmt::format("what came for {} is not what its hash says; try again", path));
    return {};
}

/// --enter starts programs as this system does. Those of another one would fail with words of the kernel.
Outcome<void> checkPlatform(std::int64_t lsn, std::string_view platform) {
    if (!platform.starts_with("windows-")) return {};
    return failed(
        fmt::format("action {} is a program for Windows ({}), which cannot be run again without the "
                    "engine: 'yardctl edit {}' submits it again, 'yardctl show {} -o DIR' saves its outputs",
                    lsn, printable(platform), lsn, lsn));
}

std::string enterScript(std::string_view comment, std::string_view how) {
    return fmt::format("#!/bin/sh\n# {}\n"
                       "here=$(cd \"$(dirname \"$0\")\" && pwd) || exit 1\n"
                       "exec \"${{YARDMASTER:-{}}}\" --enter \"$here\" --enter-with {}\n",
                       comment, commandName(std::vector<std::string>{engineProgram()}, kLongestProgram), how);
}

} // namespace

Outcome<Reproduction> Reproduction::of(Engine& engine, NamedAttempt named) {
    Reproduction made;
    made.named_ = named;
    if (auto read = made.readAction(engine); !read) return std::unexpected(read.error());
    if (auto read = made.readWorker(engine); !read) return std::unexpected(read.error());
    if (auto read = made.readLimits(engine); !read) return std::unexpected(read.error());
    return made;
}

Outcome<void> Reproduction::readAction(Engine& engine) {
    if (named_.attempt == 0) {
        const auto list = engine.get(fmt::format("jobs/{}/attempts", named_.lsn));
        if (!list) return failedWith(list.error());
        const json::array* attempts = arrayOf(list->object, "attempts");
        const json::object* last = attempts && !attempts->empty() ? attempts->back().if_object() : nullptr;
        if (!last) return failed(fmt::format("action {} has not been started yet", named_.lsn));
        named_.attempt = integerOf(*last, "n").value_or(0);
    }
    auto attempt = engine.get(fmt::format("jobs/{}/attempts/{}", named_.lsn, named_.attempt));
    if (!attempt) return failedWith(attempt.error());
    attempt_ = std::move(attempt->object);
    auto spec = engine.get(fmt::format("jobs/{}/spec?element=1", named_.lsn));
    if (!spec) return failedWith(spec.error());
    const auto parsed = parseAction(spec->text);
    if (!parsed) return failedWith(parsed.error());
    posted_ = parsed->text;
    auto known = std::make_shared<ActionSpec>(*parsed->spec);
    if (known->array && known->array->from != known->array->to)
        return failed(fmt::format("the engine does not say which element of its array action {} is", named_.lsn));
    if (known->array) applyArrayIndex(*known, known->array->from); // it is one element
    spec_ = std::move(known);
    return {};
}

Outcome<void> Reproduction::readWorker(Engine& engine) {
    const std::string id(textOf(attempt_, "worker"));
    if (spec_->isExec()) return checkPlatform(named_.lsn, spec_->platform);
    if (!Hash256::fromHex(id)) return failed("the engine names a worker by no id");
    auto worker = engine.get("workers/" + id);
    if (!worker) return failed(fmt::format("its worker is not registered any more: {}", worker.error().message));
    worker->object.erase("id");
    const auto parsed = parseWorker(compactJson(worker->object));
    if (!parsed) return failedWith(parsed.error());
    if (parsed->id.hex() != id)
        return failed(
            "the worker's descriptor is not what its id says; a token that sees its environment is needed");
    worker_ = parsed->canonical;
    descriptor_ = parsed->descriptor;
    return checkPlatform(named_.lsn, descriptor_->platform);
}

/// As core/engine/running/sandboxing has them of the settings.
Outcome<void> Reproduction::readLimits(Engine& engine) {
    const auto settings = engine.get("settings");
    if (!settings) return failedWith(settings.error());
    const auto session = engine.get("session");
    if (!session) return failedWith(session.error());
    const json::object* sandbox = objectOf(session->object, "sandbox");
    const json::value* workers = sandbox ? sandbox->if_contains("workers") : nullptr;
    sandboxed_ = descriptor_ ? !workers || !workers->is_bool() || workers->get_bool() : spec_->sandbox;
    network_ = descriptor_ && descriptor_->network && textOf(settings->object, "sandbox_network") == "asked";
    const std::int64_t asked = descriptor_        ? descriptor_->resources.memoryMb
                               : spec_->resources ? spec_->resources->memoryMb
                                                  : 0;
    const auto setting = [&settings](std::string_view name) {
        return integerOf(settings->object, name).value_or(0);
    };
    const json::object* machine = objectOf(session->object, "machine");
    machine_ = machine ? printable(textOf(*machine, "name")) : std::string();
    const std::int64_t all = machine ? integerOf(*machine, "memory_bytes").value_or(0) >> 20 : 0;
    const std::int64_t percent = setting("guard_hold_percent") > 0   ? setting("guard_hold_percent")
                                 : setting("guard_stop_percent") > 0 ? setting("guard_stop_percent")
                                                                     : 100;
    const std::int64_t usual =
        setting("default_memory_mb") > 0 ? setting("default_memory_mb") : all * percent / 100;
    memoryMb_ = std::max<std::int64_t>(asked > 0 ? asked : usual, 0);
    tmpMb_ = std::max<std::int64_t>(setting("sandbox_tmp_mb"), 1);
    return {};
}

/// What yardmaster --enter cannot find out from action and worker alone.
std::string Reproduction::enterFile() const {
    const json::object* limits = objectOf(attempt_, "limits");
    const auto limit = [limits](std::string_view name) {
        return std::max<std::int64_t>(limits ? integerOf(*limits, name).value_or(0) : 0, 0);
    };
    json::object all{{"format", kEnterFormat},
                     {"lsn", named_.lsn},
                     {"attempt", named_.attempt},
                     {"sandbox", sandboxed_},
                     {"network", network_},
                     {"memory_mb", memoryMb_},
                     {"tmp_mb", tmpMb_},
                     {"open_files", limit("open_files")},
                     {"processes", limit("processes")},
                     {"file_bytes", limit("file_bytes")},
                     {"output_bytes", limit("output_bytes")},
                     {"deadline_s", limits ? numberOf(*limits, "deadline_s").value_or(0) : 0}};
    if (spec_->array) all["index"] = spec_->array->from;
    return compactJson(all) + "\n";
}

/// As a worker's action.json (docs/api.md, 2).
std::string Reproduction::actionFile() const {
    json::object inputs;
    for (const auto& [name, hash] : spec_->inputs) inputs[name] = hash.hex();
    return fmt::format(R"({{"lsn":{},"function":{},"args":{},"inputs":{}}})", named_.lsn,
                       compactJson(json::string(spec_->function)), spec_->args.empty() ? "null" : spec_->args,
                       compactJson(inputs));
}

Outcome<void> Reproduction::writeChunks(Engine& engine, const NewDirectory& directory) const {
    constexpr unsigned kReadOnly = 0444;
    for (const auto& [name, hash] : spec_->inputs) {
        if (!isSafeRelativePath(name))
            return failed(fmt::format("the input '{}' has no safe name", printable(name)));
        if (auto wrote = writeNewChunk(engine, named_.lsn, hash, directory, "inputs/" + name, kReadOnly); !wrote)
            return wrote;
    }
    if (spec_->stdinSource && spec_->stdinSource->chunk)
        if (auto wrote =
                writeNewChunk(engine, named_.lsn, *spec_->stdinSource->chunk, directory, "stdin", kReadOnly);
            !wrote)
            return wrote;
    if (!descriptor_) return {};
    for (const WorkerFile& file : descriptor_->files)
        if (auto wrote =
                writeNewChunk(engine, named_.lsn, file.hash, directory, "worker/" + file.path, file.mode & 0755);
            !wrote)
            return wrote;
    return {};
}

std::string Reproduction::readme() const {
    const std::string what =
        descriptor_ ? fmt::format("{} {}, function {}", descriptor_->name, descriptor_->version, spec_->function)
                    : commandName(spec_->argv, 400);
    std::string text = fmt::format(
        "Attempt {} of action {}: {}\nIt {}.\n\n"
        "  ./run     runs it again, with the same input, variables and limits, and exits as it does\n"
        "  ./shell   a shell in the same place\n"
        "  ./debug   gdb at the start of the program\n\n"
        "They need yardmaster ({}; YARDMASTER names another one), and no engine. What it\n"
        "leaves is in outputs/, which a second run does not empty.\n\nThe same as then: {}.\n\nNot the same:\n",
        named_.attempt, named_.lsn, printable(what), stateWords(attempt_), engineProgram(),
        sandboxed_
            ? "its files, its variables, the sandbox with its namespaces and its filter of system calls, and\n"
              "the limits of each process"
            : "its files and its variables, in a directory of its own unless it named one");
    text += fmt::format("  - the machine{}: its load, kernel, libraries and time\n",
                        machine_.empty() ? "" : fmt::format(" (the engine is on {})", machine_));
    text += network_ ? "  - what the network answers\n" : "";
    text += "  - limits of the whole tree of processes (memory, cores, the room in outputs/): only those of each\n"
            "    process hold, and in a sandbox the deadline, for ./run\n"
            "  - limits are those that held when this was written\n"
            "  - named locks and resources are not taken\n";
    if (spec_->cwd) text += fmt::format("  - the files in {} may have changed\n", printable(*spec_->cwd));
    if (!descriptor_ && spec_->engineEnv)
        text += "  - the variables of the engine itself: those of your shell are in their place\n";
    if (descriptor_ && descriptor_->mode == WorkerMode::Warm)
        text +=
            "  - it ran in a process that stayed warm; here one is started for it alone, which asks its kit to\n"
            "    read action.json\n";
    if (spec_->tty) text += "  - the size of its terminal\n";
    if (!spec_->unkeptEnv.empty())
        text += fmt::format("  - values of {} are not kept: give {} in your shell\n",
                            printable(fmt::format("{}", fmt::join(spec_->unkeptEnv, ", "))),
                            spec_->unkeptEnv.size() == 1 ? "it" : "them");
    return text;
}

Outcome<void> Reproduction::writeTo(Engine& engine, const NewDirectory& directory) const {
    constexpr unsigned kFile = 0644;
    constexpr unsigned kProgram = 0755;
    constexpr unsigned kSecret = 0600;
    for (const char* name : {"inputs", "outputs"})
        if (auto made = directory.directory(name); !made) return made;
    if (auto wrote = writeChunks(engine, directory); !wrote) return wrote;
    struct File {
        std::string_view name;
        unsigned mode;
        std::string bytes;
    };
    std::vector<File> files = {{"posted.json", kSecret, posted_ + "\n"},
                               {"enter.json", kFile, enterFile()},
                               {"README", kFile, readme()},
                               {"run", kProgram, enterScript("Runs it again, and exits as it does.", "run")},
                               {"shell", kProgram, enterScript("A shell in its sandbox.", "shell")},
                               {"debug", kProgram, enterScript("gdb at the start of its program.", "debug")}};
    if (descriptor_) {
        files.push_back({"worker.json", kSecret, worker_ + "\n"});
        files.push_back({"action.json", 0444, actionFile()});
    }
    if (spec_->stdinSource && !spec_->stdinSource->chunk)
        files.push_back({"stdin", 0444, spec_->stdinSource->text});
    for (const File& file : files)
        if (auto wrote = directory.write(std::string(file.name), file.mode, file.bytes); !wrote) return wrote;
    return {};
}

} // namespace yard::ctl
