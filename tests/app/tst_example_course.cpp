// The example's course against a played API: what is asked, in which order, and what becomes of a load that is refused in
// the middle.
#include "core/example/example.h"
#include "core/model/worker.h"
#include "tests/support/show_strings.h"

#include <QTest>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::example;
namespace json = boost::json;

namespace {

/// Takes everything, but for what a test refuses. Keeps what is there.
class PlayedApi {
public:
    std::function<std::optional<Answer>(const Request&)> refuse{};
    std::map<std::string, json::value> queues{}; ///< by number: the tag
    std::map<std::string, json::array> comments{};
    std::vector<std::string> asked{};
    bool hasWorker = false;
    int rowsLeft = 0; ///< looks at a queue's list that still find something

    Answer answer(const Request& request) {
        asked.push_back(fmt::format("{} {}", request.method, request.path));
        if (refuse)
            if (auto refused = refuse(request)) return *refused;
        if (request.method == "GET" && request.path.starts_with("workers/") && !hasWorker)
            return {404, R"({"message":"There is no such worker."})"};
        return {200, json::serialize(told(request))};
    }
    Result<Report> run(Course course) {
        while (const Request* request = course.request()) course.answer(answer(*request));
        return course.result();
    }
    bool hasAsked(std::string_view what) const {
        return std::ranges::any_of(asked, [what](const std::string& each) { return each.starts_with(what); });
    }

private:
    json::object told(const Request& request) {
        const std::string& path = request.path;
        if (path == "queues" && request.method == "GET") {
            json::array list;
            for (const auto& [number, tag] : queues)
                list.push_back(json::object{{"queue_id", std::stoi(number)}, {"tag", tag}});
            return {{"queues", list}};
        }
        if (path == "queues") {
            const int number = ++last_;
            queues[std::to_string(number)] = json::parse(request.body).at("tag");
            return {{"queue_id", number}};
        }
        if (path.starts_with("queues/") && path.ends_with("/comments")) {
            json::array& list = comments[path];
            if (request.method == "POST") list.push_back(json::parse(request.body));
            return {{"comments", list}};
        }
        if (request.method == "DELETE" && path.starts_with("queues/")) queues.erase(path.substr(7));
        if (path.starts_with("workers/") && request.method != "GET") hasWorker = request.method == "POST";
        if (path.contains("/jobs?")) {
            json::array rows;
            if (rowsLeft > 0 && path.contains("&q=")) {
                --rowsLeft;
                rows.push_back(json::object{{"lsn", 1}});
            }
            return {{"jobs", rows}};
        }
        if (path.ends_with("/jobs")) return {{"lsn", 7}, {"count", 10}};
        if (path.ends_with("/retire")) return {{"changed", 3}};
        return {};
    }
    int last_ = 0;
};

Answer refusal(int status, std::string_view message) {
    return {status, json::serialize(json::object{{"error", "some"}, {"message", message}})};
}

} // namespace

class TestExampleCourse : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsMissingIsMade();
    void whoMayNotMakesNothing();
    void aLoadThatIsRefusedInTheMiddleTakesItsOwnAway();
    void aLoadThatWasCutIsRemovedBeforeItIsLoadedAgain();
    void aWorkerThatWasThereBeforeStays();
    void whereNothingIsThereNothingIsTakenAway();
    void aLostEngineIsTheFailure();
    void whatEndsLateIsWaitedFor();
    void whatNeverEndsIsSaid();
    void whatIsNotKnownIsNotTakenAway();
    void anAnswerThatIsNoJsonIsSaid();
};

void TestExampleCourse::whatIsMissingIsMade() {
    PlayedApi api;
    const auto report = api.run(Course::loading());
    QVERIFY(report.has_value());
    QCOMPARE(report->outcome, Report::Outcome::Loaded);
    QCOMPARE(report->actions, 7 * 10);
    QCOMPARE(api.queues.size(), std::size_t{5});
    QVERIFY(api.hasWorker && api.hasAsked("POST schedules"));
    const auto again = api.run(Course::loading());
    QVERIFY(again.has_value());
    QCOMPARE(again->outcome, Report::Outcome::ThereAlready);
    QCOMPARE(api.queues.size(), std::size_t{5});
}

void TestExampleCourse::whoMayNotMakesNothing() {
    PlayedApi api;
    api.refuse = [](const Request& request) -> std::optional<Answer> {
        if (request.method == "GET") return std::nullopt;
        return refusal(403, "This needs operate.");
    };
    const auto report = api.run(Course::loading());
    QVERIFY(!report);
    QCOMPARE(report.error().kind, ErrorKind::Forbidden);
    QCOMPARE(report.error().message, std::string("This needs operate."));
    QCOMPARE(api.asked, (std::vector<std::string>{"GET queues", "POST queues"}));
}

void TestExampleCourse::aLoadThatIsRefusedInTheMiddleTakesItsOwnAway() {
    PlayedApi api;
    int lists = 0;
    api.refuse = [&lists](const Request& request) -> std::optional<Answer> {
        if (request.method != "POST" || !request.path.ends_with("/jobs") || ++lists < 3) return std::nullopt;
        return refusal(429, "Too many wait.");
    };
    const auto report = api.run(Course::loading());
    QVERIFY(!report);
    QCOMPARE(report.error().message, std::string("Too many wait."));
    QVERIFY(api.queues.empty());
    QVERIFY(!api.hasWorker);
    QVERIFY(!api.hasAsked("POST schedules") && !api.hasAsked("DELETE schedules"));
}

void TestExampleCourse::aLoadThatWasCutIsRemovedBeforeItIsLoadedAgain() {
    PlayedApi whole;
    QVERIFY(whole.run(Course::loading()).has_value());
    // Wherever it is cut once the first queue has its note.
    for (const std::size_t cut : {std::size_t{3}, whole.asked.size() / 2, whole.asked.size() - 1}) {
        PlayedApi api;
        Course course = Course::loading();
        while (api.asked.size() < cut) course.answer(api.answer(*course.request()));
        const std::size_t there = api.queues.size();
        api.asked.clear();
        const auto again = api.run(Course::loading());
        QVERIFY(!again);
        QCOMPARE(again.error().kind, ErrorKind::WrongState);
        QVERIFY(again.error().message.starts_with("Only a part of the example is there"));
        QCOMPARE(api.queues.size(), there);
        QVERIFY(!api.hasAsked("POST") && !api.hasAsked("DELETE"));
        QVERIFY(api.run(Course::removing()).has_value());
        QVERIFY(api.queues.empty());
        QVERIFY(api.run(Course::loading()).has_value());
    }
}

void TestExampleCourse::aWorkerThatWasThereBeforeStays() {
    PlayedApi api;
    api.hasWorker = true;
    QVERIFY(api.run(Course::loading()).has_value());
    const auto report = api.run(Course::removing());
    QVERIFY(report.has_value());
    QCOMPARE(report->outcome, Report::Outcome::Removed);
    QVERIFY(api.queues.empty() && api.hasWorker);
    // Also where a load is refused once it is registered.
    api.refuse = [](const Request& request) -> std::optional<Answer> {
        if (request.method != "POST" || !request.path.ends_with("/jobs")) return std::nullopt;
        return refusal(429, "Too many wait.");
    };
    QVERIFY(!api.run(Course::loading()));
    QVERIFY(api.queues.empty() && api.hasWorker);
}

void TestExampleCourse::whereNothingIsThereNothingIsTakenAway() {
    PlayedApi api;
    api.hasWorker = true;
    const auto report = api.run(Course::removing());
    QVERIFY(report.has_value());
    QCOMPARE(report->outcome, Report::Outcome::NotThere);
    QVERIFY(!api.hasAsked("DELETE") && api.hasWorker);
    QCOMPARE(api.asked, (std::vector<std::string>{"GET queues"}));
}

void TestExampleCourse::aLostEngineIsTheFailure() {
    PlayedApi api;
    api.refuse = [](const Request&) { return Answer{0, "Nobody answers."}; };
    const auto report = api.run(Course::removing());
    QVERIFY(!report);
    QCOMPARE(report.error().kind, ErrorKind::Io);
    QCOMPARE(report.error().message, std::string("Nobody answers."));
    QCOMPARE(api.asked.size(), std::size_t{1});
}

void TestExampleCourse::whatEndsLateIsWaitedFor() {
    PlayedApi api;
    QVERIFY(api.run(Course::loading()).has_value());
    api.rowsLeft = 4;
    const auto report = api.run(Course::removing());
    QVERIFY(report.has_value());
    QCOMPARE(report->outcome, Report::Outcome::Removed);
    QCOMPARE(report->actions, (5 + 4) * 3);
    QVERIFY(api.queues.empty() && !api.hasWorker);
}

void TestExampleCourse::whatNeverEndsIsSaid() {
    PlayedApi api;
    QVERIFY(api.run(Course::loading()).has_value());
    api.rowsLeft = 1'000'000;
    const auto report = api.run(Course::removing());
    QVERIFY(!report);
    QCOMPARE(report.error().kind, ErrorKind::Busy);
    QCOMPARE(api.queues.size(), std::size_t{5});
}

void TestExampleCourse::whatIsNotKnownIsNotTakenAway() {
    PlayedApi api;
    QVERIFY(api.run(Course::loading()).has_value());
    // Pages that never end: there may be other work behind them.
    api.refuse = [](const Request& request) -> std::optional<Answer> {
        if (!request.path.contains("/jobs?") || request.path.contains("&q=")) return std::nullopt;
        return Answer{200, R"({"jobs":[],"cursor":"more"})"};
    };
    const auto report = api.run(Course::removing());
    QVERIFY(!report);
    QCOMPARE(report.error().kind, ErrorKind::Busy);
    QCOMPARE(api.queues.size(), std::size_t{5});
    QVERIFY(!api.hasAsked("DELETE queues"));
}

void TestExampleCourse::anAnswerThatIsNoJsonIsSaid() {
    PlayedApi api;
    api.refuse = [](const Request&) { return Answer{200, "<html>"}; };
    const auto report = api.run(Course::removing());
    QVERIFY(!report);
    QVERIFY(report.error().message.contains("no JSON"));
}

QTEST_GUILESS_MAIN(TestExampleCourse)
#include "tst_example_course.moc"
