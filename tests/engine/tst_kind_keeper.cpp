// The keeper of kinds of work by itself: what a start takes, what cannot be written, and how much is answered at once.
#include "core/engine/running/kind_keeper.h"

#include "core/kinds/kind_codec.h"
#include "tests/coro/coro_test.h"

#include <QTest>

#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::engine;

namespace {

constexpr WallMicros kNow = 1'700'000'000'000'000;

/// As the journal has it.
store::DocumentRow document(std::string name, std::string body) {
    return {.kind = std::string(KindKeeper::kDocumentKind), .name = std::move(name), .body = std::move(body)};
}

/// Of one run that ended then.
std::string ranAt(WallMicros end) {
    kinds::Kind kind{"any"};
    kinds::Run run{.kind = "any", .end = end};
    run.duration = 1.0;
    kind.add(run);
    return kinds::encodeKind(kind);
}

std::string gotSlower() {
    kinds::Kind kind{"any"};
    for (int i = 0; i < 200; ++i) {
        kinds::Run run{.kind = "any", .end = kNow + i};
        run.duration = (i < 100 ? 1.0 : 2.0) + (i % 7) / 1e3;
        kind.add(run);
    }
    if (!kind.look()) qFatal("no change was found");
    return kinds::encodeKind(kind);
}

class Bench {
public:
    coro::test::Rig rig;
    InternTable dictionary;
    std::optional<Error> refusal; ///< what the journal answers
    std::vector<store::PutDocuments> posted;
    KindKeeper keeper{{.dictionary = dictionary,
                       .machineName = [](session::MachineId) { return std::string("here"); },
                       .commit = [this](store::Action action) { return commit(std::move(action)); },
                       .now = [] { return kNow; }}};

    ~Bench() { rig.loop.shutdown(); } // before what its threads use goes

    /// Kinds "0", "1" and so on; the first one ran first.
    void restore(std::size_t kinds) {
        std::vector<store::DocumentRow> documents;
        for (std::size_t i = 0; i < kinds; ++i)
            documents.push_back(
                document(fmt::format("{}", i), ranAt(kNow + static_cast<WallMicros>(i) * 1'000'000)));
        keeper.restore(documents);
    }

private:
    coro::Task<store::AckDetail> commit(store::Action action) {
        posted.push_back(std::get<store::PutDocuments>(std::move(action)));
        store::AckDetail detail;
        detail.error = refusal;
        co_return detail;
    }
};

} // namespace

class TestKindKeeper : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aStartTakesItsOwnDocumentsThatAreNotDamaged() {
        Bench bench;
        store::DocumentRow other = document("other", ranAt(kNow));
        other.kind = "mute";
        bench.keeper.restore(
            std::vector{document("good", ranAt(kNow)), document("damaged", "garbage"), std::move(other)});
        const auto list = bench.rig.ask(bench.keeper.list({}));
        QVERIFY(list.has_value());
        QCOMPARE(list->kinds.size(), std::size_t{1});
        QCOMPARE(list->kinds.front().kind, std::string("good"));
    }
    void whatIsAsItWasWrittenIsNotWrittenAgain() {
        Bench bench;
        bench.restore(3);
        (void)bench.rig.ask(saved(bench.keeper));
        QVERIFY(bench.posted.empty());
    }
    void whatAStartHasNoRoomForIsRemoved() {
        Bench bench;
        bench.restore(kinds::KindTable::kMaxKinds + 2);
        (void)bench.rig.ask(saved(bench.keeper));
        QCOMPARE(bench.posted.size(), std::size_t{1});
        QCOMPARE(bench.posted.front().changes.size(), std::size_t{2});
        for (const store::DocumentChange& change : bench.posted.front().changes) QVERIFY(!change.body);
    }
    void whatCannotBeWrittenEndsTheSaveAndIsTriedAgain() {
        Bench bench;
        bench.restore(kinds::KindTable::kMaxKinds + 1);
        bench.refusal = fail(ErrorKind::NoSpace, "full").error();
        (void)bench.rig.ask(saved(bench.keeper));
        QCOMPARE(bench.posted.size(), std::size_t{1});
        bench.refusal.reset();
        (void)bench.rig.ask(saved(bench.keeper));
        QCOMPARE(bench.posted.size(), std::size_t{2});
        QCOMPARE(bench.posted[1].changes.front().name, bench.posted[0].changes.front().name);
        (void)bench.rig.ask(saved(bench.keeper));
        QCOMPARE(bench.posted.size(), std::size_t{2});
    }
    void pagesOfManyKindsFollowEachOther() {
        Bench bench;
        bench.restore(3 * KindKeeper::kShown);
        std::size_t count = 0;
        std::string latest;
        for (KindQuery query{.limit = 2 * KindKeeper::kShown};;) {
            const auto page = bench.rig.ask(bench.keeper.list(query));
            QVERIFY(page.has_value());
            if (count == 0) latest = page->kinds.front().kind;
            count += page->kinds.size();
            if (page->next == 0) break;
            QCOMPARE(page->next, 2 * KindKeeper::kShown);
            query.from = page->next;
        }
        QCOMPARE(count, 3 * KindKeeper::kShown);
        QCOMPARE(latest, fmt::format("{}", 3 * KindKeeper::kShown - 1));
    }
    void aPlaceBehindAllIsAnEmptyPage() {
        Bench bench;
        bench.restore(2);
        const auto page = bench.rig.ask(bench.keeper.list({.from = 5}));
        QVERIFY(page && page->kinds.empty());
        QCOMPARE(page->next, std::size_t{0});
    }
    void ofManyRegressionsTheLatestAreShown() {
        Bench bench;
        const std::string body = gotSlower();
        std::vector<store::DocumentRow> documents;
        for (std::size_t i = 0; i < kMostRegressionsShown + 1; ++i)
            documents.push_back(document(fmt::format("{:04}", i), body));
        bench.keeper.restore(documents);
        const auto all = bench.rig.ask(bench.keeper.regressions());
        QVERIFY(all.has_value());
        QCOMPARE(all->size(), kMostRegressionsShown);
        QCOMPARE(all->front().kind, std::string("0000")); // as late as all others
        QVERIFY(all->front().change.isRegression());
    }

private:
    /// What a rig can ask for has a value.
    static coro::Task<bool> saved(KindKeeper& keeper) {
        co_await keeper.save();
        co_return true;
    }
};

QTEST_GUILESS_MAIN(TestKindKeeper)
#include "tst_kind_keeper.moc"
