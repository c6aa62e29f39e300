#include "core/engine/machines/lease_words.h"

#include "core/json/json_bytes.h"
#include "core/json/json_writer.h"
#include "core/model/unkept_env.h"

#include <string>
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

std::string specJson(const ActionSpec& spec, const Variables& env, const Resources& needs) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("worker", "exec");
    writer.key("argv");
    writer.openArray();
    for (const std::string& argument : spec.argv) writer.bytes(argument);
    writer.closeArray();
    writer.member("sandbox", spec.sandbox);
    writer.key("env");
    writer.openObject();
    for (const auto& [name, value] : env) {
        writer.keyBytes(name);
        writer.bytes(value);
    }
    writer.closeObject();
    writer.member("engine_env", spec.engineEnv);
    if (spec.stdinSource) writeStdin(writer, *spec.stdinSource);
    writeFiles(writer, spec);
    writeResources(writer, needs);
    writer.closeObject();
    return encodeJsonBytes(std::move(text));
}

} // namespace

Result<link::Lease> wordsOf(const ActionSpec& spec, const runners::Lease& lease, std::int64_t memoryMb) {
    const auto stays = [](const char* why) {
        return fail(ErrorKind::Invalid, std::string("It cannot run on another machine: ") + why);
    };
    if (!spec.isExec()) return stays("that runs commands, no workers yet.");
    if (spec.cwd) return stays("it names its \"cwd\".");
    if (spec.tty) return stays("it has a terminal.");
    if (!lease.locks.empty()) return stays("it claims locks, which are held here.");
    Resources needs = effectiveResources(spec);
    needs.memoryMb = memoryMb;
    link::Lease words;
    words.spec = specJson(spec, lease.env, needs);
    words.needs = {.milliCores = needs.milliCores, .memoryMb = needs.memoryMb};
    for (const auto& [name, amount] : needs.named) words.needs.named.emplace_back(name, amount);
    words.inputs = spec.inputChunks();
    return words;
}

} // namespace yard::engine
