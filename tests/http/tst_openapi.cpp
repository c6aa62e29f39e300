// /openapi.json against the routes, the words of the code, and itself. That answers fit it is checked by every call
// of api_test.h.
#include "core/engine/reading/accounting_sums.h"
#include "core/http/openapi.h"
#include "core/http/route.h"
#include "core/http/words.h"
#include "core/launcher/launcher.h"
#include "core/model/states.h"
#include "tests/http/api_test.h"

#include <QObject>
#include <QTest>
#include <algorithm>
#include <set>

using namespace yard;
using namespace yard::http;
namespace json = boost::json;

namespace {

constexpr std::string_view kPrefix = "/compute";

bool isRoot(Scope scope) {
    return scope == Scope::Root || scope == Scope::Open;
}

/// Paths of a route, as the document has them.
std::vector<std::string> pathsOf(Scope scope, std::string_view pattern) {
    const std::string tail = pattern.empty() ? "" : "/" + std::string(pattern);
    if (isRoot(scope)) return {tail};
    std::vector<std::string> paths;
    if (scope != Scope::Queue) paths.push_back(std::string(kPrefix) + tail);
    if (scope != Scope::Global) paths.push_back(std::string(kPrefix) + "/queues/{ref}" + tail);
    return paths;
}

std::string lower(std::string_view word) {
    std::string text(word);
    std::ranges::transform(text, text.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string enumOf(const OpenApiCheck& check, const std::string& schema) {
    std::string words;
    for (const json::value& word : check.schemas().named(schema)->as_object().at("enum").as_array())
        words += std::string(word.as_string()) + " ";
    return words;
}

/// Every "$ref" below `value`.
void collectReferences(const json::value& value, std::set<std::string>& references) {
    if (value.is_array())
        for (const json::value& item : value.as_array()) collectReferences(item, references);
    if (!value.is_object()) return;
    for (const auto& [key, member] : value.as_object()) {
        if (key == "$ref" && member.is_string()) references.emplace(member.as_string());
        collectReferences(member, references);
    }
}

/// A path of the document with something in place of each part in braces.
std::string filledIn(std::string path) {
    const auto put = [&path](std::string_view part, std::string_view value) {
        if (const auto at = path.find(part); at != path.npos) path.replace(at, part.size(), value);
    };
    put("{ref}", "0");
    put("{lsn}", "1");
    put("{worker}", "exec");
    put("{id}", "1");
    put("{name}", "anna");
    put("{hash}", std::string(64, '0'));
    return path;
}

} // namespace

class OpenApiTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRouteIsDescribedAndNothingElse();
    void aRouteWithoutABodyHasNoMembersAndOneOfBytesSaysSo();
    void membersOfARowAreThoseOfItsSchema();
    void operationIdsAreUnique();
    void referencesLeadToSchemasAndEverySchemaIsUsed();
    void enumsAreTheWordsOfTheCode();
    void describedParametersAreTakenAndOthersAreNot();
    void theDocumentIsServedUnderItsPrefix();
    void theCheckerFindsWhatDoesNotFit_data();
    void theCheckerFindsWhatDoesNotFit();
    void exchangesThatDoNotFitAreFound();

private:
    const OpenApiCheck check_{openApiJson(kPrefix, "test")};
};

void OpenApiTest::everyRouteIsDescribedAndNothingElse() {
    std::set<std::string> expected;
    for (const Route& route : allRoutes()) {
        const std::string_view told = route.terms.toldBy.empty() ? route.spec.pattern : route.terms.toldBy;
        for (const std::string& path : pathsOf(route.spec.scope, told)) {
            expected.insert(lower(name(route.spec.method)) + " " + path);
            if (!route.terms.head.id.empty()) expected.insert("head " + path);
        }
    }
    std::set<std::string> found;
    for (const auto& [path, methods] : check_.document().at("paths").as_object())
        for (const auto& [method, operation] : methods.as_object())
            found.insert(std::string(method) + " " + std::string(path));
    QCOMPARE(found, expected);
}

void OpenApiTest::aRouteWithoutABodyHasNoMembersAndOneOfBytesSaysSo() {
    for (const Route& route : allRoutes()) {
        const std::string what = fmt::format("{} {}", name(route.spec.method), route.spec.pattern);
        const BodyKind kind = route.spec.body;
        if (kind == BodyKind::None) QVERIFY2(route.terms.members.empty(), what.c_str());
        const bool takesBytes = kind == BodyKind::Stream || kind == BodyKind::Keys;
        QVERIFY2(takesBytes == (route.terms.request == "bytes"), what.c_str());
        if (takesBytes || kind == BodyKind::JsonOrParts) QCOMPARE(route.terms.members, kReadsItself);
    }
}

/// What a handler is given is what the document says of it.
void OpenApiTest::membersOfARowAreThoseOfItsSchema() {
    for (const Route& route : allRoutes()) {
        const RouteTerms& terms = route.terms;
        if (route.spec.body == BodyKind::None || terms.members == kReadsItself) continue;
        // Told as one with POST jobs/{worker}, whose members are those of actions.
        if (terms.request == "RescheduleOrActions") continue;
        std::set<std::string> taken;
        forEachWord(terms.members, [&](std::string_view word) { taken.emplace(word); });
        std::set<std::string> described;
        const json::object& schema = check_.schemas().named(std::string(terms.request))->as_object();
        if (const json::value* properties = schema.if_contains("properties"))
            for (const auto& [member, value] : properties->as_object()) described.emplace(member);
        QCOMPARE(taken, described);
    }
}

void OpenApiTest::operationIdsAreUnique() {
    std::set<std::string> ids;
    for (const auto& [path, methods] : check_.document().at("paths").as_object())
        for (const auto& [method, operation] : methods.as_object()) {
            const std::string id(operation.as_object().at("operationId").as_string());
            QVERIFY2(!id.empty() && ids.insert(id).second, id.c_str());
        }
}

void OpenApiTest::referencesLeadToSchemasAndEverySchemaIsUsed() {
    std::set<std::string> used;
    collectReferences(check_.document(), used);
    std::set<std::string> there;
    for (const char* kind : {"schemas", "parameters"})
        for (const auto& [name, schema] : check_.document().at("components").as_object().at(kind).as_object())
            there.insert(fmt::format("#/components/{}/{}", kind, std::string(name)));
    const auto joined = [](const std::set<std::string>& from, const std::set<std::string>& without) {
        std::string names;
        for (const std::string& name : from)
            if (!without.contains(name)) names += name + " ";
        return names;
    };
    QCOMPARE(joined(used, there), std::string());
    QCOMPARE(joined(there, used), std::string());
}

void OpenApiTest::enumsAreTheWordsOfTheCode() {
    std::string states, reasons, errors, sessions, queues, rights;
    for (std::size_t i = 0; i < kActionStates; ++i) states += std::string(name(ActionState(i))) + " ";
    for (std::size_t i = 1; i < kReasons; ++i) reasons += std::string(name(Reason(i))) + " ";
    for (int i = 0; i <= int(ErrorKind::Internal); ++i) errors += std::string(errorName(ErrorKind(i))) + " ";
    for (std::size_t i = 0; i < kSessionStates; ++i) sessions += std::string(name(SessionState(i))) + " ";
    for (std::size_t i = 0; i < kQueueStates; ++i) queues += std::string(name(QueueState(i))) + " ";
    for (std::size_t i = 0; i < kRights; ++i) rights += std::string(name(Right(i))) + " ";
    QCOMPARE(enumOf(check_, "State"), states);
    QCOMPARE(enumOf(check_, "Right"), rights);
    std::string rows;
    const json::value& by = check_.document().at("components").at("parameters").at("by");
    for (const json::value& word : by.at("schema").at("enum").as_array())
        rows += std::string(word.as_string()) + " ";
    std::string known;
    for (const std::string_view word : engine::kAccountingWords) known += std::string(word) + " ";
    QCOMPARE(rows, known);
    QCOMPARE(enumOf(check_, "Reason"), reasons);
    QCOMPARE(enumOf(check_, "SessionState"), sessions);
    QCOMPARE(enumOf(check_, "QueueState"), queues);
    std::string described;
    const json::object& error = check_.schemas().named("Error")->as_object().at("properties").as_object();
    for (const json::value& word : error.at("error").as_object().at("enum").as_array())
        described += std::string(word.as_string()) + " ";
    QCOMPARE(described, errors);
}

/// Parameters are looked at before anything else: a route that does not know one says so, whatever else is wrong.
void OpenApiTest::describedParametersAreTakenAndOthersAreNot() {
    ApiTest api;
    // A route's limit may be described apart from that of others.
    const json::value described = json::parse(openApiJson("", "test"));
    const json::object& parameters = described.at("components").at("parameters").as_object();
    for (const Route& route : allRoutes()) {
        const std::string path = filledIn(pathsOf(route.spec.scope, route.spec.pattern).front());
        const BodyKind kind = route.spec.body;
        const std::string body = kind == BodyKind::Json || kind == BodyKind::JsonOrParts ? "{}" : "";
        const std::string_view method = name(route.spec.method);
        const Reply other = api.call(method, path + "?no_such_parameter=1", body);
        QVERIFY2(other.status == 400 && other.body.find("no_such_parameter") != std::string::npos,
                 (path + " " + other.body).c_str());
        forEachWord(route.terms.query, [&](std::string_view word) {
            const std::string key(word.substr(word.find('=') == word.npos ? 0 : word.find('=') + 1));
            const std::string parameter(parameters.at(key).at("name").as_string());
            QCOMPARE(parameter, std::string(word.substr(0, word.find('='))));
            const Reply taken = api.call(method, path + "?" + parameter + "=", body);
            QVERIFY2(taken.status != 400 || taken.body.find("\"" + parameter) == std::string::npos,
                     (path + " " + parameter + " " + taken.body).c_str());
        });
    }
}

void OpenApiTest::theDocumentIsServedUnderItsPrefix() {
    ApiTest api;
    const Reply reply = api.get("/openapi.json");
    QCOMPARE(reply.status, 200);
    QVERIFY(reply.json().at("paths").as_object().contains("/compute/jobs/{lsn}"));
    const json::value elsewhere = json::parse(openApiJson("/a/b", "test"));
    QVERIFY(elsewhere.at("paths").as_object().contains("/a/b/jobs/{lsn}"));
    QVERIFY(elsewhere.at("paths").as_object().contains("/health"));
    QVERIFY(json::parse(openApiJson("", "test")).at("paths").as_object().contains("/jobs"));
}

void OpenApiTest::theCheckerFindsWhatDoesNotFit_data() {
    QTest::addColumn<QByteArray>("schema");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QByteArray>("reason");
    const auto row = [](const char* sentence, const char* schema, const char* value, const char* reason) {
        QTest::newRow(sentence) << QByteArray(schema) << QByteArray(value) << QByteArray(reason);
    };
    row("a type that fits", R"({"type":"integer"})", "3", "");
    row("another type", R"({"type":"integer"})", "3.5", "value: 3.5E0 is no integer");
    row("text for a number", R"({"type":"number"})", R"("3")", R"(value: "3" is no number)");
    row("null where it may be", R"({"type":"integer","nullable":true})", "null", "");
    row("null where it may not be", R"({"type":"integer"})", "null", "value: null is no integer");
    row("a word of the enum", R"({"enum":["a","b"]})", R"("b")", "");
    row("no word of the enum", R"({"enum":["a","b"]})", R"("c")", R"(value: "c" is none of the enum)");
    row("below the least", R"({"type":"number","minimum":1})", "0.5", "value: 5E-1 is below 1");
    row("over the most", R"({"type":"number","maximum":1})", "2", "value: 2 is over 1");
    row("text that matches", R"({"pattern":"^[ab]+$"})", R"("ab")", "");
    row("text that does not match", R"({"pattern":"^[ab]+$"})", R"("abc")",
        R"(value: "abc" does not match "^[ab]+$")");
    row("a member that is missing", R"({"required":["a"],"properties":{"a":{}}})", "{}",
        R"(value: "a" is missing in {})");
    row("a member that is not described", R"({"properties":{"a":{}}})", R"({"b":1})",
        "value.b: this member is not described");
    row("members that nothing is said of", R"({"type":"object"})", R"({"b":1})", "");
    row("other members of one type", R"({"additionalProperties":{"type":"string"}})", R"({"b":1})",
        "value.b: 1 is no string");
    row("no other members", R"({"additionalProperties":false})", R"({"b":1})",
        "value.b: this member is not described");
    row("an item that does not fit", R"({"items":{"type":"string"}})", R"(["a",1])", "value[1]: 1 is no string");
    row("one of the choices", R"({"anyOf":[{"type":"string"},{"type":"integer"}]})", "1", "");
    row("none of the choices", R"({"anyOf":[{"type":"string"}]})", "1",
        "value: none of anyOf fits:\n  value: 1 is no string");
    row("a schema elsewhere", R"({"$ref":"#/components/schemas/Accepted"})", R"({"lsn":0})",
        "value.lsn: 0 is below 1");
    row("a schema that is not there", R"({"$ref":"#/components/schemas/Nothing"})", "1",
        "value: there is no schema #/components/schemas/Nothing");
    row("a keyword that is not checked", R"({"oneOf":[]})", "1", "value: the keyword \"oneOf\" is not checked");
}

void OpenApiTest::theCheckerFindsWhatDoesNotFit() {
    QFETCH(QByteArray, schema);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, reason);
    QCOMPARE(QByteArray::fromStdString(
                 check_.schemas().mismatch(json::parse(value.toStdString()), json::parse(schema.toStdString()))),
             reason);
}

void OpenApiTest::exchangesThatDoNotFitAreFound() {
    const auto problem = [this](std::string_view method, std::string_view target, int status,
                                std::string_view answer, std::string_view request = {}) {
        return check_.problem({method, target, request, status, "application/json", answer});
    };
    QCOMPARE(problem("GET", "/compute/session/nowhere", 200, "{}"),
             std::string("GET /compute/session/nowhere answered 200: the route is not described"));
    QCOMPARE(problem("GET", "/compute/session/nowhere", 404, "{}"), std::string());
    QCOMPARE(problem("POST", "/compute/hold", 201, "{}"),
             std::string("POST /compute/hold answered 201: the status 201 is not described"));
    QCOMPARE(problem("POST", "/compute/hold", 200, "no"),
             std::string("POST /compute/hold answered 200: the answer is no JSON"));
    QCOMPARE(problem("POST", "/compute/hold", 200, R"({"held":true})"), std::string());
    QCOMPARE(problem("POST", "/compute/hold", 200, R"({"held":true})", R"({"x":1})"),
             std::string("POST /compute/hold answered 200: value.x: this member is not described"));
    QCOMPARE(problem("POST", "/compute/hold", 409, R"({"error":"bad","message":""})"),
             std::string("POST /compute/hold answered 409: value.error: \"bad\" is none of the enum"));
    QCOMPARE(check_.problem({"GET", "/metrics", "", 200, "application/json", "{}"}),
             std::string("GET /metrics answered 200: the type \"application/json\" is not described"));
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    OpenApiTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_openapi.moc"
