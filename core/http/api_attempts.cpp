// The attempts of an action, each with what it was asked to do, and in what two runs differ.
#include "core/http/compared_runs.h"

#include "core/engine/reading/action_rows.h"
#include "core/engine/running/sandboxing.h"
#include "core/engine/state/settings_service.h"
#include "core/http/error_map.h"
#include "core/http/handler_steps.h"
#include "core/json/json_writer.h"
#include "core/model/attempt_json.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::http {

namespace {

coro::Task<Response> listAttempts(Call& call) {
    const auto action = co_await call.engine.ask(&engine::ActionRows::action, call.lsn());
    if (!action) co_return errorResponse(action.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("lsn", action->lsn.value);
    writer.member("state", name(action->state));
    writer.key("attempts");
    writer.openArray();
    for (const AttemptRecord& attempt : attemptsOf(*action)) {
        writer.openObject();
        writeAttemptMembers(writer, attempt);
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

/// What runs, and where: the command as the system got it, of a worker its program.
void writeCommand(JsonWriter& writer, const KnownRun& known) {
    if (known.descriptor) {
        writer.key("command");
        writer.openArray();
        writer.string("worker/" + known.descriptor->executable);
        writer.closeArray();
        return;
    }
    if (!known.spec || known.spec->argv.empty()) return;
    writer.key("command");
    writer.openArray();
    for (const std::string& word : known.spec->argv) writer.bytes(word);
    writer.closeArray();
    if (!known.spec->cwd) return;
    writer.key("cwd");
    writer.bytes(*known.spec->cwd);
}

/// What worker and action give. Of an exec the engine's own variables come first, which nobody keeps.
void writeEnvironment(JsonWriter& writer, const KnownRun& known) {
    if (!known.spec) return;
    std::vector<std::pair<std::string, std::string>> all;
    if (known.descriptor) all = known.descriptor->environment;
    for (const auto& [key, value] : known.spec->env) {
        const auto at =
            std::ranges::find(all, key, [](const auto& one) -> const std::string& { return one.first; });
        if (at == all.end())
            all.emplace_back(key, value);
        else
            at->second = value;
    }
    writer.key("environment");
    writer.openObject();
    for (const auto& [key, value] : all) {
        writer.keyBytes(key);
        writer.bytes(value);
    }
    writer.closeObject();
}

void writeLimits(JsonWriter& writer, const KnownRun& known, const Settings& settings) {
    writer.key("limits");
    writer.openObject();
    if (known.run.deadline) writer.member("deadline_s", inSeconds(*known.run.deadline));
    if (known.spec) {
        const Resources resources =
            effectiveResources(*known.spec, known.descriptor ? known.descriptor->resources : Resources{});
        writer.member("cores", static_cast<double>(resources.milliCores) / 1'000);
        writer.member("memory_mb", resources.memoryMb);
        if (resources.gpuMemoryMb > 0) writer.member(kGpuMemory, resources.gpuMemoryMb);
    }
    if (known.descriptor || (known.spec && known.spec->sandbox)) { // of an exec the usual ones
        const WorkerLimits limits =
            engine::allowedLimits(known.descriptor ? known.descriptor->limits : WorkerLimits{}, settings);
        writer.member("processes", limits.processes);
        writer.member("open_files", limits.openFiles);
        writer.member("file_bytes", limits.fileBytes);
        writer.member("output_bytes", limits.outputBytes);
        writer.member("output_files", limits.outputFiles);
    }
    writer.closeObject();
}

coro::Task<Response> getAttempt(Call& call) {
    const auto number = readAttempt(call.capture(1));
    if (!number)
        co_return errorResponse(
            ErrorKind::NotFound,
            fmt::format("An attempt has a number from 1 on: GET jobs/{}/attempts lists them.", call.lsn().value));
    const auto known = co_await knownRun(call, call.lsn(), *number);
    if (!known) co_return errorResponse(known.error());
    const Settings settings = (co_await call.engine.ask(&engine::SettingsService::view)).asked;
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("lsn", call.lsn().value);
    writeAttemptMembers(writer, *known->run.attempt);
    writer.member("worker", known->run.action.workerId);
    if (!known->run.action.function.empty()) writer.member("function", known->run.action.function);
    writeCommand(writer, *known);
    writeEnvironment(writer, *known);
    writeLimits(writer, *known, settings);
    writeSamples(writer, known->run.attempt->outcome.samples);
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

void writeSide(JsonWriter& writer, std::string_view side, const ComparedRun& run) {
    writer.key(side);
    writer.openObject();
    writer.member("lsn", run.action.lsn.value);
    if (run.attempt) writer.member("attempt", run.attempt->n);
    writer.member("state", name(run.attempt ? run.attempt->outcome.state : run.action.state));
    writer.closeObject();
}

void writeDifference(JsonWriter& writer, const Difference& one) {
    writer.openObject();
    writer.member("what", one.what);
    writer.member("name", one.name);
    if (!one.a.empty()) {
        writer.key("a");
        writer.raw(one.a);
    }
    if (!one.b.empty()) {
        writer.key("b");
        writer.raw(one.b);
    }
    if (one.line != 0) writer.member("line", one.line);
    writer.closeObject();
}

std::string comparisonJson(const ComparedRun& a, const ComparedRun& b, const std::vector<Difference>& all) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writeSide(writer, "a", a);
    writeSide(writer, "b", b);
    writer.key("differences");
    writer.openArray();
    for (const Difference& one : all) writeDifference(writer, one);
    writer.closeArray();
    writer.closeObject();
    return text;
}

coro::Task<Response> compareJobs(Call& call) {
    const auto attempt = call.query.integer("attempt", 1, kMaxAttempt);
    if (!attempt) co_return errorResponse(attempt.error());
    std::optional<NamedRun> with;
    if (const auto named = call.query.text("with")) {
        const auto read = readNamedRun(*named);
        if (!read) co_return errorResponse(read.error());
        if (auto inQueue = co_await checkQueue(call, read->lsn); !inQueue) co_return errorResponse(inQueue.error());
        with = *read;
    }
    const auto a = co_await knownRun(call, call.lsn(), static_cast<std::uint32_t>(attempt->value_or(0)));
    if (!a) co_return errorResponse(a.error());
    const auto b = with ? co_await knownRun(call, with->lsn, with->attempt) : co_await lastGoodRun(call, *a);
    if (!b) co_return errorResponse(b.error());
    using Both = std::pair<ComparedRun, ComparedRun>;
    const auto both = std::make_shared<const Both>(a->run, b->run);
    auto all = co_await call.helpers.run(
        [both]() -> std::vector<Difference> { return differencesOf(both->first, both->second); });
    if (a->run.attempt && b->run.attempt) {
        auto output = co_await outputDifference(call, *a->run.attempt, *b->run.attempt);
        if (!output) co_return errorResponse(output.error());
        if (*output) all.push_back(std::move(**output));
    }
    co_return jsonResponse(comparisonJson(a->run, b->run, all));
}

} // namespace

std::span<const Route> attemptRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "jobs/{lsn}/attempts", Both, None, Needs::Read},
         &listAttempts,
         {.id = "listAttempts",
          .summary = "The attempts of an action that began, with what each left; the one under way last",
          .answers = {{{200, "Attempts"}}}}},
        {{Get, "jobs/{lsn}/attempts/{n}", Both, None, Needs::Read},
         &getAttempt,
         {.id = "getAttempt",
          .summary = "One attempt: how it went, what it left and used, its command, environment and limits",
          .answers = {{{200, "AttemptDetail"}}}}},
        {{Get, "jobs/{lsn}/compare", Both, None, Needs::Read},
         &compareJobs,
         {.id = "compareJobs",
          .summary = "In what a run differs from another one; by default from the last good run of the same work",
          .query = "with attempt",
          .answers = {{{200, "Comparison"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
