// What a token's right does not show, and which queues it reaches; how what is done with them is written down.
#include "core/base/files.h"
#include "core/http/audit.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"
#include "tests/http/with_tokens.h"

#include <QTest>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <ranges>
#include <semaphore>
#include <set>
#include <vector>

using namespace yard;
using namespace yard::http;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t kDayOfAudit = 86'400'000'000; ///< microseconds

AuditEntry auditEntry(std::int64_t day, const std::string& path) {
    return {.t = kDayOfAudit * day + 1,
            .who = "anna",
            .from = {},
            .method = "POST",
            .path = path,
            .body = {},
            .result = 200};
}

coro::Task<void> noteOne(Audit& audit, coro::HelperPool& helpers, int number, std::vector<bool>& kept) {
    const bool isKept = co_await audit.note(auditEntry(20'000, std::to_string(number)), helpers);
    kept[static_cast<std::size_t>(number)] = isKept;
}

/// So many at once, while the one helper has something else to do. Which of them were kept.
coro::Task<std::vector<bool>> noteTogether(Audit& audit, coro::HelperPool& helpers, int notes) {
    std::binary_semaphore isBusy(0);
    (void)helpers.post([&] { isBusy.acquire(); });
    std::vector<bool> kept(static_cast<std::size_t>(notes));
    std::vector<coro::ThreadRef> noting;
    for (int i = 0; i < notes; ++i) noting.push_back(coro::spawn("note", noteOne(audit, helpers, i, kept)));
    co_await coro::yieldNow(); // all of them wait
    isBusy.release();
    for (const coro::ThreadRef& one : noting) co_await one.join();
    co_return kept;
}

} // namespace

class TokenRightsTest : public WithTokens {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void readingShowsNeitherEnvironmentNorInputs();
    void readingShowsNoInputsOfSchedules();
    void readingShowsNoEnvironmentOfWorkers();
    void readingShowsWhatActionsLeftNotWhatWentIn();
    void readingTakesNoSeatAtATerminal();
    void aCommentIsWrittenByTheNameOfTheToken();
    void keysOfSubmissionsBelongToTheirToken();
    void submittingReachesTheQueuesOfTheToken();
    void submittingWithoutQueuesAddsAndSteersNothing();
    void linesThatComeTogetherAreWrittenInTheirOrder();
    void moreLinesThanMayWaitAreCounted();
    void aFileOfTheAuditThatIsMovedAwayStaysAsItIs();
};

void TokenRightsTest::readingShowsNeitherEnvironmentNorInputs() {
    const auto queue = newQueue();
    const std::string chunk = Sha256::of("in").hex();
    QVERIFY(api_->engine->chunks().putSmall("in").has_value());
    const Reply posted = api_->post(
        fmt::format("/compute/queues/{}/jobs", queue),
        fmt::format(R"({{"worker":"exec","argv":["cat"],"env":{{"COLOUR":"green"}},"inputs":{{"a":"{0}"}},)"
                    R"("stdin":{{"text":"typed"}},"hold":true}})",
                    chunk));
    QCOMPARE(posted.status, 200);
    const std::string path = fmt::format("/compute/jobs/{}/spec", posted.number("lsn"));
    const auto shows = [&](const std::string& token) {
        const Reply spec = as(token, "GET", path);
        const auto object = spec.json();
        return fmt::format("{} {}{}{}{}", spec.status, object.contains("argv") ? "argv " : "",
                           object.contains("env") ? "env " : "", object.contains("inputs") ? "inputs " : "",
                           object.contains("stdin") ? "stdin" : "");
    };
    const std::string all = "200 argv env inputs stdin";
    QCOMPARE(shows(made("sees-read", "read")), std::string("200 argv "));
    QCOMPARE(shows(made("sees-submit", "submit")), std::string("200 argv "));
    QCOMPARE(shows(made("sees-own", "submit", fmt::format(R"(,"queues":[{}])", queue))), all);
    QCOMPARE(shows(made("sees-all", "operate")), all);
    QCOMPARE(shows(api_->engine->token()), all);
}

void TokenRightsTest::readingShowsNoInputsOfSchedules() {
    const auto queue = newQueue();
    const std::string action =
        R"({ "worker" : "exec", "env" : {"COLOUR":"green"}, "argv" : ["cat"], "stdin" : {"text":"typed"} })";
    const std::string when = fmt::format(R"("cron":"@yearly","queue":{},"paused":true)", queue);
    for (const std::string& what :
         {R"("name":"one","action":)" + action, R"("name":"two","list":[)" + action + "]"})
        QCOMPARE(api_->post("/compute/schedules", fmt::format("{{{},{}}}", what, when)).status, 200);
    const auto shows = [&](const std::string& token) {
        std::string all;
        for (const char* path : {"schedules", "schedules/one", "schedules/two"}) {
            const std::string body = as(token, "GET", fmt::format("/compute/{}", path)).body;
            for (const char* word : {"cat", "green", "typed"})
                if (body.contains(word)) all += fmt::format("{} ", word);
        }
        return all;
    };
    const std::string all = "cat green typed cat green typed cat green typed ";
    QCOMPARE(shows(made("plans-read", "read")), std::string("cat cat cat "));
    QCOMPARE(shows(made("plans-submit", "submit")), std::string("cat cat cat "));
    QCOMPARE(shows(made("plans-own", "submit", fmt::format(R"(,"queues":[{}])", queue))), all);
    QCOMPARE(shows(made("plans-all", "operate")), all);
    const Reply two = as(made("plans-again", "read"), "GET", "/compute/schedules/two");
    QCOMPARE(serialize(two.json().at("list")), std::string(R"([{"worker":"exec","argv":["cat"]}])"));
}

void TokenRightsTest::readingShowsNoEnvironmentOfWorkers() {
    QVERIFY(api_->engine->chunks().putSmall("run").has_value());
    const std::string descriptor = fmt::format(
        R"({{"name":"secret","version":"1","platform":"{}","executable":"run","files":[{{"path":"run","hash":"{}",)"
        R"("size":3,"mode":"0755"}}],"functions":[{{"name":"f","version":"1"}}],"environment":{{"KEY":"value"}}}})",
        thisPlatform(), Sha256::of("run").hex());
    const auto parsed = parseWorker(descriptor);
    QVERIFY(parsed);
    QCOMPARE(api_->post("/compute/workers/" + parsed->id.hex(), descriptor).status, 200);
    const std::string reader = made("workers-read", "read");
    const std::string submitter = made("workers-submit", "submit");
    for (const char* path : {"/compute/workers/secret", "/compute/workers/all"}) {
        const Reply seen = as(reader, "GET", path);
        QCOMPARE(seen.status, 200);
        QVERIFY2(seen.body.contains(R"("name":"secret")") && !seen.body.contains("KEY"), seen.body.c_str());
        QVERIFY(as(submitter, "GET", path).body.contains(R"("KEY":"value")"));
        QVERIFY(as(api_->engine->token(), "GET", path).body.contains(R"("KEY":"value")"));
    }
    QCOMPARE(api_->call("DELETE", "/compute/workers/secret").status, 200);
}

void TokenRightsTest::readingShowsWhatActionsLeftNotWhatWentIn() {
    const auto pathOf = [](const std::string& bytes) { return "/compute/chunks/" + Sha256::of(bytes).hex(); };
    QVERIFY(api_->engine->chunks().putSmall("went in").has_value());
    const Lsn lsn(
        api_->post("/compute/jobs",
                   fmt::format(R"({{"worker":"exec","argv":["sh","-c","cat inputs/in; echo left >&2; echo kept > )"
                               R"(outputs/o"],"inputs":{{"in":"{}"}}}})",
                               Sha256::of("went in").hex()))
            .number("lsn"));
    QCOMPARE(api_->engine.wait(lsn).state, ActionState::Completed);
    const Lsn other(api_->post("/compute/jobs", kTrue).number("lsn"));
    (void)api_->engine.wait(other);
    const std::string token = made("chunks-read", "read");
    const auto of = [](Lsn action) { return fmt::format("?lsn={}", action.value); };
    QCOMPARE(as(token, "GET", pathOf("kept\n") + of(lsn)).body, "kept\n");
    QCOMPARE(as(token, "GET", pathOf("left\n") + of(lsn)).body, "left\n");
    QCOMPARE(as(token, "GET", pathOf("went in") + of(lsn)).body, "went in"); // it printed that
    const Reply refused = as(token, "GET", pathOf("kept\n"));
    QCOMPARE(refused.status, 403);
    QVERIFY2(refused.text("message").contains("has the right read, and this needs submit"), refused.body.c_str());
    QCOMPARE(as(token, "HEAD", pathOf("kept\n")).status, 403); // it would tell whether there is such a chunk
    QCOMPARE(as(token, "GET", pathOf("went in") + of(other)).status, 403);
    QCOMPARE(as(token, "GET", pathOf("nowhere") + of(lsn)).status, 403);
    QCOMPARE(as(token, "GET", pathOf("kept\n") + "?lsn=999999").status, 404);
    QCOMPARE(as(made("chunks-submit", "submit"), "GET", pathOf("went in")).body, "went in");
    QCOMPARE(api_->get(pathOf("went in")).body, "went in");
}

void TokenRightsTest::readingTakesNoSeatAtATerminal() {
    const auto lsn = api_->post("/compute/jobs", kTrue).number("lsn");
    (void)api_->engine.wait(Lsn{lsn});
    const std::string path = fmt::format("/compute/jobs/{}/stdout?follow=1", lsn);
    const std::string token = made("no-seat", "read");
    QCOMPARE(as(token, "GET", path).status, 200);
    QCOMPARE(as(token, "GET", path + "&terminal=1").status, 403);
    const std::string elsewhere = made("other-seat", "submit", fmt::format(R"(,"queues":[{}])", newQueue()));
    QCOMPARE(as(elsewhere, "GET", path + "&terminal=1").status, 403);
}

void TokenRightsTest::aCommentIsWrittenByTheNameOfTheToken() {
    const std::string token = made("writer", "operate");
    const std::int64_t lsn = api_->post("/compute/jobs", kTrue).number("lsn");
    const std::string queue = fmt::format("/compute/queues/{}/comments", newQueue());
    for (const std::string& path : {fmt::format("/compute/jobs/{}/comments", lsn), queue}) {
        QCOMPARE(as(token, "POST", path, R"({"text":"x","by":"anna"})").text("by"), "writer");
        QCOMPARE(as(token, "POST", path, R"({"text":"y"})").text("by"), "writer");
        QCOMPARE(api_->post(path, R"({"text":"z","by":"anna"})").text("by"), "anna"); // the owner's own affair
    }
}

void TokenRightsTest::keysOfSubmissionsBelongToTheirToken() {
    const auto submit = [this](const std::string& token, const std::string& body) {
        ApiTest::Fields fields{{"Idempotency-Key", "one key"}};
        if (!token.empty()) fields.push_back(bearer(token).front());
        return api_->call("POST", "/compute/jobs", body, fields);
    };
    const std::string anna = made("keys-anna", "submit");
    const std::string bert = made("keys-bert", "submit");
    std::set<std::int64_t> lsns;
    for (const std::string& token : {std::string(), anna, bert}) {
        const Reply first = submit(token, kTrue);
        QCOMPARE(first.status, 200);
        lsns.insert(first.number("lsn"));
        QCOMPARE(submit(token, kTrue).number("lsn"), first.number("lsn"));
    }
    QCOMPARE(lsns.size(), std::size_t(3));
    QCOMPARE(submit(anna, R"({"worker":"exec","argv":["false"],"cwd":"/"})").status, 422);
    // Another token of the same name has its own, too.
    QCOMPARE(api_->call("DELETE", "/compute/tokens/keys-anna").status, 200);
    lsns.insert(submit(made("keys-anna", "submit"), kTrue).number("lsn"));
    QCOMPARE(lsns.size(), std::size_t(4));
}

void TokenRightsTest::submittingReachesTheQueuesOfTheToken() {
    const auto own = newQueue();
    const auto other = newQueue();
    const std::string token = made("reaches", "submit", fmt::format(R"(,"queues":[{}])", own));
    const auto jobs = [](std::int64_t queue) { return fmt::format("/compute/queues/{}/jobs", queue); };
    const std::string held = api_->engine.shJson("true", R"(,"hold":true)");
    const auto foreign = api_->post(jobs(other), held).number("lsn");
    const Reply taken = as(token, "POST", jobs(own), held);
    QCOMPARE(taken.status, 200);
    const auto lsn = taken.number("lsn");
    const Reply refused = as(token, "POST", "/compute/jobs", held);
    QCOMPARE(refused.status, 403);
    QCOMPARE(refused.text("error"), std::string("forbidden"));
    QCOMPARE(as(token, "POST", jobs(other), held).status, 403);
    QCOMPARE(as(token, "POST", jobs(9999), held).status, 404);
    QCOMPARE(
        as(token, "POST", jobs(own), api_->engine.shJson("true", fmt::format(R"(,"replaces":{})", foreign))).status,
        403);
    // Single actions, wherever they are asked for.
    QCOMPARE(as(token, "POST", fmt::format("/compute/jobs/{}/release", lsn)).status, 200);
    QCOMPARE(as(token, "POST", fmt::format("/compute/jobs/{}/cancel", foreign)).status, 403);
    QCOMPARE(as(token, "POST", fmt::format("{}/{}/cancel", jobs(own), foreign)).status, 403);
    QCOMPARE(as(token, "POST", "/compute/jobs/999999/cancel").status, 404);
    QCOMPARE(as(token, "POST", fmt::format("/compute/jobs/{}/comments", foreign), R"({"text":"x"})").status, 403);
    QCOMPARE(as(token, "POST", fmt::format("/compute/queues/{}/comments", own), R"({"text":"x"})").status, 200);
    // Moving away is steering of the other queue as well.
    const auto waiting = as(token, "POST", jobs(own), held).number("lsn");
    const std::string moved = fmt::format(R"({{"queue":{}}})", other);
    QCOMPARE(as(token, "PATCH", fmt::format("/compute/jobs/{}", waiting), moved).status, 403);
    QCOMPARE(as(token, "PATCH", fmt::format("/compute/jobs/{}", waiting), R"({"priority":3})").status, 200);
    // Many: below the queue only.
    const std::string many = fmt::format(R"({{"lsns":[{}]}})", waiting);
    QCOMPARE(as(token, "POST", "/compute/jobs/cancel", many).status, 403);
    QCOMPARE(as(token, "PATCH", jobs(own), fmt::format(R"({{"lsns":[{}],"set":{}}})", waiting, moved)).status, 403);
    QCOMPARE(as(token, "POST", jobs(other) + "/cancel", many).status, 403);
    QCOMPARE(as(token, "POST", jobs(own) + "/cancel", many).number("changed"), 1);
    QCOMPARE(as(token, "POST", fmt::format("/compute/queues/{}/hold", own)).status, 403);
    QCOMPARE(as(token, "GET", fmt::format("/compute/jobs/{}", foreign)).status, 202);
}

void TokenRightsTest::submittingWithoutQueuesAddsAndSteersNothing() {
    const std::string token = made("adds", "submit");
    const Reply taken = as(token, "POST", "/compute/jobs", api_->engine.shJson("true", R"(,"hold":true)"));
    QCOMPARE(taken.status, 200);
    QCOMPARE(as(token, "POST", fmt::format("/compute/jobs/{}/cancel", taken.number("lsn"))).status, 403);
    QCOMPARE(as(token, "POST", "/compute/queues/0/jobs/cancel", R"({"filter":"state:pending"})").status, 403);
    QCOMPARE(as(token, "PUT", "/compute/chunks/" + Sha256::of("bytes").hex(), "bytes").status, 200);
}

void TokenRightsTest::linesThatComeTogetherAreWrittenInTheirOrder() {
    constexpr int kNotes = 50;
    const std::string directory = api_->engine.path("audit-together");
    Audit audit(directory);
    coro::HelperPool helpers(1);
    const std::vector<bool> kept = api_->engine.run(noteTogether(audit, helpers, kNotes));
    QCOMPARE(std::ranges::count(kept, true), kNotes);
    QCOMPARE(audit.dropped(), std::uint64_t(0));
    const auto page = api_->engine.run(
        audit.read({.from = {}, .to = {}, .who = "", .text = "", .limit = 100, .cursor = ""}, helpers));
    QVERIFY(page.has_value());
    std::string seen;
    std::string wanted;
    for (const AuditEntry& entry : page->entries) seen += entry.path + " ";
    for (int i = kNotes; i-- > 0;) wanted += std::to_string(i) + " "; // the latest first
    QCOMPARE(seen, wanted);
    helpers.stop();
}

void TokenRightsTest::moreLinesThanMayWaitAreCounted() {
    constexpr int kBeyond = 3;
    constexpr int kTaken = 1 + static_cast<int>(kMostAuditWaiting); // one is with the helper already
    const std::string directory = api_->engine.path("audit-waiting");
    Audit audit(directory);
    coro::HelperPool helpers(1);
    const std::vector<bool> kept = api_->engine.run(noteTogether(audit, helpers, kTaken + kBeyond));
    QCOMPARE(std::ranges::count(kept, true), kTaken);
    QVERIFY(std::ranges::all_of(kept | std::views::take(kTaken), std::identity()));
    QCOMPARE(audit.dropped(), std::uint64_t(kBeyond));
    // There is room again.
    QVERIFY(api_->engine.run(audit.note(auditEntry(20'000, "later"), helpers)));
    helpers.stop();
}

void TokenRightsTest::aFileOfTheAuditThatIsMovedAwayStaysAsItIs() {
    const std::string directory = api_->engine.path("audit-moved");
    Audit audit(directory);
    coro::HelperPool helpers(1);
    const auto note = [&](const std::string& path) {
        return api_->engine.run(audit.note(auditEntry(20'000, path), helpers));
    };
    const std::string file = auditPathOf(directory, 20'000);
    QVERIFY(note("/first"));
    std::filesystem::rename(file, file + ".old");
    QVERIFY(note("/second"));
    QVERIFY(readFile(file + ".old")->contains("/first") && !readFile(file + ".old")->contains("/second"));
    QVERIFY(readFile(file)->contains("/second") && !readFile(file)->contains("/first"));
    // What somebody left in the file without its end is ended before the next line.
    QVERIFY(writeFileAtomically(file, "half a line", 0600));
    QVERIFY(note("/third"));
    QVERIFY(readFile(file)->starts_with("half a line\n{"));
    // In one that was emptied it is the first.
    std::filesystem::resize_file(file, 0);
    QVERIFY(note("/fourth"));
    QVERIFY(readFile(file)->starts_with('{'));
    helpers.stop();
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    TokenRightsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_token_rights.moc"
