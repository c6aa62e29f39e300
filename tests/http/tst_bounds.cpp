// The bounds of /openapi.json against the engine: values at and beyond each bound are made from the schemas, and what
// the schema says of each is what the engine does. A schema that is wider or narrower than the code is found here.
#include "core/http/openapi.h"
#include "core/launcher/launcher.h"
#include "core/model/action_spec.h"
#include "core/model/queue.h"
#include "core/model/worker.h"
#include "tests/http/api_test.h"

#include <QObject>
#include <QTest>
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

using namespace yard;
using namespace yard::http;
namespace json = boost::json;

namespace {

constexpr std::size_t kMostShown = 120;

/// `size` bytes that are text, and a path whose parts are short.
std::string textOf(std::size_t size) {
    std::string text(size, 'a');
    for (std::size_t i = 99; i + 1 < size; i += 100) text[i] = '/';
    return text;
}

std::string shown(const json::value& value) {
    return json::serialize(value).substr(0, kMostShown);
}

/// Makes values at the bounds of schemas, one step within and one beyond.
class Candidates {
public:
    explicit Candidates(const test::JsonSchemas& schemas)
        : schemas_(schemas) {}

    /// Members that have others beside them in each value: by the name of the schema.
    void giveAlong(const std::string& schema, json::object members) { along_[schema] = std::move(members); }
    /// Lists of these would have to differ in more than their number.
    void noCounts(const std::string& member) { uncounted_.insert(member); }

    std::vector<json::value> of(const json::value& given, const std::string& name = {}) const {
        const json::object& schema = given.as_object();
        if (const auto* reference = schema.if_contains("$ref")) {
            const std::string path(reference->as_string());
            const std::string target = path.substr(path.rfind('/') + 1);
            return of(*schemas_.named(target), target);
        }
        std::vector<json::value> values;
        if (const auto* choices = schema.if_contains("anyOf"))
            for (const json::value& choice : choices->as_array()) append(values, of(choice));
        if (const auto* words = schema.if_contains("enum")) {
            append(values, {words->as_array().begin(), words->as_array().end()});
            values.emplace_back("zzz");
        }
        const auto* type = schema.if_contains("type");
        const std::string word = type ? std::string(type->as_string()) : std::string();
        if (word == "integer" || word == "number") append(values, numbers(schema, word == "integer"));
        if (word == "string") append(values, texts(schema));
        if (word == "array") append(values, lists(schema));
        if (word == "object") append(values, objects(schema, name));
        return values;
    }

private:
    static void append(std::vector<json::value>& values, const std::vector<json::value>& more) {
        values.insert(values.end(), more.begin(), more.end());
    }
    static std::vector<json::value> numbers(const json::object& schema, bool whole) {
        std::vector<json::value> values;
        for (const char* bound : {"minimum", "maximum"}) {
            const auto* at = schema.if_contains(bound);
            if (!at) continue;
            values.push_back(*at);
            if (whole) {
                const auto number = at->to_number<std::int64_t>();
                values.insert(values.end(), {number - 1, number + 1});
            } else {
                const auto number = at->to_number<double>();
                values.insert(values.end(), {number - 1, number + 1, number / 2});
            }
        }
        return values;
    }
    static std::vector<json::value> texts(const json::object& schema) {
        std::vector<json::value> values;
        const auto* pattern = schema.if_contains("pattern");
        const bool isPath = pattern && pattern->as_string() == "^/";
        if (pattern && !isPath) return values;
        for (const char* bound : {"minLength", "maxLength"})
            if (const auto* at = schema.if_contains(bound)) {
                const auto size = at->to_number<std::size_t>();
                for (const std::size_t length : {size - 1, size, size + 1}) {
                    if (length == std::numeric_limits<std::size_t>::max()) continue;
                    std::string text = textOf(length);
                    if (isPath && !text.empty()) text.front() = '/';
                    values.emplace_back(text);
                }
            }
        return values;
    }
    /// One that fits, for lists and objects of many.
    json::value fitting(const json::value& schema) const {
        const json::object* target = &schema.as_object();
        while (const auto* reference = target->if_contains("$ref")) {
            const std::string path(reference->as_string());
            target = &schemas_.named(path.substr(path.rfind('/') + 1))->as_object();
        }
        for (const json::value& value :
             {json::value(1), json::value("a"), json::value(std::string(64, 'a')),
              json::value(json::object{{"exit_codes", json::array{1}}}), json::value(json::object{})})
            if (schemas_.mismatch(value, *target).empty()) return value;
        return {};
    }
    static std::vector<std::size_t> counts(const json::object& schema, const char* least, const char* most) {
        std::vector<std::size_t> sizes;
        if (const auto* at = schema.if_contains(least); at && at->to_number<std::size_t>() > 0)
            sizes.insert(sizes.end(), {at->to_number<std::size_t>() - 1, at->to_number<std::size_t>()});
        if (const auto* at = schema.if_contains(most))
            sizes.insert(sizes.end(), {at->to_number<std::size_t>(), at->to_number<std::size_t>() + 1});
        return sizes;
    }
    std::vector<json::value> lists(const json::object& schema) const {
        std::vector<json::value> values;
        const json::value& items = schema.at("items");
        for (const json::value& item : of(items)) values.push_back(json::array{item});
        for (const std::size_t count : counts(schema, "minItems", "maxItems"))
            values.push_back(json::array(count, fitting(items)));
        return values;
    }
    std::vector<json::value> objects(const json::object& schema, const std::string& name) const {
        std::vector<json::value> values;
        const auto along = along_.find(name);
        const json::object others = along == along_.end() ? json::object() : along->second;
        if (const auto* properties = schema.if_contains("properties"))
            for (const auto& [key, property] : properties->as_object())
                for (const json::value& value : of(property)) {
                    if (uncounted_.contains(std::string(key)) && value.is_array() && value.as_array().size() != 1)
                        continue;
                    json::object object = others;
                    object[key] = value;
                    // Both ends of an array, both sides of a terminal.
                    if (const auto* required = schema.if_contains("required"); required && others.empty())
                        for (const json::value& member : required->as_array()) object[member.as_string()] = value;
                    values.push_back(std::move(object));
                }
        const auto* more = schema.if_contains("additionalProperties");
        if (!more || !more->is_object()) return values;
        for (const json::value& value : of(*more)) values.push_back(json::object{{"x", value}});
        for (const std::size_t count : counts(schema, "minProperties", "maxProperties")) {
            json::object object;
            const json::value value = fitting(*more);
            for (std::size_t i = 0; i < count; ++i) object["x" + std::to_string(i)] = value;
            values.push_back(std::move(object));
        }
        return values;
    }

    const test::JsonSchemas& schemas_;
    std::map<std::string, json::object> along_;
    std::set<std::string> uncounted_;
};

} // namespace

class BoundsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyNumberThatIsTakenHasItsBounds();
    void parametersAreTakenAsTheyAreDescribed();
    void membersOfActionsAreTakenAsTheyAreDescribed();
    void membersOfQueuesWorkersAndThePoolAreTakenAsTheyAreDescribed();
    void changesOfManyAreTakenAsTheyAreDescribed();

private:
    using Verdict = std::function<Result<void>(const json::value&)>;
    /// Each candidate: what the schema says of it is what `take` does.
    void compare(const std::vector<json::value>& values, const json::value& schema, const Verdict& take) {
        QVERIFY(!values.empty());
        for (const json::value& value : values) {
            const std::string mismatch = check_.schemas().mismatch(value, schema);
            const Result<void> taken = take(value);
            const std::string said = taken ? "it is taken" : taken.error().message;
            QVERIFY2(mismatch.empty() == taken.has_value(),
                     fmt::format("{}: {}; the engine: {}", shown(value),
                                 mismatch.empty() ? "fits" : mismatch.substr(0, kMostShown), said)
                         .c_str());
        }
    }
    const OpenApiCheck check_{openApiJson("/compute", "test")};
};

/// Of parameters, and of what requests have: what only answers have needs none, nor do numbers of actions.
void BoundsTest::everyNumberThatIsTakenHasItsBounds() {
    std::set<std::string> seen;
    const std::function<void(const json::value&, const std::string&)> look = [&](const json::value& schema,
                                                                                 const std::string& at) {
        if (schema.is_array())
            for (const json::value& one : schema.as_array()) look(one, at);
        if (!schema.is_object()) return;
        const json::object& members = schema.as_object();
        const auto* type = members.if_contains("type");
        const auto* least = members.if_contains("minimum");
        const bool isNumber = type && (*type == "integer" || *type == "number");
        const bool isOfAction = least && *least == json::value(1) && *type == "integer";
        QVERIFY2(!isNumber || isOfAction || (least && members.contains("maximum")), at.c_str());
        for (const auto& [key, member] : members) {
            if (key != "$ref") {
                look(member, at + "." + std::string(key));
                continue;
            }
            const std::string target(member.as_string());
            const std::string name = target.substr(target.rfind('/') + 1);
            if (seen.insert(name).second) look(*check_.schemas().named(name), name);
        }
    };
    for (const char* name : {"Action", "QueueConfigChange", "WorkerDescriptor", "PoolLimits", "TerminalSize"})
        look(*check_.schemas().named(name), name);
    for (const auto& [name, parameter] : check_.document().at("components").at("parameters").as_object()) {
        const json::object& schema = parameter.at("schema").as_object();
        const json::value& type = schema.at("type");
        const bool isNumber = type == "integer" || type == "number";
        QVERIFY2(!isNumber || (schema.contains("minimum") && schema.contains("maximum")), name.data());
    }
}

void BoundsTest::parametersAreTakenAsTheyAreDescribed() {
    ApiTest api;
    const std::int64_t lsn = api.sh("exit 0");
    QCOMPARE(api.get(fmt::format("/compute/jobs/{}?wait=60", lsn)).status, 200);
    // What a parameter needs beside it.
    const std::map<std::string, std::string> along{
        {"rows", "&cols=10"}, {"cols", "&rows=10"}, {"terminal", "&follow=1"}};
    const Candidates candidates(check_.schemas());
    const json::object& parameters = check_.document().at("components").at("parameters").as_object();
    for (const auto& [path, methods] : check_.document().at("paths").as_object()) {
        const auto* operation = methods.as_object().if_contains("get");
        if (!operation || !operation->as_object().contains("parameters")) continue;
        std::string place(path);
        for (const auto& [part, value] : {std::pair<std::string, std::string>{"{ref}", "0"},
                                          {"{lsn}", std::to_string(lsn)},
                                          {"{hash}", std::string(64, '0')}})
            if (const auto at = place.find(part); at != place.npos) place.replace(at, part.size(), value);
        for (const json::value& named : operation->at("parameters").as_array()) {
            const auto* reference = named.as_object().if_contains("$ref");
            if (!reference) continue;
            const std::string target(reference->as_string());
            const json::value& parameter = parameters.at(target.substr(target.rfind('/') + 1));
            const std::string name(parameter.at("name").as_string());
            const json::value& schema = parameter.at("schema");
            std::vector<json::value> values = candidates.of(schema);
            // Words that have rules of their own: of these only the length is described.
            if (name == "cron" || name == "timezone")
                std::erase_if(values, [&](const json::value& value) {
                    return check_.schemas().mismatch(value, schema).empty();
                });
            if (values.empty()) continue; // a word that has rules of its own
            compare(values, schema, [&](const json::value& value) -> Result<void> {
                const std::string text = value.is_string()   ? std::string(value.as_string())
                                         : value.is_double() ? fmt::format("{}", value.as_double())
                                                             : json::serialize(value);
                const auto found = along.find(name);
                std::string more = found == along.end() ? std::string() : found->second;
                if (place.ends_with("/graph") && name != "lsn") more = fmt::format("&lsn={}", lsn);
                if (place.ends_with("/search") && name != "text") more = "&text=a";
                if (place.ends_with("/schedules/next") && name != "cron") more = "&cron=0%203%20*%20*%20*";
                const Reply reply = api.get(fmt::format("{}?{}={}{}", place, name, text, more));
                if (reply.status != 400 && reply.status != 422) return {};
                return fail(ErrorKind::Invalid, place + ": " + reply.text("message"));
            });
        }
    }
}

void BoundsTest::membersOfActionsAreTakenAsTheyAreDescribed() {
    Candidates candidates(check_.schemas());
    candidates.giveAlong("Resources", {{"gpus", 1}}); // memory is of each of them
    const json::value& schema = *check_.schemas().named("Action");
    std::size_t members = 0;
    for (const auto& [key, property] : schema.at("properties").as_object()) {
        const bool ofWorker = key == "function" || key == "args";
        const json::object base = ofWorker ? json::object{{"worker", "thumb"}}
                                           : json::object{{"worker", "exec"}, {"argv", json::array{"true"}}};
        std::vector<json::value> values;
        for (const json::value& value : candidates.of(property)) {
            json::object action = base;
            action[key] = value;
            values.push_back(std::move(action));
        }
        if (values.empty()) continue; // flags, any JSON, patterns
        ++members;
        compare(values, schema, [](const json::value& action) -> Result<void> {
            const auto parsed = parseAction(json::serialize(action));
            if (!parsed && parsed.error().message.find("No action of this list") == std::string::npos)
                return std::unexpected(parsed.error());
            return {};
        });
    }
    QVERIFY(members >= 15);
}

void BoundsTest::membersOfQueuesWorkersAndThePoolAreTakenAsTheyAreDescribed() {
    Candidates candidates(check_.schemas());
    candidates.giveAlong("RetryRule",
                         {{"exit_codes", json::array{1}}, {"reasons", json::array{"signal"}}, {"retry", false}});
    candidates.giveAlong("WorkerFunction", {{"name", "f"}});
    candidates.noCounts("functions");
    const json::value& config = *check_.schemas().named("QueueConfigChange");
    compare(candidates.of(config), config, [](const json::value& value) -> Result<void> {
        const auto applied = applyQueueConfig({}, json::serialize(value));
        return applied ? Result<void>() : std::unexpected(applied.error());
    });
    const std::string hash(64, 'a');
    const json::object whole{
        {"name", "thumb"},
        {"version", "1"},
        {"platform", "linux-x86_64"},
        {"executable", "bin/thumb"},
        {"files", json::array{json::object{{"path", "bin/thumb"}, {"hash", hash}, {"size", 1}}}}};
    const json::value& descriptor = *check_.schemas().named("WorkerDescriptor");
    for (const char* key : {"environment", "functions", "cores", "memory_mb", "deadline_s", "limits", "pool"}) {
        std::vector<json::value> values;
        for (const json::value& value : candidates.of(descriptor.at("properties").at(key))) {
            json::object worker = whole;
            worker[key] = value;
            values.push_back(std::move(worker));
        }
        compare(values, descriptor, [](const json::value& worker) -> Result<void> {
            const auto parsed = parseWorker(json::serialize(worker));
            return parsed ? Result<void>() : std::unexpected(parsed.error());
        });
    }
    ApiTest api;
    const auto asked = [&](const char* method, const char* target) {
        return [&api, method, target](const json::value& value) -> Result<void> {
            const Reply reply = api.call(method, target, json::serialize(value));
            return reply.status == 200 ? Result<void>() : fail(ErrorKind::Invalid, reply.text("message"));
        };
    };
    const json::value& limits = *check_.schemas().named("PoolLimits");
    compare(candidates.of(limits), limits, asked("PATCH", "/compute/pool"));
    const json::value& settings = *check_.schemas().named("ChangeSettings");
    compare(candidates.of(settings), settings, asked("PATCH", "/compute/settings"));
}

void BoundsTest::changesOfManyAreTakenAsTheyAreDescribed() {
    ApiTest api;
    const std::int64_t lsn = api.sh("exit 0");
    QCOMPARE(api.get(fmt::format("/compute/jobs/{}?wait=60", lsn)).status, 200);
    const Candidates candidates(check_.schemas());
    const json::value& schema = *check_.schemas().named("PatchMany");
    std::vector<json::value> values;
    for (json::value value : candidates.of(schema)) {
        json::object& change = value.as_object();
        change["dry_run"] = true;
        if (!change.contains("set") || !change.at("set").is_object()) change["set"] = json::object{{"priority", 1}};
        if (!change.contains("filter") && !change.contains("lsns")) change["lsns"] = json::array{lsn};
        if (!change.at("set").as_object().contains("queue")) values.push_back(std::move(value));
    }
    compare(values, schema, [&](const json::value& change) -> Result<void> {
        const Reply reply = api.call("PATCH", "/compute/jobs", json::serialize(change));
        if (reply.status == 200 || reply.status == 409) return {};
        return fail(ErrorKind::Invalid, reply.text("message"));
    });
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    BoundsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_bounds.moc"
