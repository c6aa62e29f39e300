// Objects for Yardmaster's worker kit for C++17: beside yard_worker.h, for workers that look at objects
// (docs/objects.md).
//
//     #include "yard_objects.h"
//
//     int main(int argc, char** argv) {
//         yard::ObjectWorker worker;
//         worker.tick("snapshot", [](const yard::Object& o) {
//             if (o.status == "queued")
//                 return o.move("started").effect(yard::create("result", {{"url", o.text("url")}}).key("first"));
//             if (o.children.pending > 0) return o.wait(5);
//             return o.move("sealed").effect(yard::call("write_index", {{"page", o.id}}));
//         });
//         worker.effect("write_index", [](const yard::Call& call) { // may come more than once
//             return call.number("page") > 0 ? yard::Answer::ok() : yard::Answer::fail("no page");
//         });
//         return worker.run(argc, argv);
//     }
//
// A look reads one object and says what becomes of it. Nothing is written here; the engine does that. What a look
// throws, and Look::fail("no such host", 4), is kept with the object, which is looked at again later.
#pragma once

#include "yard_worker.h"

#include <initializer_list>
#include <memory>
#include <type_traits>

namespace yard {

/// A value of JSON: text, a number, true, false, null, what object() and list() make, or json().
class Value {
public:
    Value(std::nullptr_t)
        : json_("null") {}
    Value(const char* text)
        : json_(detail::quote(text)) {}
    Value(const std::string& text)
        : json_(detail::quote(text)) {}
    template<class Number, std::enable_if_t<std::is_arithmetic<Number>::value, int> = 0>
    Value(Number number)
        : json_(textOf(number)) {}
    /// Any JSON, as text.
    static Value json(std::string text) {
        Value value(nullptr);
        value.json_ = std::move(text);
        return value;
    }

    const std::string& json() const { return json_; }

private:
    static std::string textOf(bool truth) { return truth ? "true" : "false"; }
    static std::string textOf(double number) {
        char text[32];
        std::snprintf(text, sizeof text, "%.17g", number);
        return text;
    }
    static std::string textOf(float number) { return textOf(static_cast<double>(number)); }
    template<class Integer>
    static std::string textOf(Integer number) {
        return std::to_string(number);
    }

    std::string json_;
};

/// Fields, arguments: values by their names.
using Values = std::map<std::string, Value>;

inline Value object(const Values& values) {
    std::string out;
    for (const auto& value : values)
        out += (out.empty() ? "" : ",") + detail::quote(value.first) + ":" + value.second.json();
    return Value::json("{" + out + "}");
}

inline Value list(const std::vector<Value>& values) {
    std::string out;
    for (const Value& value : values) out += (out.empty() ? "" : ",") + value.json();
    return Value::json("[" + out + "]");
}

/// The texts of an array of JSON. Throws when there is something else.
inline std::vector<std::string> texts(const std::string& json) {
    std::size_t first = 0;
    detail::skipSpace(json, first);
    if (first >= json.size() || json[first] != '[') throw std::runtime_error("this is no list: " + json);
    std::vector<std::string> all;
    for (const std::string& element : detail::elements(json)) {
        if (element.front() != '"') throw std::runtime_error(element + " is not a string");
        all.push_back(detail::unquote(element));
    }
    return all;
}

/// What follows from an answer, once that is committed.
struct Effect {
    std::string json;
};

/// An effect: a new object, once. The one that is looked at becomes its parent where its type says so.
class Create {
public:
    Create(const std::string& type, const Values& fields) {
        members_.emplace("type", type);
        members_.emplace("fields", object(fields));
    }
    Create& key(const std::string& key) { return with("key", key); }
    Create& parent(long long id) { return with("parent", id); }
    Create& status(const std::string& status) { return with("status", status); }
    operator Effect() const { return {object({{"create", object(members_)}}).json()}; }

private:
    Create& with(const char* name, const Value& value) {
        members_.insert_or_assign(name, value);
        return *this;
    }
    Values members_;
};

inline Create create(const std::string& type, const Values& fields = {}) {
    return {type, fields};
}

/// An effect: an action, once. `action` is what POST jobs takes: object({…}), or Value::json(…). When it ends the
/// object is due, and looks see what became of it in `actions`, under `name`.
inline Effect submit(const Value& action, const std::string& name = {}) {
    Values members{{"submit", action}};
    if (!name.empty()) members.emplace("as", name);
    return {object(members).json()};
}

/// An effect: others are due now: "parent" or "children".
inline Effect wake(const char* whom) {
    return {object({{"wake", whom}}).json()};
}

/// Numbers of objects.
inline Effect wake(const std::vector<long long>& ids) {
    return {object({{"wake", list({ids.begin(), ids.end()})}}).json()};
}

/// An effect: what ObjectWorker::effect() added under that name is called by an actor of the type, at least once.
inline Effect call(const std::string& name, const Values& args = {}) {
    return {object({{"call", name}, {"args", object(args)}}).json()};
}

/// The answer of a look, as Object::move() and Object::wait() begin it.
class Look {
public:
    /// The exception of a look: nothing is written, and it is tried again later.
    static Look fail(const std::string& message, int exitCode = 1) {
        Look look;
        look.failure_ = Answer::fail(message, exitCode);
        if (exitCode == 0) look.failure_.exitCode = 1;
        return look;
    }

    /// Otherwise at once after a move, or as long as its type says.
    Look& lookIn(double seconds) {
        members_.insert_or_assign("look_in_s", seconds);
        return *this;
    }
    Look& set(const std::string& field, const Value& value) {
        fields_.insert_or_assign(field, value);
        return *this;
    }
    Look& effect(const Effect& effect) {
        effects_.push_back(Value::json(effect.json));
        return *this;
    }

private:
    friend struct Object;
    friend class ObjectWorker;

    bool failed() const { return failure_.exitCode != 0; }
    std::string json() const {
        Values all = members_;
        all.emplace("exit_code", 0);
        if (!fields_.empty()) all.emplace("set", object(fields_));
        if (!effects_.empty()) all.emplace("effects", list(effects_));
        return object(all).json();
    }

    Values members_;
    Values fields_;
    std::vector<Value> effects_;
    Answer failure_;
};

/// How many children there are by status; `pending` of them have not ended.
struct Counts : std::map<std::string, long long> {
    long long pending = 0;
};

/// What became of an action that a look submitted.
struct Action {
    long long lsn = 0;
    std::string state;
    std::string reason;
    int exitCode = -1; ///< -1: it has none
    std::string note;
    std::string outputs; ///< JSON
    std::string result;  ///< JSON
};

/// What one look sees.
struct Object {
    long long id = 0;
    std::string type;
    std::string status;
    std::string fields = "{}"; ///< JSON
    std::string key;
    int retries = 0;
    long long revision = 0;
    Counts children;
    std::shared_ptr<const Object> parent;  ///< null: it has none
    std::map<std::string, Action> actions; ///< what its looks submitted, by their names
    long long now = 0;                     ///< of this look
    double deadlineS = 0;                  ///< of this look
    std::string raw;                       ///< all that the engine said of the object: JSON

    bool has(const std::string& field) const { return detail::members(fields).count(field) != 0; }
    /// A field that is a string. Throws when it is not there, or something else.
    std::string text(const std::string& field) const { return detail::textOf(fields, field); }
    double number(const std::string& field) const { return detail::numberOf(fields, field); }
    /// Any field, as JSON text; empty when it is not there.
    std::string value(const std::string& field) const { return detail::valueOf(fields, field); }

    /// Its next status; it is looked at again at once, or when lookIn() says.
    Look move(const std::string& to) const {
        Look look;
        look.members_.emplace("move", to);
        return look;
    }
    /// It stays as it is for as long as its type says.
    Look wait() const { return {}; }
    Look wait(double seconds) const {
        Look look;
        look.lookIn(seconds);
        return look;
    }
};

/// What has to be carried out again until it succeeds, so it has to be able to run twice.
struct Call {
    std::string name;
    std::string args;     ///< JSON
    long long object = 0; ///< the number of the one whose look said it
    int attempt = 1;

    bool has(const std::string& member) const { return detail::members(args).count(member) != 0; }
    /// As those of Job.
    std::string text(const std::string& member) const { return detail::textOf(args, member); }
    double number(const std::string& member) const { return detail::numberOf(args, member); }
    std::string value(const std::string& member) const { return detail::valueOf(args, member); }
};

/// A worker that looks at objects. It may have functions, too.
class ObjectWorker : public Worker {
public:
    using Tick = std::function<Look(const Object&)>;
    using Carry = std::function<Answer(const Call&)>;

    /// Looks at objects of that type.
    void tick(const std::string& type, Tick body) { ticks_[type] = std::move(body); }
    /// Carries out call(name, …).
    void effect(const std::string& name, Carry body) { effects_[name] = std::move(body); }

private:
    using Members = std::map<std::string, std::string>;

    bool looks() const override { return !ticks_.empty() || !effects_.empty(); }

    std::string look(const std::string& request) const override {
        Members all = detail::members(request);
        const bool isLook = all.count("tick") != 0;
        if (!isLook && all.count("effect") == 0) return {};
        const long long id = isLook ? idOf(all["tick"]) : std::atoll(all["object"].c_str());
        try {
            return isLook ? looked(all["tick"]) : called(all);
        } catch (const std::exception& error) {
            return threw(id, error.what());
        } catch (...) {
            return threw(id, "it threw what is no std::exception");
        }
    }

    std::string looked(const std::string& tick) const {
        const Object seen = objectOf(detail::members(tick));
        const auto body = ticks_.find(seen.type);
        if (body == ticks_.end())
            return failed(Answer::fail("this worker does not look at objects of the type \"" + seen.type + "\""));
        const Look said = body->second(seen);
        if (said.failed()) return failed(said.failure_);
        std::string answer = detail::clean(said.json());
        if (answer.size() > kMaxFrame - 8) return failed(Answer::fail("the answer of a look is over 1 MiB"));
        if (!detail::isJson(answer)) return failed(Answer::fail("the answer of a look is no JSON"));
        return answer;
    }

    std::string called(Members& request) const {
        Call call;
        call.name = detail::unquote(request["effect"]);
        call.args = request["args"];
        call.object = std::atoll(request["object"].c_str());
        call.attempt = std::atoi(request["attempt"].c_str());
        const auto body = effects_.find(call.name);
        if (body == effects_.end()) return failed(Answer::fail("this worker has no effect \"" + call.name + "\""));
        const Answer answer = body->second(call);
        return answer.exitCode == 0 ? answerText(0, {}, {}) : failed(answer);
    }

    static std::string failed(Answer answer) {
        answer = checked(std::move(answer));
        return answerText(answer.exitCode, {}, answer.message);
    }
    static std::string threw(long long id, const char* what) {
        const std::string message = detail::clean(what);
        std::fprintf(stderr, "object %lld: %s\n", id, message.c_str());
        return answerText(1, {}, message);
    }

    static long long idOf(const std::string& tick) {
        return std::atoll(detail::valueOf(detail::valueOf(tick, "object"), "id").c_str());
    }

    static Object objectOf(Members tick) {
        Object object = bare(tick["object"]);
        for (const auto& count : detail::members(tick["children"]))
            object.children[count.first] = std::atoll(count.second.c_str());
        object.children.pending = std::atoll(tick["pending"].c_str());
        if (!tick["parent"].empty() && tick["parent"].front() == '{')
            object.parent = std::make_shared<const Object>(bare(tick["parent"]));
        for (const auto& action : detail::members(tick["actions"]))
            object.actions.emplace(action.first, actionOf(detail::members(action.second)));
        object.now = std::atoll(tick["now"].c_str());
        object.deadlineS = std::strtod(tick["deadline_s"].c_str(), nullptr);
        return object;
    }

    /// Without what only the look at it has.
    static Object bare(const std::string& json) {
        Members all = detail::members(json);
        Object object;
        object.id = std::atoll(all["id"].c_str());
        object.type = detail::unquote(all["type"]);
        object.status = detail::unquote(all["status"]);
        if (!all["fields"].empty()) object.fields = all["fields"];
        object.key = detail::unquote(all["key"]);
        object.retries = std::atoi(all["retries"].c_str());
        object.revision = std::atoll(all["revision"].c_str());
        object.raw = json;
        return object;
    }

    static Action actionOf(Members all) {
        Action action;
        action.lsn = std::atoll(all["lsn"].c_str());
        action.state = detail::unquote(all["state"]);
        action.reason = detail::unquote(all["reason"]);
        if (!all["exit_code"].empty()) action.exitCode = std::atoi(all["exit_code"].c_str());
        action.note = detail::unquote(all["note"]);
        action.outputs = std::move(all["outputs"]);
        action.result = std::move(all["result"]);
        return action;
    }

    std::map<std::string, Tick> ticks_;
    std::map<std::string, Carry> effects_;
};

} // namespace yard
