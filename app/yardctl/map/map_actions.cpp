#include "app/yardctl/map/map_actions.h"

#include "app/yardctl/json_text.h"
#include "app/yardctl/run_action.h"
#include "core/base/environment.h"
#include "core/base/files.h"
#include "core/json/utf8.h"
#include "core/model/limits.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <sys/mman.h>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::size_t kMaxBlockText = 4'096; ///< more is a chunk

/// An object's text that members can be added to: "{" or "{…,".
std::string openObject(const json::object& object) {
    std::string text = compactJson(object);
    text.pop_back();
    if (text.size() > 1) text += ',';
    return text;
}

/// Shells have one of their own, which is not quite the same.
bool isOfShells(std::string_view program) {
    constexpr std::array<std::string_view, 6> kOwn{"echo", "printf", "test", "[", "kill", "pwd"};
    return std::ranges::find(kOwn, program) != kOwn.end();
}

Outcome<std::string> stdinText(const std::string& block, ChunkSource& files) {
    if (block.size() <= kMaxBlockText && isUtf8(block)) return compactJson(json::object{{"text", block}});
    UniqueFd file(::memfd_create("block", MFD_CLOEXEC));
    if (!file) return failedWith(failErrno("cannot make memory for a piece of stdin", errno).error());
    if (auto written = writeAll(file.get(), block); !written) return failedWith(written.error());
    const Hash256 hash = Sha256::of(block);
    files.add(hash, std::move(file), "a piece of stdin");
    return compactJson(json::object{{"hash", hash.hex()}});
}

} // namespace

Outcome<MapActions> MapActions::of(const Invocation& invocation, const CommandTemplate& command,
                                   const MapOptions& options, double cores) {
    json::object action{{"worker", "exec"}};
    ChunkSource none;
    if (auto placed = placeHere(invocation, action, none); !placed) return std::unexpected(placed.error());
    const Arguments& arguments = invocation.arguments;
    // What an engine that died had begun is begun again: a map is to come to its end.
    if (!arguments.has("interruptions")) action.erase("max_interruptions");
    if (options.timeoutSeconds) action["deadline_s"] = *options.timeoutSeconds;
    if (!arguments.has("cores") && cores > 0) {
        json::value& resources = action["resources"];
        if (!resources.is_object()) resources.emplace_object();
        resources.get_object()["cores"] = cores;
    }
    MapActions out;
    json::object env;
    if (auto* given = action.if_contains("env"); given && given->is_object()) env = given->get_object();
    env.erase(kSeqVariable); // of a map that runs this one
    env.erase(kSlotVariable);
    action.erase("env");
    out.common_ = openObject(action);
    out.env_ = openObject(env);
    out.shell_ = environment("PARALLEL_SHELL").value_or("/bin/sh");
    // Elsewhere, and with another $PATH, others are programs.
    const bool isHere = !invocation.engine.options().url && !arguments.has("clean-env") && !arguments.has("env") &&
                        !arguments.has("env-from") && !arguments.has("cwd") && !arguments.has("sandbox") &&
                        !mayRunElsewhere(arguments);
    const auto program = command.plainProgram();
    out.isDirect_ = isHere && program && !isOfShells(*program) && isProgramHere(*program);
    return out;
}

Outcome<std::string> MapActions::text(const PlannedJob& job, const CommandTemplate& command, int slot,
                                      ChunkSource& files) const {
    const JobWords words = job.words(slot);
    std::vector<std::string> argv;
    if (isDirect_)
        argv = command.argv(words);
    else
        argv = {shell_, "-c", command.line(words)};
    for (const std::string& word : argv)
        if (word.size() > kMaxArgumentBytes)
            return failed(
                fmt::format("the command of job {} has more than {} bytes, the most that the system takes: "
                            "give a job fewer values",
                            job.seq, kMaxArgumentBytes));
    std::string text = common_;
    text += R"("env":)" + env_;
    if (command.usesSlot()) text += fmt::format(R"("{}":"{}",)", kSlotVariable, slot);
    text += fmt::format(R"("{}":"{}"}},"argv":)", kSeqVariable, job.seq);
    text += compactJson(json::array(argv.begin(), argv.end()));
    if (job.block) {
        auto input = stdinText(*job.block, files);
        if (!input) return input;
        text += R"(,"stdin":)" + *input;
    }
    return text + '}';
}

} // namespace yard::ctl
