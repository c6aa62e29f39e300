#include "core/lifecycle/tick.h"

#include "core/json/canonical_json.h"
#include "core/lifecycle/field_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace yard::lifecycle {
namespace {

constexpr double kMaxLookIn = 366.0 * 86'400;
constexpr std::array kKinds{EffectKind::Create, EffectKind::Submit, EffectKind::Wake, EffectKind::Call};

bool isFitFor(EffectKind kind, JsonView v) {
    if (kind == EffectKind::Create || kind == EffectKind::Submit) return v.isObject();
    if (kind == EffectKind::Call) return v.kind() == JsonKind::String;
    if (v.kind() == JsonKind::String) return v.string() == "parent" || v.string() == "children";
    if (v.kind() != JsonKind::Array) return false;
    for (const JsonView id : v)
        if (id.kind() != JsonKind::Integer || id.node().integer <= 0) return false;
    return true;
}

/// As which the next look sees what is submitted.
bool isActionName(JsonView v) {
    return v.kind() == JsonKind::String && isLifecycleName(v.string());
}

Result<Effect> readEffect(JsonView v) {
    const auto refuse = [] {
        return invalid("effects", "Give each effect as one of create, submit, wake and call, with what it needs.");
    };
    if (!v.isObject()) return refuse();
    std::optional<EffectKind> found;
    for (const JsonView member : v) {
        const auto* kind = std::ranges::find(kKinds, member.key(), [](EffectKind k) { return name(k); });
        if (kind == kKinds.end()) {
            if (member.key() != "as" && member.key() != "args") return refuse();
            if (member.key() == "as" && !isActionName(member)) return refuse();
            continue;
        }
        if (found || !isFitFor(*kind, member)) return refuse();
        found = *kind;
    }
    if (!found) return refuse();
    auto body = canonicalJson(v);
    if (!body) return std::unexpected(std::move(body.error()));
    return Effect{.kind = *found, .body = std::move(*body)};
}

Result<void> readEffects(JsonView v, Answer& answer) {
    if (v.kind() != JsonKind::Array || v.count() > kMaxEffects)
        return invalid("effects", fmt::format("Give \"effects\" as a list of at most {}.", kMaxEffects));
    for (const JsonView one : v) {
        auto effect = readEffect(one);
        if (!effect) return std::unexpected(std::move(effect.error()));
        answer.effects.push_back(std::move(*effect));
    }
    return {};
}

Result<void> readLookIn(JsonView v, Answer& answer) {
    double seconds = -1;
    if (v.kind() == JsonKind::Integer) seconds = static_cast<double>(v.node().integer);
    if (v.kind() == JsonKind::Number) seconds = v.node().number;
    if (seconds < 0 || seconds > kMaxLookIn)
        return invalid("look_in_s", fmt::format("Give \"look_in_s\" as a number from 0 to {:.0f}.", kMaxLookIn));
    answer.lookIn = Duration(std::llround(seconds * 1e6));
    return {};
}

Result<void> readSet(const Type& type, JsonView v, Answer& answer) {
    if (auto fine = checkSet(type, v); !fine) return fine;
    if (v.count() == 0) return {};
    auto text = canonicalJson(v);
    if (!text) return std::unexpected(std::move(text.error()));
    answer.set = std::move(*text);
    return {};
}

Result<void> readMember(const Type& type, JsonView v, Answer& answer) {
    if (v.key() == "set") return readSet(type, v, answer);
    if (v.key() == "effects") return readEffects(v, answer);
    if (v.key() == "look_in_s") return readLookIn(v, answer);
    if (v.key() != "move") return {}; // the protocol's own: exit_code, message and others
    if (v.kind() != JsonKind::String)
        return invalid("move", "Give \"move\" as the name of one state; a look moves once.");
    answer.move = v.string();
    return {};
}

/// Empty: the worker's function succeeded.
std::string failureIn(JsonView root) {
    std::string message;
    std::int64_t code = 0;
    bool isNumber = true;
    for (const JsonView v : root) {
        if (v.key() == "exit_code") {
            isNumber = v.kind() == JsonKind::Integer;
            code = isNumber ? v.node().integer : 1; // of one that said what nobody can read nothing is taken
        }
        if (v.key() == "message" && v.kind() == JsonKind::String) message = v.string().substr(0, 1'000);
    }
    if (code == 0) return {};
    if (message.empty() && !isNumber) return "The look ended with an exit code that is no whole number.";
    return message.empty() ? fmt::format("The look ended with exit code {}.", code) : message;
}

} // namespace

Claim claimOf(const Type& type, const Object& object, WallMicros now) {
    const Duration limit = type.actor ? type.actor->maxTickTime : type.backoff;
    return {.id = object.id, .status = object.status, .revision = object.revision, .retryAt = now + limit.count()};
}

Result<Answer> parseAnswer(const Type& type, std::string_view json) {
    if (json.size() > kMaxAnswerBytes)
        return fail(ErrorKind::TooLarge, fmt::format("An answer has at most {} KiB.", kMaxAnswerBytes >> 10));
    const auto tape = readJson(json);
    if (!tape) return std::unexpected(tape.error());
    const JsonView root = tape->root();
    if (!root.isObject()) return invalid("", "The answer is no object.");
    if (std::string failure = failureIn(root); !failure.empty()) return invalid("exit_code", std::move(failure));
    Answer answer;
    for (const JsonView v : root)
        if (auto read = readMember(type, v, answer); !read) return std::unexpected(std::move(read.error()));
    return answer;
}

} // namespace yard::lifecycle
