// What people see of looks at objects, and what a look is sent: pokes with their outcome, rows that are read while their
// claims are on their way.
#include "tests/engine/objects_bench.h"

#include <QTest>

#include <string>

using namespace yard;
using namespace yard::engine;
using test::ObjectsBench;
using test::pageType;

namespace {

const std::string kFarAway = R"(,"retry_at":9000000000000000)";

/// "person waits, action 3 moved sealed"
std::string pokesOf(ObjectsBench& b, std::int64_t id) {
    const auto view = b.rig.ask(b.objects->get(id, Duration::zero(), ""));
    if (!view) return std::string(errorName(view.error().kind));
    std::string line;
    for (const Poke& poke : view->pokes) {
        line += fmt::format("{}{}", line.empty() ? "" : ", ", name(poke.why));
        if (poke.by != 0) line += fmt::format(" {}", poke.by);
        line += fmt::format(" {}", name(poke.outcome));
        if (!poke.to.empty()) line += " " + poke.to;
    }
    return line;
}

std::int64_t childOf(ObjectsBench& b, std::int64_t parent) {
    return b.create(fmt::format(R"({{"type":"page","parent":{}{}}})", parent, kFarAway));
}

} // namespace

class TestObjectLooks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // --- pokes

    void whoAsksForALookIsToldWhatCameOfIt() {
        ObjectsBench b;
        b.put(pageType());
        const auto id = b.create(R"({"type":"page")" + kFarAway + "}");
        QCOMPARE(pokesOf(b, id), "");
        QVERIFY(b.rig.ask(b.objects->look({id})));
        QCOMPARE(pokesOf(b, id), "person waits");
        b.comesUp();
        b.answer(R"({"exit_code":0,"move":"started","look_in_s":100})");
        QCOMPARE(pokesOf(b, id), "person moved started");
        QVERIFY(b.rig.ask(b.objects->look({id})));
        b.comesUp();
        b.answer(R"({"exit_code":0,"look_in_s":100})");
        QCOMPARE(pokesOf(b, id), "person moved started, person stayed");
        QVERIFY(b.rig.ask(b.objects->look({id})));
        b.comesUp();
        b.answer(R"({"exit_code":1,"message":"no"})");
        QCOMPARE(pokesOf(b, id), "person moved started, person stayed, person failed");
    }
    void aPokeDuringALookIsOfTheNextOne() {
        ObjectsBench b;
        const auto id = b.looksAtPage();
        b.rig.clock.advance(std::chrono::seconds(1));
        QVERIFY(b.rig.ask(b.objects->look({id})));
        b.answer(R"({"exit_code":0,"move":"started","look_in_s":100})");
        QCOMPARE(pokesOf(b, id), "person waits");
        b.answer(R"({"exit_code":0,"move":"sealed"})");
        QCOMPARE(pokesOf(b, id), "person moved sealed");
    }
    void whatEndsByHandBeforeALookEndsItsPokes() {
        ObjectsBench b;
        b.put(pageType());
        const auto id = b.create(R"({"type":"page")" + kFarAway + "}");
        QVERIFY(b.rig.ask(b.objects->look({id})));
        QVERIFY(b.rig.ask(b.objects->move(id, "failed", false)));
        QCOMPARE(pokesOf(b, id), "person ended failed");
        QVERIFY(b.rig.ask(b.objects->look({id}))); // nobody looks at it again
        QCOMPARE(pokesOf(b, id), "person ended failed");
    }
    void aChildThatEndsAndOneThatIsDeletedPokeTheirParent() {
        ObjectsBench b;
        b.put(pageType());
        const auto parent = b.create(R"({"type":"page")" + kFarAway + "}");
        const auto first = childOf(b, parent);
        const auto second = childOf(b, parent);
        QVERIFY(b.rig.ask(b.objects->move(first, "failed", false)));
        QVERIFY(b.rig.ask(b.objects->remove({second})));
        QCOMPARE(pokesOf(b, parent), fmt::format("child {} waits, child {} waits", first, second));
    }
    void aChildWhoseEndTheJournalRefusedPokesNobody() {
        ObjectsBench b;
        b.put(pageType());
        const auto parent = b.create(R"({"type":"page")" + kFarAway + "}");
        const auto child = childOf(b, parent);
        b.journal.refusal = fail(ErrorKind::Journal, "full").error();
        QVERIFY(!b.rig.ask(b.objects->move(child, "failed", false)));
        QCOMPARE(pokesOf(b, parent), "");
    }
    void anotherObjectAndAnActionPokeByTheirNumbers() {
        ObjectsBench b;
        b.put(pageType());
        const auto other = b.create(R"({"type":"page")" + kFarAway + "}");
        const auto id = b.create(R"({"type":"page"})");
        b.rig.settle();
        b.comesUp();
        b.answer(fmt::format(
            R"({{"exit_code":0,"move":"started","look_in_s":1000,"effects":[{{"wake":[{}]}},{{"submit":{{"worker":"exec","argv":["true"]}},"as":"pdf"}}]}})",
            other));
        QCOMPARE(pokesOf(b, other), fmt::format("object {} waits", id));
        b.journal.end(Lsn(1), "1");
        b.objects->actions().ended(Lsn(1));
        b.rig.settle();
        QCOMPARE(pokesOf(b, id), "action 1 waits");
    }
    void whatIsDeletedHasNone() {
        ObjectsBench b;
        b.put(pageType());
        const auto id = b.create(R"({"type":"page")" + kFarAway + "}");
        QVERIFY(b.rig.ask(b.objects->look({id})));
        QVERIFY(b.rig.ask(b.objects->remove({id})));
        QCOMPARE(pokesOf(b, id), "not_found");
    }
    void ofOneObjectAndOfAllTheNewestAreKept() {
        Pokes pokes;
        const lifecycle::ObjectId busy(1);
        for (WallMicros t = 1; t <= 30; ++t) pokes.note(busy, {.t = t});
        QCOMPARE(pokes.of(busy).size(), Pokes::kMostOfOne);
        QCOMPARE(pokes.of(busy).front().t, WallMicros{11});
        for (std::int64_t id = 2; id <= static_cast<std::int64_t>(Pokes::kMost) - 19; ++id)
            pokes.note(lifecycle::ObjectId(id), {.t = id});
        // The ten of it that had gone before counted, too; none of those that are left had to go for them.
        QCOMPARE(pokes.of(busy).size(), Pokes::kMostOfOne);
        pokes.note(lifecycle::ObjectId(100'000), {.t = 1});
        QCOMPARE(pokes.of(busy).size(), Pokes::kMostOfOne - 1);
        QCOMPARE(pokes.of(busy).front().t, WallMicros{12});
        QCOMPARE(pokes.of(lifecycle::ObjectId(2)).size(), std::size_t{1});
        pokes.forget(busy);
        QVERIFY(pokes.of(busy).empty());
    }

    // --- rows that are read ahead

    void aRowIsReadOnceWhileItsClaimIsOnItsWay() {
        ObjectsBench b;
        b.put(pageType());
        const auto id = b.create(R"({"type":"page","fields":{"url":"a"}})");
        b.rig.settle();
        b.isSlow = true;
        b.comesUp();
        QCOMPARE(b.postedCount(), std::size_t{1});
        QCOMPARE(b.readAhead, std::vector<std::vector<std::int64_t>>{{id}});
        QCOMPARE(b.question(), ""); // nothing is sent before the commit
        const int before = b.rowsRead;
        b.commits();
        QVERIFY2(b.question().contains(R"("url":"a")"), b.question().c_str());
        // As the claim left it.
        const auto retryAt = fmt::format(R"("retry_at":{})", b.journal.rows.at(id).retryAt);
        QVERIFY2(b.question().contains(retryAt), b.question().c_str());
        QCOMPARE(b.rowsRead, before);
    }
    void whatCannotBeReadAheadIsReadAfterwards() {
        ObjectsBench b;
        b.aheadRefusal = fail(ErrorKind::Journal, "busy").error();
        const auto id = b.looksAtPage();
        QVERIFY2(b.question().contains(fmt::format(R"("id":{})", id)), b.question().c_str());
        QCOMPARE(b.rowsRead, 1);
    }
    void aParentSeesTheEndOfAChildThatWasOnItsWay() {
        ObjectsBench b;
        b.put(pageType());
        const auto parent = b.create(R"({"type":"page")" + kFarAway + "}");
        const auto child = childOf(b, parent);
        const auto page = b.create(R"({"type":"page"})"); // its actor is there
        b.rig.settle();
        b.comesUp();
        QVERIFY(b.question().contains(fmt::format(R"("id":{})", page)));
        b.isSlow = true;
        b.answer(R"({"exit_code":0,"look_in_s":1000})");
        b.commits();
        b.readAhead.clear();
        auto moving = b.rig.spawn("move", [](ObjectsBench& of, std::int64_t id) -> coro::Task<void> {
            (void)co_await of.objects->move(id, "failed", false);
        }(b, child));
        b.rig.settle();
        b.objects->workersChanged(); // a pass comes before the commit
        b.rig.settle();
        b.comesUp();
        // The end of the child, and behind it the claim of its parent: which is not read before that.
        QCOMPARE(b.postedCount(), std::size_t{2});
        QVERIFY(b.readAhead.empty());
        b.commits();
        QVERIFY2(b.question().contains(R"("children":{"failed":1},"pending":0)"), b.question().c_str());
    }
    void aRowThatChangedBeforeItsClaimIsNotSent() {
        LookAhead ahead;
        auto batch = std::make_shared<LookAhead::Batch>();
        const lifecycle::Claim claim{.id = lifecycle::ObjectId(4), .status = 0, .revision = 7, .retryAt = 1};
        QCOMPARE(ahead.begin({claim}, batch), std::vector<std::int64_t>{4});
        store::ObjectWithRelatives row;
        row.row.id = 4;
        row.row.revision = 6;
        batch->rows.emplace(4, row);
        batch->isRead.set();
        coro::test::Rig rig;
        const lifecycle::Seen seen{.id = lifecycle::ObjectId(4), .status = 0, .revision = 7, .retries = 0};
        QVERIFY(!rig.ask(LookAhead::wait(ahead.take(seen.id), seen)));
        QVERIFY(!ahead.take(seen.id)); // once
        QVERIFY(!rig.ask(LookAhead::wait(nullptr, seen)));
    }

    // --- locks

    void anActorHoldsTheLocksOfItsType() {
        ObjectsBench b;
        std::string type = pageType();
        type.replace(type.find(R"("worker":"w")"), 12, R"("worker":"w","locks":["licence","db","db"])");
        QCOMPARE(b.put(type), "done");
        b.create(R"({"type":"page"})");
        b.rig.settle();
        QCOMPARE(b.added.size(), std::size_t{1});
        QCOMPARE(b.locks, (std::vector<std::string>{"db", "licence"})); // each once
        QCOMPARE(b.objects->orchestrator().types.front().actors.front().process, std::string("page #1"));
        // They are held: it does not come up, which counts for no object, and the next one is started later.
        runners::Ended never;
        never.cause = runners::EndCause::SpawnError;
        never.spawn.message = "the lock db is held";
        b.end(0, std::move(never));
        QCOMPARE(b.objects->orchestrator().types.front().why, std::string("spawn_error: the lock db is held"));
        QCOMPARE(b.stands(1), "queued r0");
        QCOMPARE(b.added.size(), std::size_t{1});
        b.rig.clock.advance(std::chrono::seconds(11));
        b.objects->workersChanged();
        b.rig.settle();
        QCOMPARE(b.added.size(), std::size_t{2});
    }

    // --- stays

    void staysAreThoseOfItsType() {
        ObjectsBench b;
        b.put(pageType());
        const auto stays = b.rig.ask(b.objects->stays("page"));
        QVERIFY(stays.has_value());
        QCOMPARE(stays->front().status, "queued");
        QCOMPARE(ObjectsBench::word(b.rig.ask(b.objects->stays("nothing"))), "not_found ");
    }
};

QTEST_GUILESS_MAIN(TestObjectLooks)
#include "tst_object_looks.moc"
