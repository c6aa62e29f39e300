#include "core/engine/machines/lease_words.h"

#include "core/json/json_bytes.h"
#include "core/json/json_writer.h"
#include "core/model/unkept_env.h"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

namespace yard::engine {

namespace {

constexpr double kThousand = 1'000;

void writeStdin(JsonWriter& writer, const StdinSource& source) {
    writer.key("stdin");
    writer.openObject();
    if (source.chunk)
        writer.member("hash", source.chunk->hex());
    else
        writer.member("text", source.text);
    writer.closeObject();
}

void writeFiles(JsonWriter& writer, const ActionSpec& spec) {
    writer.key("inputs");
    writer.openObject();
    for (const auto& [path, hash] : spec.inputs) writer.member(path, hash.hex());
    writer.closeObject();
    writer.key("expect");
    writer.openArray();
    for (const std::string& path : spec.expect) writer.string(path);
    writer.closeArray();
}

void writeResources(JsonWriter& writer, const Resources& needs) {
    writer.key("resources");
    writer.openObject();
    writer.member("cores", static_cast<double>(needs.milliCores) / kThousand);
    writer.member("memory_mb", needs.memoryMb);
    for (const auto& [name, amount] : needs.named) writer.member(name, static_cast<double>(amount) / kThousand);
    writer.closeObject();
}

void writeCommand(JsonWriter& writer, const ActionSpec& spec) {
    writer.member("worker", "exec");
    writer.key("argv");
    writer.openArray();
    for (const std::string& argument : spec.argv) writer.bytes(argument);
    writer.closeArray();
    writer.member("sandbox", spec.sandbox);
    writer.member("engine_env", spec.engineEnv);
    if (spec.stdinSource) writeStdin(writer, *spec.stdinSource);
}

/// Its id, whatever the action calls it: a name may mean another one there.
void writeFunction(JsonWriter& writer, const ActionSpec& spec, const RegisteredWorker& worker) {
    writer.member("worker", worker.id);
    writer.member("function", spec.function);
    if (spec.args.empty()) return;
    writer.key("args");
    writer.raw(spec.args);
}

std::string specJson(const ActionSpec& spec, const Variables& env, const Resources& needs,
                     const RegisteredWorker* worker) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    if (worker)
        writeFunction(writer, spec, *worker);
    else
        writeCommand(writer, spec);
    writer.key("env");
    writer.openObject();
    for (const auto& [name, value] : env) {
        writer.keyBytes(name);
        writer.bytes(value);
    }
    writer.closeObject();
    writeFiles(writer, spec);
    writeResources(writer, needs);
    writer.closeObject();
    return encodeJsonBytes(std::move(text));
}

} // namespace

Result<link::Lease> wordsOf(const ActionSpec& spec, const runners::Lease& lease, std::int64_t memoryMb,
                            const RegisteredWorker* worker) {
    const auto stays = [](std::string_view why) {
        return fail(ErrorKind::Invalid, fmt::format("It cannot run on another machine: {}.", why));
    };
    if (!spec.isExec() && !worker) return stays("its worker was removed");
    if (worker)
        if (const std::string why = whyNotElsewhere(*worker); !why.empty()) return stays(why);
    if (spec.cwd) return stays("it names its \"cwd\"");
    if (spec.tty) return stays("it has a terminal");
    if (!lease.locks.empty()) return stays("it claims locks, which are held here");
    Resources needs = effectiveResources(spec, worker ? worker->descriptor->resources : Resources{});
    link::Lease words;
    if (!worker) words.spec = specJson(spec, lease.env, needs, nullptr); // what it asks for bounds it, as here
    needs.memoryMb = memoryMb;
    if (worker) words.spec = specJson(spec, lease.env, needs, worker); // its own limit is its worker's
    if (worker) words.worker = worker->id;
    words.needs = {.milliCores = needs.milliCores, .memoryMb = needs.memoryMb};
    for (const auto& [name, amount] : needs.named) words.needs.named.emplace_back(name, amount);
    words.inputs = spec.inputChunks();
    return words;
}

} // namespace yard::engine
