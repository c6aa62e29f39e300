// Accounting: sums over a journal of made-up attempts, held against a plain computation, and its bounds.
#include "core/coro/loop.h"
#include "core/engine/reading/accounting.h"
#include "tests/engine/memory_journal.h"
#include "tests/store/journal_fixture.h"
#include "tests/support/show_strings.h"

#include <QTest>

#include <fmt/format.h>
#include <latch>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::engine;
using namespace yard::test;

namespace {

constexpr WallMicros kSecond = 1'000'000;
constexpr WallMicros kHour = 3'600 * kSecond;
constexpr WallMicros kDay = 24 * kHour;
constexpr WallMicros kMidnight = 19'675 * kDay; // 2023-11-14
constexpr std::int64_t kGigabyte = 1'000'000'000;

struct Try {
    ActionState state = ActionState::Completed;
    Reason reason = Reason::None;
    WallMicros from = 0;
    WallMicros until = 0;
    std::optional<std::int64_t> peakBytes{};
};
struct Work {
    std::int64_t queue = 0;
    std::string worker = "exec";
    std::string label{};
    std::int64_t milliCores = 1'000;
    std::int64_t memoryMb = 0;
    WallMicros created = kMidnight;
    std::vector<Try> tries{};
    bool goesOn = false; ///< it has failed, and is to run again
};

ClassKey keyOf(const Work& work) {
    ClassKey key;
    key.workerId = key.workerName = work.worker;
    key.resources.milliCores = work.milliCores;
    key.resources.memoryMb = work.memoryMb;
    return key;
}

AttemptRecord recordOf(const Try& one, std::uint32_t n) {
    AttemptRecord record{.n = n, .outcome = {}, .times = {}};
    record.outcome.state = one.state;
    record.outcome.reason = one.reason;
    record.outcome.measures[Measure::PeakMemory] = one.peakBytes;
    record.times[ActionState::Submitting] = one.from - kSecond; // it took a second to prepare
    record.times[ActionState::Running] = one.from;
    record.times.exited = one.until;
    record.times[one.state] = one.until + kSecond; // and one to collect
    return record;
}

/// A journal with such work, and accounting over it.
class Bench {
public:
    explicit Bench(const std::string& directory)
        : journal(directory) {
        auto started = store::ReaderThread::start(journal.store());
        if (!started) qFatal("%s", started.error().message.c_str());
        reader = std::move(*started);
    }
    ~Bench() { helpers.stop(); }

    void add(const std::vector<Work>& all) {
        store::Accept rows;
        rows.now = kMidnight;
        const std::int64_t first = next;
        for (const Work& work : all) rows.items.push_back(itemOf(work, rows));
        journal.carryOut(std::move(rows));
        std::uint64_t last = 0;
        for (std::size_t i = 0; i < all.size(); ++i) last = end(Lsn(first + std::int64_t(i)), all[i]);
        if (last != 0) journal.answers.of(last);
    }
    Result<AccountingView> view(AccountingQuery query) {
        std::optional<Result<AccountingView>> answer;
        coro::Loop loop;
        loop.spawn("test", keep(accounting.view(query), answer));
        loop.run();
        return std::move(*answer);
    }
    std::vector<AccountingRow> rows(AccountingBy by, WallMicros from = 0, WallMicros to = kMidnight + 90 * kDay) {
        auto answer = view({.by = by, .from = from, .to = to});
        if (!answer) qFatal("%s", answer.error().message.c_str());
        return std::move(answer->rows);
    }
    static coro::Task<void> keep(coro::Task<Result<AccountingView>> task,
                                 std::optional<Result<AccountingView>>& answer) {
        answer.emplace(co_await std::move(task));
    }

    Journal journal;
    std::unique_ptr<store::ReaderThread> reader;
    JournalReader reads{[this](store::ReaderThread::Job job) { return reader->post(std::move(job)); }};
    InternTable dictionary;
    coro::HelperPool helpers{1};
    std::int64_t next = 1;
    std::int64_t ended = 0;
    WallMicros now = kMidnight + 90 * kDay;
    Accounting accounting{{.dictionary = dictionary,
                           .journal = reads,
                           .helpers = helpers,
                           .machineName = "yard",
                           .ended = [this] { return ended; },
                           .now = [this] { return now; }}};

private:
    store::AcceptItem itemOf(const Work& work, store::Accept& rows) {
        const auto cls = dictionary.internClass(keyOf(work));
        const auto label = dictionary.internLabel(work.label);
        if (cls.isNew) rows.classes.push_back({cls.id + 1, "{}", work.worker, work.worker, ""});
        if (label.isNew) rows.labels.push_back({label.id, work.label});
        store::AcceptItem item = yard::test::item(next++, work.queue);
        item.row.classNumber = cls.id + 1;
        item.row.label = label.id;
        item.row.tNew = item.row.tPending = work.created;
        return item;
    }
    /// The last thing that was posted.
    std::uint64_t end(Lsn lsn, const Work& work) {
        std::uint64_t tag = 0;
        for (std::uint32_t n = 1; n <= work.tries.size(); ++n) {
            const Try& one = work.tries[n - 1];
            if (n < work.tries.size() || work.goesOn) {
                store::Retry retry;
                retry.lsn = lsn;
                retry.attempt = recordOf(one, n);
                retry.retryCount = n;
                retry.tPending = one.until + kSecond;
                tag = journal.post(std::move(retry));
            } else {
                store::Finish finish;
                finish.lsn = lsn;
                finish.state = one.state;
                finish.reason = one.reason;
                finish.attempt = recordOf(one, n);
                finish.tEnd = one.until + kSecond;
                tag = journal.post(std::move(finish));
                ++ended;
            }
        }
        return tag;
    }
};

/// The same sums the plain way: all of them are whole numbers of what is counted here.
struct Plain {
    std::int64_t actions = 0, cores = 0, wasted = 0, waited = 0; // thousandths of cores times seconds; seconds
    double gbHours = 0;
};
using PlainRows = std::map<std::string, Plain>;

std::string stepOf(WallMicros t, AccountingBy by) {
    const std::int64_t day = t / kDay - kMidnight / kDay;
    std::string key = fmt::format("2023-11-{:02}", 14 + day);
    if (by == AccountingBy::Hour) key += fmt::format("T{:02}", t / kHour % 24);
    return key;
}

std::string keyFor(const Work& work, const Try& one, WallMicros t, AccountingBy by) {
    switch (by) {
    case AccountingBy::Queue: return std::to_string(work.queue);
    case AccountingBy::Worker: return work.worker;
    case AccountingBy::Label: return work.label.substr(0, work.label.find('/'));
    case AccountingBy::Machine: return "yard";
    case AccountingBy::Waste: return std::string(name(one.reason));
    default: return stepOf(t, by);
    }
}

/// Minute by minute.
PlainRows plainly(const std::vector<Work>& all, AccountingBy by, WallMicros from, WallMicros to) {
    constexpr WallMicros kMinute = 60 * kSecond;
    PlainRows rows;
    for (const Work& work : all) {
        std::map<std::string, bool> seen;
        for (const Try& one : work.tries) {
            const bool isWasted = one.state != ActionState::Completed;
            if (by == AccountingBy::Waste && !isWasted) continue;
            for (WallMicros t = std::max(one.from, from); t < std::min(one.until, to); t += kMinute) {
                const std::string key = keyFor(work, one, t, by);
                Plain& row = rows[key];
                row.cores += work.milliCores * 60;
                if (isWasted) row.wasted += work.milliCores * 60;
                const std::int64_t reserved = work.memoryMb << 20;
                const std::int64_t bytes = reserved > 0 ? reserved : one.peakBytes.value_or(0);
                row.gbHours += double(bytes) / double(kGigabyte) / 60;
                if (by == AccountingBy::Waste && !std::exchange(seen[key], true)) ++row.actions;
            }
        }
        const WallMicros end = work.tries.back().until + kSecond;
        if (work.goesOn || end < from || end >= to || by == AccountingBy::Waste) continue;
        Plain& row = rows[keyFor(work, work.tries.back(), end, by)];
        ++row.actions;
        const WallMicros line =
            work.tries.size() == 1 ? work.created : work.tries[work.tries.size() - 2].until + kSecond;
        row.waited += (work.tries.back().from - kSecond - line) / kSecond;
    }
    return rows;
}

std::string printed(std::string_view key, std::int64_t actions, double cores, double wasted, double memory,
                    double wait) {
    return fmt::format("{}: {} actions, {:.3f} core s, {:.3f} wasted, {:.6f} GB h, {:.3f} s waited\n", key, actions,
                       cores, wasted, memory, wait);
}
std::string printed(const PlainRows& rows) {
    std::string text;
    for (const auto& [key, row] : rows)
        text += printed(key, row.actions, double(row.cores) / 1e3, double(row.wasted) / 1e3, row.gbHours,
                        double(row.waited));
    return text;
}
/// By key.
std::string printed(std::vector<AccountingRow> rows) {
    std::ranges::sort(rows, {}, &AccountingRow::key);
    std::string text;
    for (const AccountingRow& row : rows)
        text += printed(row.key, row.actions, row.coreSeconds, row.wastedCoreSeconds, row.memoryGbHours,
                        row.waitSeconds);
    return text;
}

/// Work of three days, always the same: tries of some minutes to two days, three of them at most.
std::vector<Work> madeUpWork(int count) {
    std::mt19937 random(7); // NOLINT(bugprone-random-generator-seed): the same work each time
    const auto upTo = [&](unsigned most) { return static_cast<std::int64_t>(random() % most); };
    constexpr std::array kReasons{Reason::ExitCode, Reason::Signal, Reason::Deadline, Reason::EngineDied};
    const std::array<std::string, 4> labels{"", "night/a", "night/b", "day/1"};
    std::vector<Work> all;
    for (int i = 0; i < count; ++i) {
        Work work{.queue = upTo(3),
                  .worker = upTo(2) == 0 ? "exec" : "thumbs",
                  .label = labels[std::size_t(upTo(4))],
                  .milliCores = 500 * (1 + upTo(8)),
                  .memoryMb = upTo(2) * 500,
                  .created = kMidnight + upTo(24 * 60) * 60 * kSecond};
        WallMicros t = work.created;
        const std::int64_t tries = 1 + upTo(3);
        work.goesOn = upTo(10) == 0;
        for (std::int64_t n = 1; n <= tries; ++n) {
            Try one{.from = t + (1 + upTo(60)) * 60 * kSecond};
            one.until = one.from + (1 + upTo(upTo(5) == 0 ? 2 * 24 * 60 : 60)) * 60 * kSecond;
            const bool fails = n < tries || work.goesOn || upTo(4) == 0;
            if (fails) one.state = ActionState::Failed;
            if (fails) one.reason = kReasons[std::size_t(upTo(4))];
            if (upTo(2) == 0) one.peakBytes = upTo(1u << 30);
            work.tries.push_back(one);
            t = one.until + 60 * kSecond;
        }
        all.push_back(std::move(work));
    }
    return all;
}

Work ofAnHour(std::string label) {
    return {.label = std::move(label), .tries = {{.from = kMidnight + kHour, .until = kMidnight + 2 * kHour}}};
}

} // namespace

class TestAccounting : public QObject {
    Q_OBJECT

    Directories directories_;

    std::unique_ptr<Bench> bench() {
        return std::make_unique<Bench>(directories_.fresh(QTest::currentTestFunction()));
    }

private Q_SLOTS:
    void sumsAreThoseOfAPlainComputation() {
        const std::vector<Work> all = madeUpWork(300);
        const auto b = bench();
        b->add(all);
        constexpr std::pair<WallMicros, WallMicros> kSpans[] = {
            {kMidnight, kMidnight + 10 * kDay},
            {kMidnight + 9 * kHour + 120 * kSecond, kMidnight + 31 * kHour + 600 * kSecond}};
        for (const auto [from, to] : kSpans)
            for (std::size_t by = 0; by < kAccountingWords.size(); ++by)
                QCOMPARE(printed(b->rows(AccountingBy(by), from, to)),
                         printed(plainly(all, AccountingBy(by), from, to)));
    }

    void whatEveryKindOfRowSumsUpToIsTheSame() {
        const auto b = bench();
        b->add(madeUpWork(100));
        const auto total = [&](AccountingBy by) {
            AccountingRow sum{.key = "all"};
            for (const AccountingRow& row : b->rows(by)) {
                sum.actions += row.actions;
                sum.coreSeconds += row.coreSeconds;
                sum.wastedCoreSeconds += row.wastedCoreSeconds;
                sum.memoryGbHours += row.memoryGbHours;
                sum.waitSeconds += row.waitSeconds;
            }
            return printed(std::vector{sum});
        };
        const std::string byQueue = total(AccountingBy::Queue);
        for (const AccountingBy by : {AccountingBy::Worker, AccountingBy::Label, AccountingBy::Machine,
                                      AccountingBy::Day, AccountingBy::Hour})
            QCOMPARE(total(by), byQueue);
    }

    void anAttemptIsDividedAtMidnightAndItsActionBelongsToItsEnd() {
        const auto b = bench();
        b->add({{.milliCores = 2'000,
                 .created = kMidnight,
                 .tries = {{.from = kMidnight + 23 * kHour, .until = kMidnight + 2 * kDay + 2 * kHour}}}});
        QCOMPARE(printed(b->rows(AccountingBy::Day)),
                 printed("2023-11-14", 0, 2 * 3'600, 0, 0, 0) + printed("2023-11-15", 0, 2 * 86'400, 0, 0, 0) +
                     printed("2023-11-16", 1, 4 * 3'600, 0, 0, 23 * 3'600 - 1));
    }

    void anAttemptOfALostClockIsDividedAtOnce() {
        const auto b = bench();
        b->add({{.created = kSecond, .tries = {{.from = 2 * kSecond, .until = kMidnight}}}});
        const auto rows = b->rows(AccountingBy::Hour);
        QCOMPARE(rows.size(), kMostAccountingRows);
        QCOMPARE(rows.back().key, kOtherKey);
    }

    void memoryThatIsReservedCountsElseThePeak() {
        const auto b = bench();
        Work reserved = ofAnHour("reserved");
        reserved.memoryMb = 1'000;
        reserved.tries.front().peakBytes = kGigabyte;
        Work peak = ofAnHour("peak");
        peak.tries.front().peakBytes = 2 * kGigabyte;
        b->add({reserved, peak, ofAnHour("neither")});
        std::map<std::string, std::string> memory;
        for (const AccountingRow& row : b->rows(AccountingBy::Label))
            memory[row.key] = fmt::format("{:.6f}", row.memoryGbHours);
        QCOMPARE(memory["reserved"], "1.048576");
        QCOMPARE(memory["peak"], "2.000000");
        QCOMPARE(memory["neither"], "0.000000");
    }

    void labelsAreSummedByWhatTheyBeginWith_data() {
        QTest::addColumn<QString>("label");
        QTest::addColumn<QString>("prefix");
        QTest::newRow("a path") << "build/linux/x64" << "build";
        QTest::newRow("a colon") << "app:index" << "app";
        QTest::newRow("a dash") << "nightly-2026-11-26" << "nightly";
        QTest::newRow("an underscore") << "shot010_comp_v3" << "shot010";
        QTest::newRow("a blank") << "h264 encode" << "h264";
        QTest::newRow("numbered") << "frame0012" << "frame";
        QTest::newRow("numbered by an array") << "frame{index}" << "frame";
        QTest::newRow("an index alone") << "{index}" << "{index}";
        QTest::newRow("a digit within") << "mp3tags" << "mp3tags";
        QTest::newRow("a number alone") << "2026" << "2026";
        QTest::newRow("it begins with a mark") << "-x" << "-x";
        QTest::newRow("none") << "" << "";
        QTest::newRow("not ASCII") << "größe/1" << "größe";
    }
    void labelsAreSummedByWhatTheyBeginWith() {
        QFETCH(QString, label);
        QFETCH(QString, prefix);
        const std::string text = label.toStdString();
        QCOMPARE(labelPrefix(text), prefix.toStdString());
    }

    void ofManyKeysTheLargestHaveRowsAndTheOthersOne() {
        constexpr std::int64_t kKeys = 5'000;
        const auto b = bench();
        std::vector<Work> all;
        for (std::int64_t i = 0; i < kKeys; ++i) {
            all.push_back(ofAnHour(fmt::format("k{}x", i)));
            all.back().milliCores = 1'000 * (1 + i % 7); // few classes
            if (i == 4'321) all.back().milliCores = 64'000;
        }
        for (std::size_t at = 0; at < all.size(); at += 500) // no more at once than the journal takes
            b->add({all.begin() + std::ptrdiff_t(at), all.begin() + std::ptrdiff_t(at + 500)});
        const auto rows = b->rows(AccountingBy::Label);
        QCOMPARE(rows.size(), kMostAccountingRows);
        QCOMPARE(rows.front().key, "k4321x");
        QCOMPARE(rows.back().key, kOtherKey);
        QVERIFY(
            std::ranges::is_sorted(rows.begin(), rows.end() - 1, std::greater<>(), &AccountingRow::coreSeconds));
        QCOMPARE(rows[998].coreSeconds, 6.0 * 3'600); // 714 of seven cores come first
        std::int64_t actions = 0;
        double cores = 0;
        for (const AccountingRow& row : rows) {
            actions += row.actions;
            cores += row.coreSeconds;
        }
        QCOMPARE(actions, kKeys);
        QCOMPARE(cores, b->rows(AccountingBy::Machine).front().coreSeconds);
    }

    void moreKeysThanAreToldApartAreSummedAsOne() {
        constexpr std::size_t kBeyond = 500;
        AccountingSums sums({.by = AccountingBy::Label, .from = 0, .to = kDay},
                            {{.worker = "exec", .milliCores = 1'000}}, "yard");
        for (std::size_t i = 0; i < AccountingSums::kMostKeys + kBeyond; ++i) {
            const std::string label = fmt::format("k{}x", i);
            sums.add({.lsn = Lsn(std::int64_t(i) + 1),
                      .classNumber = 1,
                      .label = label,
                      .ended = kHour,
                      .attempts = {{.state = ActionState::Completed, .from = 0, .until = kHour}}});
        }
        const auto rows = sums.rows();
        QCOMPARE(rows.size(), kMostAccountingRows);
        QCOMPARE(rows.back().key, kOtherKey);
        QCOMPARE(rows.back().actions, std::int64_t(AccountingSums::kMostKeys + kBeyond - kMostAccountingRows + 1));
    }

    void withoutAnythingThereAreNoRows() {
        const auto b = bench();
        for (std::size_t by = 0; by < kAccountingWords.size(); ++by) QVERIFY(b->rows(AccountingBy(by)).empty());
        const auto view = b->view({});
        QCOMPARE(view->to, b->now);
        QCOMPARE(view->from, b->now - kDay);
        QCOMPARE(view->oldest, 0);
    }

    void whatIsToComeIsNotAskedFor() {
        const auto b = bench();
        b->add({ofAnHour("")});
        b->now = kMidnight + kHour + kHour / 2; // the clock went back since
        const auto view = b->view({.from = 0, .to = kMidnight + kDay});
        QCOMPARE(view->to, b->now);
        QCOMPARE(printed(view->rows), printed("0", 0, 1'800, 0, 0, 0));
        QCOMPARE(b->view({.from = kMidnight + kDay})->from, b->now);
    }

    void whatIsRetiredIsCounted() {
        const auto b = bench();
        b->add({ofAnHour("a"), ofAnHour("b"), ofAnHour("c")});
        QCOMPARE(b->view({})->retired, 0);
        b->journal.carryOut(store::Retire{Lsn(1)});
        const auto view = b->view({});
        QCOMPARE(view->retired, 1);
        QCOMPARE(view->oldest, kMidnight + 2 * kHour + kSecond);
    }

    void tooManyWhoAskAreSentAway() {
        constexpr int kAsk = Accounting::kMostWaiting + 3;
        const auto b = bench();
        std::vector<std::optional<Result<AccountingView>>> answers(kAsk);
        // The first is made once all have asked.
        std::latch allAsked(1);
        QVERIFY(b->helpers.post([&allAsked] { allAsked.wait(); }));
        coro::Loop loop;
        for (auto& answer : answers) loop.spawn("test", Bench::keep(b->accounting.view({}), answer));
        loop.spawn("all asked", [](std::latch& latch) -> coro::Task<void> {
            latch.count_down();
            co_return;
        }(allAsked));
        loop.run();
        const auto busy = std::ranges::count_if(
            answers, [](const auto& answer) { return !*answer && (*answer).error().kind == ErrorKind::Busy; });
        QCOMPARE(busy, 2); // one is made, the others wait
        QVERIFY(b->view({}));
    }

    void aJournalThatCannotBeReadIsAnError() {
        engine::test::MemoryJournal broken;
        broken.error = Error{.kind = ErrorKind::Io, .message = "disk", .field = {}, .need = {}};
        InternTable dictionary;
        coro::HelperPool helpers{1};
        Accounting accounting({.dictionary = dictionary,
                               .journal = broken,
                               .helpers = helpers,
                               .machineName = "yard",
                               .ended = [] { return 0; },
                               .now = [] { return kMidnight; }});
        std::optional<Result<AccountingView>> answer;
        coro::Loop loop;
        loop.spawn("test", Bench::keep(accounting.view({}), answer));
        loop.run();
        QCOMPARE((*answer).error().message, "disk");
        helpers.stop();
    }
};

QTEST_GUILESS_MAIN(TestAccounting)
#include "tst_accounting.moc"
