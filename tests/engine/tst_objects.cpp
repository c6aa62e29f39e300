// Objects in the engine: looks, moves, types, starts and ends; with a journal and actors that a test holds in its hands.
#include "core/engine/objects/object_view.h"
#include "core/json/json_reader.h"
#include "tests/engine/objects_bench.h"

#include <QTest>

#include <string>

using namespace yard;
using namespace yard::engine;
using namespace yard::engine::test;
using namespace std::chrono_literals;

class TestObjects : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anObjectIsLookedAtUntilItIsSealed();
    void actorMustBeStartedLazilyAndExitWhenItsQueueIsEmpty();
    void nothingIsDoneBeforeItsTime();
    void aLookThatOnlyWaitsChangesNothingForWatchers();
    void anActorThatDoesNotComeUpIsTriedAgainAndCountsForNoObject();
    void aCrashIsAnExceptionOfThatLookAlone();
    void aLookThatTakesTooLongIsEnded();
    void theTimeOfALookBeginsInItsProcess();
    void garbageIsAnException();
    void ofTwoMoversOneWins();
    void whatIsLookedAtIsDueAtOnceAfterAnEnd();
    void whatIsClaimedAndNotYetSentIsDueAtOnceAfterAnEnd();
    void withoutItsWorkerATypeHasOrphans();
    void anActorOfAnOlderWorkerEndsOnceItHasAnswered();
    void ofOrphansTheFirstHundredAreNamedAndAllAreCounted();
    void peopleAreToldOfATypeThatHasOrphansAndWhenThatIsOver();
    void peopleAreToldOfObjectsThatAreStuck();
    void fieldsAreChangedOfTheRevisionThatWasSeen();
    void anOtherLaunchKeyIsAnOtherActor();
    void countsAreToldWithoutBodies();
    void aNewVersionOfATypeRenamesStates();
    void aNewVersionThatTheJournalRefusesChangesNothing();
    void whileATypeIsChangedItsObjectsAreNot();
    void whatBecameDueWhileATypeWasHeldIsLookedAt();
    void aTypeWithObjectsIsRemovedByForceAlone();
    void aTypeThatGoesEndsALookThatHangs();
    void aTypeThatCannotBeReadIsReplacedByItsName();
    void aDamagedRowIsShownWithoutItsFields();
    void whatIsNoObjectIsRefused();
    void aKeyIsMadeOnce();
    void whatTheJournalRefusesIsNotThere();
    void whileTheJournalRefusesNoLookBegins();
    void somebodyWaitsForAStatus();
    void aListEndsForItsTimeAndGoesOnByItsCursor();
};

void TestObjects::anObjectIsLookedAtUntilItIsSealed() {
    ObjectsBench b;
    QCOMPARE(b.put(pageType()), "done");
    const auto id = b.create(R"({"type":"page","fields":{"url":"x"}})");
    b.rig.settle();
    b.comesUp();
    QVERIFY2(b.question().contains(R"("tick":{"object":{"id":1,"type":"page","status":"queued")"),
             b.question().c_str());
    b.answer(R"({"exit_code":0,"move":"started"})");
    QCOMPARE(b.stands(id), "started r1");
    QVERIFY(b.question().contains(R"("status":"started")"));
    b.answer(R"({"exit_code":0,"move":"sealed","set":{"url":"y"}})");
    QCOMPARE(b.stands(id), "sealed r2");
    QCOMPARE(b.journal.rows.at(id).retryAt, WallMicros(0));
    QCOMPARE(b.journal.rows.at(id).fields, R"({"url":"y"})");
    QCOMPARE(b.journal.moves.at(id).size(), std::size_t(2));
    QCOMPARE(b.journal.moves.at(id).front().actor, "w #1");
    std::string moves;
    for (const auto& move : b.objects->orchestrator().types.front().moves)
        moves += fmt::format("{}>{} {}; ", move.from, move.to, move.perMinute);
    QCOMPARE(moves, ">queued 0.1; queued>started 0.1; started>sealed 0.1; ");
}

void TestObjects::actorMustBeStartedLazilyAndExitWhenItsQueueIsEmpty() {
    ObjectsBench b;
    b.put(pageType());
    QVERIFY(b.added.empty());
    b.create(R"({"type":"page"})");
    b.rig.settle();
    QCOMPARE(b.added.size(), std::size_t(1));
    b.comesUp();
    b.answer(R"({"exit_code":0,"look_in_s":100})");
    QCOMPARE(b.removed, b.added);
    b.rig.advance(100s);
    QCOMPARE(b.added.size(), std::size_t(2));
}

void TestObjects::nothingIsDoneBeforeItsTime() {
    ObjectsBench b;
    b.put(pageType());
    b.create(fmt::format(R"({{"type":"page","retry_at":{}}})", b.now() + 5'000'000));
    b.rig.advance(4s);
    QVERIFY(b.added.empty());
    b.rig.advance(1s);
    QCOMPARE(b.added.size(), std::size_t(1));
}

void TestObjects::aLookThatOnlyWaitsChangesNothingForWatchers() {
    ObjectsBench b;
    const auto id = b.looksAtPage();
    b.noted.clear();
    b.answer(R"({"exit_code":0,"look_in_s":100})");
    QCOMPARE(b.noted, std::vector<std::int64_t>());
    b.rig.advance(100s);
    b.comesUp();
    b.answer(R"({"exit_code":0,"set":{"n":1},"look_in_s":100})");
    QCOMPARE(b.noted, std::vector{id});
}

void TestObjects::anActorThatDoesNotComeUpIsTriedAgainAndCountsForNoObject() {
    ObjectsBench b;
    b.put(pageType());
    const auto id = b.create(R"({"type":"page"})");
    b.rig.settle();
    runners::Ended ended;
    ended.cause = runners::EndCause::SpawnError;
    ended.spawn.message = "no such file";
    b.end(0, std::move(ended));
    QCOMPARE(b.stands(id), "queued r0");
    QCOMPARE(b.objects->orchestrator().types.front().why, "spawn_error: no such file");
    QCOMPARE(b.added.size(), std::size_t(1));
    b.rig.advance(10s);
    QCOMPARE(b.added.size(), std::size_t(2));
    b.comesUp();
    QVERIFY(!b.question().empty());
    QVERIFY(b.objects->orchestrator().types.front().why.empty());
}

void TestObjects::aCrashIsAnExceptionOfThatLookAlone() {
    ObjectsBench b;
    b.put(pageType());
    const auto one = b.create(R"({"type":"page"})");
    const auto two = b.create(R"({"type":"page"})");
    b.rig.settle();
    b.comesUp();
    b.crash();
    QCOMPARE(b.journal.rows.at(one).lastError, "worker_crashed: it died");
    QCOMPARE(b.journal.rows.at(one).retries, std::int64_t(1));
    QCOMPARE(b.journal.rows.at(one).retryAt, b.now() + 10'000'000);
    QCOMPARE(b.journal.rows.at(two).retries, std::int64_t(0));
    b.comesUp();
    QVERIFY(b.question().contains(R"("id":2)"));
}

void TestObjects::aLookThatTakesTooLongIsEnded() {
    ObjectsBench b;
    const auto id = b.looksAtPage();
    b.begins();
    b.rig.advance(59s);
    QVERIFY(b.stopped.empty());
    b.rig.advance(1s);
    QCOMPARE(b.stopped.size(), std::size_t(1));
    QCOMPARE(b.removed, b.added);
    QCOMPARE(b.journal.rows.at(id).lastError, "tick_timeout");
    b.asked.clear();
    b.rig.advance(10s);
    b.comesUp();
    QVERIFY(!b.question().empty());
}

void TestObjects::theTimeOfALookBeginsInItsProcess() {
    ObjectsBench b;
    const auto id = b.looksAtPage();
    b.rig.advance(300s); // it waits for cores
    QVERIFY(b.stopped.empty());
    b.answer(R"({"exit_code":0,"move":"started"})");
    QCOMPARE(b.stands(id), "started r1");
}

void TestObjects::garbageIsAnException() {
    ObjectsBench b;
    const auto id = b.looksAtPage();
    b.answer("garbage");
    QCOMPARE(b.stands(id), "queued r1");
    QVERIFY(!b.journal.rows.at(id).lastError.empty());
    QVERIFY(b.journal.moves.empty());
    b.rig.advance(10s);
    b.comesUp();
    b.answer(R"({"exit_code":3,"message":"no luck"})");
    QCOMPARE(b.journal.rows.at(id).lastError, "no luck");
    b.rig.advance(10s);
    b.comesUp();
    b.answer(R"({"exit_code":0,"move":"sealed"})"); // the table does not have it; the third in a row
    QCOMPARE(b.stands(id), "failed r3");
}

void TestObjects::ofTwoMoversOneWins() {
    ObjectsBench b;
    const auto id = b.looksAtPage();
    QVERIFY(b.rig.ask(b.objects->move(id, "failed", false)).has_value());
    QCOMPARE(b.stands(id), "failed r1");
    b.answer(R"({"exit_code":0,"move":"started"})");
    QCOMPARE(b.stands(id), "failed r1");
    QCOMPARE(b.journal.moves.at(id).size(), std::size_t(1));
    QCOMPARE(b.word(b.rig.ask(b.objects->move(id, "queued", false))), "wrong_state ");
    QCOMPARE(b.word(b.rig.ask(b.objects->move(id, "queued", true))), "done");
    QCOMPARE(b.word(b.rig.ask(b.objects->move(id, "nowhere", true))), "invalid to");
    QCOMPARE(b.word(b.rig.ask(b.objects->move(99, "queued", true))), "not_found ");
}

void TestObjects::whatIsLookedAtIsDueAtOnceAfterAnEnd() {
    ObjectsBench b;
    const auto id = b.looksAtPage();
    QCOMPARE(b.journal.rows.at(id).retryAt, b.now() + 60'000'000); // claimed
    b.objects->stop();
    QCOMPARE(b.journal.rows.at(id).retryAt, b.now());
    b.crash(); // with the engine
    QCOMPARE(b.stands(id), "queued r0");
    b.open();
    b.comesUp();
    QVERIFY(!b.question().empty());
}

void TestObjects::whatIsClaimedAndNotYetSentIsDueAtOnceAfterAnEnd() {
    ObjectsBench b;
    b.put(pageType());
    const auto id = b.create(R"({"type":"page"})");
    b.rig.settle();
    b.isSlow = true;
    b.comesUp();
    QVERIFY(b.question().empty());
    b.objects->stop();
    b.commits();
    QCOMPARE(b.journal.rows.at(id).retryAt, b.now());
    QVERIFY(b.question().empty());
}

void TestObjects::withoutItsWorkerATypeHasOrphans() {
    ObjectsBench b;
    b.hasWorker = false;
    b.put(pageType());
    const auto id = b.create(R"({"type":"page"})");
    b.rig.settle();
    QVERIFY(b.added.empty());
    const OrchestratorView view = b.objects->orchestrator();
    QCOMPARE(view.orphanCount, std::size_t(1));
    QCOMPARE(view.orphans.front().id, id);
    QCOMPARE(std::string(view.orphans.front().reason), "worker_unknown");
    b.hasWorker = true;
    b.objects->workersChanged();
    b.rig.settle();
    QCOMPARE(b.added.size(), std::size_t(1));
    QVERIFY(b.objects->orchestrator().orphans.empty());
}

void TestObjects::anActorOfAnOlderWorkerEndsOnceItHasAnswered() {
    ObjectsBench b;
    const auto id = b.looksAtPage();
    b.create(R"({"type":"page"})");
    b.objects->workersChanged(); // another one came
    b.rig.settle();
    b.worker.id = std::string(64, 'b');
    b.objects->workersChanged();
    b.rig.settle();
    QVERIFY(b.removed.empty());
    QVERIFY(b.stopped.empty());
    b.answer(R"({"exit_code":0,"move":"started"})");
    QCOMPARE(b.stands(id), "started r1");
    QCOMPARE(b.removed, std::vector<std::string>{b.added.front()});
    QCOMPARE(b.added.size(), std::size_t(2));
    b.comesUp();
    QVERIFY(b.question().contains(R"("object":{"id":1,"type":"page","status":"started")"));
}

void TestObjects::ofOrphansTheFirstHundredAreNamedAndAllAreCounted() {
    ObjectsBench b;
    b.hasWorker = false;
    b.put(pageType());
    std::string many = "[";
    for (int i = 0; i < 120; ++i) many += R"({"type":"page"},)";
    many.back() = ']';
    QCOMPARE(b.rig.ask(b.objects->create(many))->ids.size(), std::size_t(120));
    b.rig.settle();
    const OrchestratorView view = b.objects->orchestrator();
    QCOMPARE(view.orphans.size(), std::size_t(100));
    QCOMPARE(view.orphanCount, std::size_t(120));
}

void TestObjects::peopleAreToldOfATypeThatHasOrphansAndWhenThatIsOver() {
    ObjectsBench b;
    b.hasWorker = false;
    b.put(pageType());
    b.rig.settle();
    QVERIFY(b.troubles.empty());
    b.create(R"({"type":"page"})");
    b.create(R"({"type":"page"})");
    b.rig.settle();
    const std::string text = "Objects of the type page are due, and no actor looks at them: worker_unknown.";
    QCOMPARE(b.troubles, (std::map<std::string, std::string>{{"orphans page", text}}));
    b.troubles.clear();
    b.objects->troubles().tellAll(); // there is a new rule
    QCOMPARE(b.troubles.size(), std::size_t(1));
    b.hasWorker = true;
    b.objects->workersChanged();
    b.rig.settle();
    QVERIFY(b.troubles.empty());
    b.troubles["orphans page"] = "as the last engine said";
    b.open();
    QVERIFY(b.troubles.empty());
}

void TestObjects::peopleAreToldOfObjectsThatAreStuck() {
    ObjectsBench b;
    std::string type = pageType(); // without an end for what is retried too often
    type.replace(type.find(R"(,"kind":"bad")"), 13, "");
    QCOMPARE(b.put(type), "done");
    const auto id = b.create(R"({"type":"page"})");
    for (int i = 0; i < 4 && b.troubles.empty(); ++i) {
        b.rig.advance(10s);
        b.comesUp();
        b.answer(R"({"exit_code":1,"message":"no"})");
    }
    QCOMPARE(b.troubles.begin()->first, "stuck page");
    QVERIFY2(b.troubles.begin()->second.contains("1 of them"), b.troubles.begin()->second.c_str());
    QVERIFY(b.rig.ask(b.objects->remove({id})).has_value());
    b.rig.settle();
    QVERIFY(b.troubles.empty());
}

void TestObjects::fieldsAreChangedOfTheRevisionThatWasSeen() {
    ObjectsBench b;
    b.put(pageType());
    const auto id = b.create(fmt::format(R"({{"type":"page","retry_at":{}}})", b.now() + 900'000'000));
    const auto changed = b.rig.ask(b.objects->change(id, R"({"url":"z"})", 0));
    QVERIFY(changed && !changed->isOther);
    QCOMPARE(changed->view.row.fields, R"({"url":"z"})");
    QCOMPARE(b.journal.rows.at(id).retryAt, b.now() + 900'000'000);
    const auto late = b.rig.ask(b.objects->change(id, R"({"url":"w"})", 0));
    QVERIFY(late && late->isOther);
    QCOMPARE(b.stands(id), "queued r1");
    QCOMPARE(b.word(b.rig.ask(b.objects->change(id, R"({"url":7})", {}))), "invalid fields");
    QCOMPARE(b.word(b.rig.ask(b.objects->change(99, "{}", {}))), "not_found ");
    QVERIFY(b.rig.ask(b.objects->move(id, "failed", false)).has_value());
    QCOMPARE(b.word(b.rig.ask(b.objects->change(id, R"({"url":"w"})", {}))), "wrong_state ");
}

void TestObjects::anOtherLaunchKeyIsAnOtherActor() {
    ObjectsBench b;
    std::string type = pageType();
    type.replace(type.find(R"("worker":"w")"), 12, R"("worker":"w","key":["url"],"max_actors":4)");
    QCOMPARE(b.put(type), "done");
    b.create(R"({"type":"page","fields":{"url":"a"}})");
    b.create(R"({"type":"page","fields":{"url":"b"}})");
    const auto without = b.create(R"({"type":"page"})");
    b.rig.settle();
    QCOMPARE(b.added.size(), std::size_t(2));
    QCOMPARE(std::string(b.objects->orchestrator().orphans.front().reason), "key_missing");
    QVERIFY(b.rig.ask(b.objects->change(without, R"({"url":"c"})", {})).has_value());
    b.rig.settle();
    QCOMPARE(b.added.size(), std::size_t(3));
}

namespace {

/// pageType() with "new" in place of "queued".
std::string renamedType() {
    std::string next = pageType(R"("rename":{"queued":"new"})");
    for (auto at = next.find(R"("queued")"); at != std::string::npos; at = next.find(R"("queued")", at + 5))
        if (!next.substr(at).starts_with(R"("queued":"new")")) next.replace(at, 8, R"("new")");
    return next;
}

} // namespace

void TestObjects::countsAreToldWithoutBodies() {
    ObjectsBench b;
    b.put(pageType());
    b.put(pageType({}, "note"));
    b.create(R"({"type":"page"})");
    const auto types = b.objects->types();
    const auto counts = b.objects->counts();
    QCOMPARE(counts.size(), std::size_t(2));
    for (std::size_t at = 0; at < types.size(); ++at) {
        QVERIFY(!types[at].body.empty());
        QVERIFY(counts[at].body.empty());
        QCOMPARE(counts[at].name, types[at].name);
        QCOMPARE(counts[at].counts.size(), types[at].counts.size());
    }
    QCOMPARE(counts.back().counts.front().count, std::int64_t(1));
}

void TestObjects::aNewVersionOfATypeRenamesStates() {
    ObjectsBench b;
    b.put(pageType());
    const auto id = b.create(fmt::format(R"({{"type":"page","retry_at":{}}})", b.now() + 900'000'000));
    QCOMPARE(b.put(renamedType()), "done");
    QCOMPARE(b.journal.types.size(), std::size_t(1));
    QCOMPARE(b.objects->types().front().counts.front().status, "new");
    QCOMPARE(b.objects->types().front().counts.front().count, std::int64_t(1));
    QCOMPARE(b.put(R"({"name":"page","states":{"a":{"initial":true},"b":{"final":true}},)"
                   R"("transitions":[{"from":"a","to":"b"}]})"),
             "wrong_state ");
    QCOMPARE(b.stands(id), "new r0");
    b.open();
    QCOMPARE(b.objects->orchestrator().objects, std::size_t(1));
}

void TestObjects::aNewVersionThatTheJournalRefusesChangesNothing() {
    ObjectsBench b;
    b.put(pageType());
    const auto id = b.create(fmt::format(R"({{"type":"page","retry_at":{}}})", b.now() + 900'000'000));
    const std::string before = b.objects->types().front().body;
    b.journal.refusal = fail(ErrorKind::Journal, "full").error();
    QCOMPARE(b.put(renamedType()), "journal ");
    QCOMPARE(b.objects->types().front().body, before);
    QCOMPARE(b.objects->types().front().counts.front().status, "queued");
    b.journal.refusal.reset();
    QCOMPARE(b.put(renamedType()), "done");
    QCOMPARE(b.stands(id), "new r0");
    QCOMPARE(b.objects->types().front().counts.front().status, "new");
}

void TestObjects::whileATypeIsChangedItsObjectsAreNot() {
    ObjectsBench b;
    const auto id = b.looksAtPage();
    b.isSlow = true;
    const auto changing = b.rig.begin(b.objects->putType(renamedType()));
    QCOMPARE(b.word(b.rig.ask(b.objects->move(id, "failed", false))), "busy ");
    QCOMPARE(b.word(b.rig.ask(b.objects->change(id, R"({"url":"z"})", {}))), "busy ");
    QCOMPARE(b.refused(R"({"type":"page"})"), "busy ");
    b.answer(R"({"exit_code":0,"move":"started"})"); // of the version before
    b.isSlow = false;
    b.commits();
    QVERIFY(changing->has_value() && changing->value().has_value());
    QCOMPARE(b.stands(id), "new r0");
    if (b.question().empty()) b.comesUp();
    QVERIFY(b.question().contains(R"("status":"new")"));
    b.answer(R"({"exit_code":0,"move":"started"})");
    QCOMPARE(b.stands(id), "started r1");
}

void TestObjects::whatBecameDueWhileATypeWasHeldIsLookedAt() {
    ObjectsBench b;
    b.put(pageType());
    b.create(fmt::format(R"({{"type":"page","retry_at":{}}})", b.now() + 5'000'000));
    b.isSlow = true;
    const auto changing = b.rig.begin(b.objects->putType(renamedType()));
    b.rig.advance(5s);
    QVERIFY(b.added.empty());
    b.journal.refusal = fail(ErrorKind::Journal, "full").error();
    b.commits();
    QVERIFY(changing->has_value() && !changing->value().has_value());
    QCOMPARE(b.added.size(), std::size_t(1));
}

void TestObjects::aTypeWithObjectsIsRemovedByForceAlone() {
    ObjectsBench b;
    b.put(pageType());
    b.create(fmt::format(R"({{"type":"page","retry_at":{}}})", b.now() + 900'000'000));
    QCOMPARE(b.word(b.rig.ask(b.objects->removeType("none", false))), "not_found ");
    QVERIFY(b.rig.ask(b.objects->removeType("page", true)).has_value());
    QVERIFY(b.journal.rows.empty());
    QVERIFY(b.objects->types().empty());
    QCOMPARE(b.refused(R"({"type":"page"})"), "invalid type");
    QCOMPARE(b.put(pageType()), "done");
    QVERIFY(b.create(R"({"type":"page"})") > 0);
}

void TestObjects::aTypeThatGoesEndsALookThatHangs() {
    ObjectsBench b;
    b.looksAtPage();
    b.begins();
    QVERIFY(b.rig.ask(b.objects->removeType("page", true)).has_value());
    b.rig.settle();
    QCOMPARE(b.stopped.size(), std::size_t(1));
    QCOMPARE(b.removed, b.added);
}

void TestObjects::aTypeThatCannotBeReadIsReplacedByItsName() {
    ObjectsBench b;
    b.put(pageType());
    const auto id = b.create(R"({"type":"page"})");
    b.journal.types.at(1).body = "{";
    b.open();
    QVERIFY(b.objects->types().empty());
    QCOMPARE(b.put(pageType()), "done");
    QCOMPARE(b.journal.types.size(), std::size_t(1));
    QVERIFY(b.journal.types.at(1).body != "{");
    QCOMPARE(b.objects->type("page")->counts.front().count, std::int64_t{0});
    b.open();
    QCOMPARE(b.objects->type("page")->counts.front().count, std::int64_t{1});
    QCOMPARE(b.stands(id), "queued r0");
}

void TestObjects::aDamagedRowIsShownWithoutItsFields() {
    for (const char* damaged : {"{\"url\":", "", "[1]"}) {
        ObjectView view;
        view.row.id = 7;
        view.row.fields = damaged;
        std::string text;
        JsonWriter writer(text);
        writer.openObject();
        writeObject(writer, view);
        writer.closeObject();
        QVERIFY2(readJson(text) && text.contains(R"("fields":{})"), text.c_str());
    }
}

void TestObjects::whatIsNoObjectIsRefused() {
    ObjectsBench b;
    b.put(pageType());
    QCOMPARE(b.refused("{"), "malformed ");
    QCOMPARE(b.refused("{}"), "invalid type");
    QCOMPARE(b.refused("[]"), "invalid ");
    QCOMPARE(b.refused("[1]"), "malformed ");
    QCOMPARE(b.refused(R"({"type":"page","status":"gone"})"), "invalid status");
    QCOMPARE(b.refused(R"({"type":"page","fields":[]})"), "invalid fields");
    QCOMPARE(b.refused(R"({"type":"page","fields":{"x":1}})"), "invalid fields");
    QCOMPARE(b.refused(R"({"type":"page","parent":7})"), "invalid parent");
    QCOMPARE(b.refused(R"({"type":"page","key":7})"), "invalid key");
    QCOMPARE(b.refused(R"({"type":"page","retry_at":-1})"), "invalid retry_at");
    QCOMPARE(b.refused(R"({"type":"page","x":1})"), "invalid x");
    QVERIFY(b.journal.rows.empty());
    std::string locked = pageType();
    locked.replace(locked.find(R"("worker":"w")"), 12, R"("worker":"w","locks":["d b"])");
    QCOMPARE(b.put(locked), "invalid locks");
    std::string large = pageType();
    large.replace(large.find(R"("worker":"w")"), 12, R"("worker":"w","resources":{"cores":5})");
    QCOMPARE(b.put(large), "invalid resources");
    large.replace(large.find(R"("cores":5)"), 9, R"("cores":4)");
    QCOMPARE(b.put(large), "done");
}

void TestObjects::aKeyIsMadeOnce() {
    ObjectsBench b;
    b.put(pageType());
    const auto first = b.create(R"({"type":"page","key":"k"})");
    QCOMPARE(b.create(R"({"type":"page","key":"k"})"), first);
    QCOMPARE(b.objects->orchestrator().objects, std::size_t(1));
    const auto made = b.rig.ask(b.objects->create(R"([{"type":"page"},{"type":"page","key":"k"}])"));
    QVERIFY(made && made->isList);
    QCOMPARE(made->ids.size(), std::size_t(2));
    QCOMPARE(made->ids.back(), first);
}

void TestObjects::whatTheJournalRefusesIsNotThere() {
    ObjectsBench b;
    b.journal.refusal = fail(ErrorKind::Journal, "full").error();
    QCOMPARE(b.put(pageType()), "journal ");
    QVERIFY(b.objects->types().empty());
    b.journal.refusal.reset();
    QCOMPARE(b.put(pageType()), "done");
    b.journal.refusal = fail(ErrorKind::Journal, "full").error();
    QCOMPARE(b.refused(R"({"type":"page"})"), "journal ");
    QCOMPARE(b.objects->orchestrator().objects, std::size_t(0));
}

void TestObjects::whileTheJournalRefusesNoLookBegins() {
    ObjectsBench b;
    b.put(pageType());
    b.create(R"({"type":"page"})");
    b.rig.settle();
    b.journal.refusal = fail(ErrorKind::Journal, "full").error();
    b.comesUp();
    QVERIFY(b.question().empty());
    b.journal.refusal.reset();
    b.rig.advance(999ms);
    QVERIFY(b.question().empty());
    b.rig.advance(1ms);
    QVERIFY(!b.question().empty());
}

void TestObjects::somebodyWaitsForAStatus() {
    ObjectsBench b;
    b.put(pageType());
    const auto id = b.create(R"({"type":"page"})");
    const auto waiting = b.rig.begin(b.objects->get(id, 100s, "started"));
    QVERIFY(!waiting->has_value());
    b.comesUp();
    b.answer(R"({"exit_code":0,"move":"started"})");
    QVERIFY(waiting->has_value() && waiting->value().has_value());
    QVERIFY(waiting->value()->isReached);
    const auto late = b.rig.begin(b.objects->get(id, 5s, ""));
    b.rig.advance(5s);
    QVERIFY(late->has_value() && late->value().has_value());
    QVERIFY(!late->value()->isReached);
}

void TestObjects::aListEndsForItsTimeAndGoesOnByItsCursor() {
    ObjectsBench b;
    b.put(pageType());
    for (int i = 0; i < 10; ++i) b.create(R"({"type":"page"})");
    b.portion = 2;
    const auto first = b.rig.ask(b.objects->list({.type = "page", .newestFirst = false}));
    QVERIFY(first.has_value() && first->isBounded);
    QCOMPARE(first->rows.size(), std::size_t(6));
    QCOMPARE(first->cursor, std::int64_t(6));
    const auto rest = b.rig.ask(b.objects->list({.type = "page", .cursor = first->cursor, .newestFirst = false}));
    QVERIFY(rest.has_value() && !rest->isBounded);
    QCOMPARE(rest->rows.size(), std::size_t(4));
    QCOMPARE(rest->cursor, std::int64_t(0));
}

QTEST_GUILESS_MAIN(TestObjects)
#include "tst_objects.moc"
