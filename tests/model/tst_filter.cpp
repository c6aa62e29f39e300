// The filter language: what it means, and how it says what is wrong.
#include "core/model/filter.h"
#include "core/model/lsn_words.h"

#include <QTest>
#include <ctime>

using namespace yard;

namespace {

constexpr WallMicros kNow = 1'700'000'000'000'000;

ActionResult sample() {
    ActionResult action;
    action.lsn = Lsn(150);
    action.queue = QueueId(7);
    action.workerId = "exec";
    action.workerName = "exec";
    action.function = "thumb";
    action.label = "Night Job, part 2";
    action.state = ActionState::Failed;
    action.retryCount = 2;
    action.note = "error: no such file";
    action.times[ActionState::New] = kNow - 100'000'000;
    action.times[ActionState::Submitting] = kNow - 90'000'000;
    action.times[ActionState::Running] = kNow - 90'000'000;
    action.times.exited = kNow - 30'000'000;
    action.times[ActionState::Failed] = kNow - 29'000'000;
    AttemptOutcome& outcome = action.outcome.emplace();
    outcome.reason = Reason::ExitCode;
    outcome.exitCode = 3;
    outcome.measures[Measure::CpuTime] = 55'500'000;
    outcome.measures[Measure::PeakMemory] = 2'000'000'000;
    action.locks = {"app:atlas", "disk"};
    action.machine = "desk";
    action.platform = "linux-x86_64";
    action.replacedBy = Lsn(160);
    action.silentSince = kNow - 300'000'000;
    outcome.denied.push_back({.t = 1, .what = "openat", .path = "/etc/shadow"});
    return action;
}

ActionResult waiting() {
    ActionResult action;
    action.lsn = Lsn(151);
    action.state = ActionState::Pending;
    action.held = true;
    action.times[ActionState::New] = kNow - 3'600'000'000;
    return action;
}

bool matches(const ActionResult& action, const QByteArray& text) {
    const auto filter = parseFilter(text.toStdString(), kNow);
    if (!filter) qFatal("%s: %s", text.constData(), filter.error().message.c_str());
    const std::string names[] = {"nightly"};
    return filter->matches(action, kNow, names);
}

} // namespace

class TestFilter : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void saysWhatMatches_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("failed");
        QTest::addColumn<bool>("pending");
        const auto row = [](const char* text, bool failed, bool pending) {
            QTest::newRow(text) << QByteArray(text) << failed << pending;
        };
        row("", true, true);
        row("state:failed", true, false);
        row("state:failed,held", true, true);
        row("state:retry", false, false);
        row("-state:failed", false, true);
        row("state:pend*", false, true);
        row("queue:7", true, false);
        row("queue:night*", true, true);
        row("worker:ex* function:thumb", true, false);
        row("label:\"Night Job, part 2\"", true, false);
        row("label:*part*", true, false);
        row("label:part", false, false);
        row("reason:exit_code,signal", true, false);
        row("-reason:exit_code", false, true);
        row("lsn:150", true, false);
        row("lsn:100..150", true, false);
        row("lsn:151..", false, true);
        row("lsn:..150,151", true, true);
        row("tries>2", true, false);
        row("tries>3", false, false);
        row("tries>=3", true, false);
        row("tries<3", false, true);
        row("tries<=3", true, true);
        row("tries:0", false, true); // it never began
        row("tries:1", false, false);
        row("exit:3", true, false);
        row("cpu>50", true, false);
        row("cpu:55500ms", true, false);
        row("cpu>1min", false, false);
        row("-cpu>50", false, true);
        row("mem>1.5GB", true, false);
        row("mem:1GB..1.9GB", false, false);
        row("mem>1907MiB", true, false); // 2 GB are 1907.3 MiB
        row("mem>1908MiB", false, false);
        row("mem>1.8G", true, false);
        row("mem>1.9GiB", false, false);
        row("mem:1g..2g", true, false);
        row("runtime:1min", true, false);
        row("waited>30m", false, true);
        row("waited:10", true, false);
        row("started>0", true, false);
        row("finished:since-00:00", true, false);
        row("replaced:no", false, true);
        row("replaced:yes", true, false);
        row("replaced:yes,no", true, true);
        row("denied:open*", true, false);
        row("lock:disk", true, false);
        row("lock:app:*", true, false);
        row("lock:app", false, false);
        row("-lock:disk", false, true);
        row("machine:desk,other", true, false);
        row("-machine:*", false, true);
        row("platform:linux-*", true, false);
        row("-platform:linux-x86_64", false, true);
        row("silent:5min", true, false);
        row("silent>5min", false, false);
        row("-silent>1s", false, true);
        row("denied:/etc/*", true, false);
        row("night", true, false);
        row("\"no such\" -missing", true, false);
        row("-quat_test.cpp:214 -7:3", true, true); // text with a colon is no key where no key is written so
        row("state:failed cpu>50 -label:x*", true, false);
    }
    void aMarkIsMeantByItsColour_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("meant");
        QTest::newRow("a colour") << QByteArray("mark:red") << QByteArray("red");
        QTest::newRow("one of some") << QByteArray("mark:red,blue") << QByteArray("red blue");
        QTest::newRow("none") << QByteArray("mark:none") << QByteArray("none");
        QTest::newRow("none or one") << QByteArray("mark:none,grey") << QByteArray("none grey");
        QTest::newRow("any") << QByteArray("mark:*") << QByteArray("red orange yellow green blue purple grey");
        QTest::newRow("a pattern") << QByteArray("mark:gr*") << QByteArray("green grey");
    }
    void aMarkIsMeantByItsColour() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, meant);
        const auto filter = parseFilter(text.toStdString(), kNow);
        QByteArrayList found;
        for (std::size_t i = 0; i < kMarks; ++i)
            if (const auto mark = static_cast<Mark>(i); meansMark(filter->terms.front(), mark))
                found.push_back(QByteArray::fromStdString(std::string(name(mark))));
        QCOMPARE(found.size(), meant.split(' ').size());
        for (const QByteArray& one : meant.split(' ')) QVERIFY2(found.contains(one), one.constData());
    }
    void onlyAFewTermsAreAboutMarksAndComments() {
        std::string text;
        for (std::ptrdiff_t i = 0; i < kMaxNotedTerms; ++i) text += i % 2 == 0 ? "mark:red " : "comment:ask ";
        QVERIFY(parseFilter(text, kNow));
        const auto tooMany = parseFilter(text + "comment:anna", kNow);
        QVERIFY(!tooMany && tooMany.error().message.contains("at most 8 terms"));
    }
    void aCommentIsMeantByAnyPartOfItWhateverItsCase() {
        const auto means = [](const char* filter, std::string_view text) {
            return meansComment(commentPatterns(parseFilter(filter, kNow)->terms.front()), text);
        };
        QVERIFY(means("comment:ANNA", "ask Anna first"));
        QVERIFY(means("comment:\"ask anna\"", "please ask Anna first"));
        QVERIFY(means("comment:ask*first", "ask Anna first"));
        QVERIFY(means("comment:*", "x"));
        QVERIFY(!means("comment:bert", "ask Anna first"));
    }
    void marksAndCommentsMatchWhatWasLookedUp() {
        for (const char* text : {"mark:red", "comment:x"}) {
            Filter filter = *parseFilter(text, kNow);
            QVERIFY(!filter.matches(sample(), kNow)); // nothing was
            filter.terms.front().found = {{3, 9}, {150, 150}};
            QVERIFY(filter.matches(sample(), kNow));
            QVERIFY(!filter.matches(waiting(), kNow));
        }
    }
    void saysWhatMatches() {
        QFETCH(QByteArray, text);
        QFETCH(bool, failed);
        QFETCH(bool, pending);
        QCOMPARE(matches(sample(), text), failed);
        QCOMPARE(matches(waiting(), text), pending);
    }

    void timesAreReadAsPeopleTypeThem_data() {
        // Now is 2023-11-14 22:13:20. The action began 90 s ago, at 22:11:50, and ended 29 s ago, at 22:12:51.
        QTest::addColumn<bool>("matching");
        const auto row = [](const char* text, bool matching) { QTest::newRow(text) << matching; };
        row("finished>-1h", true);
        row("finished>-30s", true);
        row("finished>-28s", false);
        row("finished<-28", true);
        row("started>-90s", false);
        row("started>=-90s", true);
        row("finished<now", true);
        row("finished:today", true);
        row("-finished:today", false);
        row("finished:yesterday", false);
        row("finished:2023-11-14", true);
        row("finished:2023-11-13", false);
        row("finished:2023-11-13,2023-11-14", true);
        row("started>2023-11-14", true);
        row("started>yesterday", true);
        row("started<today", false);
        row("started<=today", true);
        row("started<=yesterday", false);
        row("started<22:12", true);
        row("started<22:11", false);
        row("started:22:11", true);
        row("started:22:11:50", true);
        row("started:22:11:49", false);
        row("finished>2023-11-14T22:00", true);
        row("finished>2023-11-14T22:13", false);
        row("finished>\"2023-11-14 22:00\"", true);
        row("finished:-2h..-1h", false);
        row("finished:-1h..-10s", true);
        row("finished:-1h..now", true);
        row("finished:-1h..", true);
        row("finished:..-1h", false);
        row("finished:22:00..22:12", true);
        row("new:today", true);
        row("new:yesterday..today", true);
        row("new:2023-11-01..yesterday", false);
        row("new>-2min", true);
        row("finished:since-22:12", true);
        row("finished:since-22:13", false);
        row("finished:1699999971000000", true);
    }
    void timesAreReadAsPeopleTypeThem() {
        QFETCH(bool, matching);
        qputenv("TZ", "UTC");
        ::tzset();
        QCOMPARE(matches(sample(), QTest::currentDataTag()), matching);
    }

    void aDayIsAsLongAsTheCalendarSays() {
        qputenv("TZ", "Europe/Berlin");
        ::tzset();
        constexpr WallMicros kHour = 3'600'000'000;
        const auto filter = parseFilter("new:2023-10-29", kNow); // 25 hours
        QVERIFY(filter);
        const auto range = filter->terms.front().ranges.front();
        qputenv("TZ", "UTC");
        ::tzset();
        QCOMPARE(range.high - range.low, static_cast<double>(25 * kHour));
        QVERIFY(!range.withHigh);
    }

    void theKeysAreThoseOfTheLanguage() {
        for (const FilterKind& kind : filterKinds()) {
            QVERIFY(!kind.keys.empty() && !kind.forms.empty());
            for (const std::string_view key : kind.keys) {
                const auto parsed = parseFilter(std::string(key) + ":x", kNow);
                QVERIFY2(parsed || !parsed.error().message.starts_with("No key"), key.data());
            }
        }
        QCOMPARE(filterStateNames(),
                 "new, pending, held, retry, submitting, running, completed, failed, abandoned and "
                 "cancelled");
    }

    void runningOnesAreMeasuredUntilNow() {
        ActionResult action = waiting();
        action.state = ActionState::Running;
        action.times[ActionState::Submitting] = action.times[ActionState::Running] = kNow - 20'000'000;
        QVERIFY(matches(action, "runtime:20s"));
        QVERIFY(matches(action, "waited>59min"));
    }

    void thoseThatWaitAreWhoWasFoundToWait() {
        auto filter = *parseFilter("after:12", kNow);
        ActionResult action = waiting();
        const auto matchesLsn = [&](std::int64_t lsn) {
            action.lsn = Lsn(lsn);
            return filter.matches(action, kNow);
        };
        QVERIFY(!matchesLsn(13)); // nobody was looked for
        filter.terms.front().found = {{13, 13}, {20, 29}};
        for (const std::int64_t lsn : {13, 20, 25, 29}) QVERIFY(matchesLsn(lsn));
        for (const std::int64_t lsn : {12, 14, 19, 30}) QVERIFY(!matchesLsn(lsn));
        filter.terms.front().negated = true;
        QVERIFY(!matchesLsn(20));
        QVERIFY(matchesLsn(30));
        QVERIFY(filter.terms.front() == parseFilter("-after:12", kNow)->terms.front()); // what was asked for
    }

    void saysWhatIsWrong_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("contains");
        const auto row = [](const char* text, const char* contains) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(contains);
        };
        row("sate:failed", "did you mean \"state\"?");
        row("exit_code:3", "did you mean \"exit\"?");
        row("-exit_code:0", "did you mean \"exit\"?");
        row("retry_count>0", "did you mean \"tries\"?");
        row("cpu_seconds>1", "did you mean \"cpu\"?");
        row("io_bytes>1", "did you mean \"io\"?");
        row("foo1:2", "No key \"foo1\"");
        row("-foo-bar:1", "No key \"foo-bar\"");
        row("wokrre:exec", "did you mean \"worker\"?"); // what is swapped is one change
        row("colourful:red", "there are state, queue");
        row("state:done", "\"done\" is no state");
        row("reason:bad", "is no reason");
        row("state>failed", "compared with");
        row("cpu:", "wants a value");
        row("-", "A filter word is missing after \"-\"");
        row("state:failed - night", "A filter word is missing after \"-\"");
        row("-\"\"", "A filter word is missing after \"-\"");
        row("\"\"", "A filter word is empty");
        row("cpu>many", "is no time");
        row("cpu>5parsecs", "is no time");
        row("mem>4XB", "is no size");
        row("mem>4Gi", "is no size");
        row("lsn:..", "is no number");
        row("lsn:a..b", "is no number");
        row("label:\"x", "not closed");
        row("finished:since-25:00", "time of day");
        row("finished:since-noon", "time of day");
        row("started:soon", "today, yesterday, 2026-11-20, 09:45, 2026-11-20T09:45, now, -1h..now, >-90s");
        row("started:2026-02-30", "is no time");
        row("started>25:00", "is no time");
        row("started>-1x", "is no time");
        row("started>-1e300d", "is no time");
        row("started:today..soon", "is no time");
        row("started:..", "is no time");
        row("finished:-1h", "write finished>-1h");
        row("finished:now", "single moment");
        row("after:x", "is no number");
    }
    void saysWhatIsWrong() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, contains);
        const auto filter = parseFilter(text.toStdString(), kNow);
        QVERIFY(!filter);
        QVERIFY2(filter.error().message.contains(contains.toStdString()), filter.error().message.c_str());
        QCOMPARE(filter.error().field, "q");
    }

    void aLongOneIsRefused() { QVERIFY(!parseFilter(std::string(kMaxFilterBytes + 1, 'x'), kNow)); }

    void onlyLiteralTermsArePlain() {
        const auto filter = parseFilter("state:failed label:x* -queue:7 worker:a worker:b", kNow);
        QVERIFY(filter.has_value());
        QVERIFY(filter->plain(FilterKey::State));
        for (const FilterKey key : {FilterKey::Label, FilterKey::Queue, FilterKey::Worker, FilterKey::Reason})
            QVERIFY(!filter->plain(key));
    }

    void numbersOfActionsAreToldFromOtherWords() {
        for (const char* word : {"1", "12", "12..20", "12,14", "1,4..6"}) QVERIFY2(isLsns(word), word);
        for (const char* word : {"", "x", "12x", "-12", "..12", "12..", "1 2", "lsn:12", "12."})
            QVERIFY2(!isLsns(word), word);
    }

    void patternsWithManyStarsEnd() {
        QVERIFY(matchesPattern("abcabc", "*b*c"));
        QVERIFY(matchesPattern("", "**"));
        QVERIFY(!matchesPattern(std::string(5'000, 'a'), "*a*a*a*a*a*b"));
    }
};

QTEST_APPLESS_MAIN(TestFilter)
#include "tst_filter.moc"
