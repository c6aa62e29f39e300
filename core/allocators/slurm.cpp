#include "core/allocators/slurm.h"

#include "core/json/json_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace yard::allocators {

namespace {

constexpr std::int64_t kMostEnd = std::int64_t{1} << 40; ///< seconds; later is what nobody meant

/// For sh, as one word.
std::string quoted(std::string_view word) {
    std::string text = "'";
    for (const char byte : word) {
        if (byte == '\'') {
            text += "'\\''";
        } else {
            text += byte;
        }
    }
    return text + "'";
}

std::int64_t minutesOf(std::chrono::seconds time) {
    return std::chrono::ceil<std::chrono::minutes>(time).count();
}

bool isNumber(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char byte) { return byte >= '0' && byte <= '9'; });
}

/// A state is a word in Slurm 22, a list of words from 23.11 on: the first is the base state.
std::string_view wordOf(JsonView value) {
    if (value.kind() == JsonKind::String) return value.string();
    if (value.kind() == JsonKind::Array && value.count() > 0) {
        const JsonView first = *value.begin();
        if (first.kind() == JsonKind::String) return first.string();
    }
    return {};
}

struct Job {
    std::int64_t id = 0;
    std::string_view name;
    std::string_view state;
    std::string_view reason;
    std::int64_t endsAt = 0;
};

/// A number in Slurm 22; {"set","infinite","number"} from 23.02 on.
std::int64_t numberOf(JsonView value) {
    if (value.kind() == JsonKind::Integer) return value.node().integer;
    if (!value.isObject()) return 0;
    for (const JsonView member : value)
        if (member.key() == "number" && member.kind() == JsonKind::Integer) return member.node().integer;
    return 0;
}

Job readJob(JsonView object) {
    Job job;
    for (const JsonView member : object) {
        if (member.key() == "job_id" && member.kind() == JsonKind::Integer) job.id = member.node().integer;
        if (member.key() == "name" && member.kind() == JsonKind::String) job.name = member.string();
        if (member.key() == "end_time") job.endsAt = numberOf(member);
        if (member.key() == "job_state") job.state = wordOf(member);
        if (member.key() == "state_reason") job.reason = wordOf(member);
    }
    return job;
}

bool isThere(std::string_view state) {
    constexpr std::array<std::string_view, 8> kThere = {"PENDING",    "RUNNING",  "SUSPENDED",    "CONFIGURING",
                                                        "COMPLETING", "REQUEUED", "REQUEUE_HOLD", "RESIZING"};
    return std::ranges::find(kThere, state) != kThere.end();
}

/// What Slurm's word means, for whoever named partition and limits.
struct NeverReason {
    std::string_view word;
    std::string_view sentence;
};
constexpr std::array<NeverReason, 5> kNever = {{
    {.word = "PartitionTimeLimit", .sentence = "the walltime is over the partition's limit"},
    {.word = "PartitionConfig", .sentence = "no node of the partition can give that much"},
    {.word = "PartitionNodeLimit", .sentence = "that is more nodes or cores than the partition gives to one job"},
    {.word = "PartitionDown", .sentence = "the partition is down"},
    {.word = "PartitionInactive", .sentence = "the partition takes no jobs"},
}};

} // namespace

std::string pilotScript(const SlurmOptions& options) {
    const std::chrono::seconds lifetime = std::max(options.walltime - kSlurmReserve, kSlurmReserve);
    // Slurm sends some signals to the shell alone, and what a pilot keeps is of no use to the next one.
    return fmt::format(R"(#!/bin/sh
dir="${{TMPDIR:-/tmp}}/yard-pilot-${{SLURM_JOB_ID:-$$}}"
umask 077
mkdir -- "$dir" || exit 1
{} --headless --data-dir "$dir" --listen 127.0.0.1:0 --name "$YARD_PILOT" --set guest_unsandboxed=on --join "$YARD_JOIN_URL" --idle-exit {} --lifetime {} &
pid=$!
trap 'kill -TERM "$pid" 2>/dev/null' TERM INT HUP USR2
while :; do
    wait "$pid"
    code=$?
    kill -0 "$pid" 2>/dev/null || break
done
rm -rf -- "$dir"
exit "$code"
)",
                       quoted(options.program), options.idle.count(), lifetime.count());
}

std::string jobName(std::string_view allocator, std::string_view yard) {
    return fmt::format("yard-{}-{}", allocator, yard);
}

std::vector<std::string> submitCommand(const SlurmOptions& options, std::string_view jobName) {
    std::vector<std::string> command = {"sbatch", "--parsable", fmt::format("--job-name={}", jobName)};
    if (!options.partition.empty()) command.push_back(fmt::format("--partition={}", options.partition));
    command.push_back(fmt::format("--time={}", minutesOf(options.walltime)));
    command.push_back(fmt::format("--cpus-per-task={}", std::max(1.0, std::ceil(options.shape.cores))));
    if (options.shape.memoryMb > 0) command.push_back(fmt::format("--mem={}M", options.shape.memoryMb));
    if (options.shape.gpus > 0) command.push_back(fmt::format("--gres=gpu:{}", std::ceil(options.shape.gpus)));
    // B: without it Slurm tells everything but the script, which is all that there is.
    command.push_back(fmt::format("--signal=B:USR2@{}", kSlurmNotice.count()));
    // A pilot's end is a failure to look at, not one to begin again.
    command.emplace_back("--no-requeue");
    command.insert(command.end(), options.options.begin(), options.options.end());
    return command;
}

std::vector<std::string> listCommand() {
    return {"squeue", "--me", "--json"};
}

std::vector<std::string> endCommand(const std::vector<std::string>& jobs) {
    std::vector<std::string> command = {"scancel"};
    command.insert(command.end(), jobs.begin(), jobs.end());
    return command;
}

Result<std::string> readSubmitted(std::string_view output) {
    std::string_view line = output.substr(0, output.find('\n'));
    line = line.substr(0, line.find(';'));
    if (!isNumber(line))
        return fail(ErrorKind::Malformed, fmt::format("sbatch printed no job id: \"{}\".", line.substr(0, 200)));
    return std::string(line);
}

std::string slurmSentence(std::string_view errors, int exitCode) {
    while (!errors.empty() && (errors.back() == '\n' || errors.back() == ' ')) errors.remove_suffix(1);
    if (const auto at = errors.rfind('\n'); at != std::string_view::npos) errors.remove_prefix(at + 1);
    for (const std::string_view prefix :
         {"sbatch: error: ", "sbatch: fatal: ", "squeue: error: ", "scancel: error: "})
        if (errors.starts_with(prefix)) errors.remove_prefix(prefix.size());
    if (errors.empty()) return fmt::format("Slurm's command ended with exit code {} and said nothing.", exitCode);
    return std::string(errors.substr(0, 500));
}

Result<std::vector<Listed>> readListed(std::string_view json, std::string_view jobName) {
    const auto notAList = [] {
        return fail(ErrorKind::Malformed, "squeue --json printed no list of jobs; is Slurm older than 21.08?");
    };
    if (json.size() > kMaxSlurmOutput) return fail(ErrorKind::TooLarge, "squeue --json printed over 16 MiB.");
    const auto tape = readJson(json);
    if (!tape || !tape->root().isObject()) return notAList();
    std::vector<Listed> listed;
    bool hasJobs = false;
    for (const JsonView member : tape->root()) {
        if (member.key() != "jobs" || member.kind() != JsonKind::Array) continue;
        hasJobs = true;
        for (const JsonView object : member) {
            if (!object.isObject()) return notAList();
            const Job job = readJob(object);
            if (job.name != jobName || job.id <= 0 || !isThere(job.state)) continue;
            const bool waits = job.state == "PENDING";
            listed.push_back({.job = fmt::format("{}", job.id),
                              .isRunning = !waits && job.state != "REQUEUED" && job.state != "REQUEUE_HOLD",
                              .never = waits ? neverStarts(job.reason) : std::string(),
                              .endsAt = waits || job.state == "REQUEUED"
                                            ? 0
                                            : std::clamp<std::int64_t>(job.endsAt, 0, kMostEnd)});
        }
    }
    if (!hasJobs) return notAList();
    return listed;
}

std::string neverStarts(std::string_view reason) {
    const auto at = std::ranges::find(kNever, reason, &NeverReason::word);
    if (at == kNever.end()) return {};
    return fmt::format("Slurm never starts the job: {} ({}).", at->sentence, at->word);
}

} // namespace yard::allocators
