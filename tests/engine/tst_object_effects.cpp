// Objects in the engine: what follows from a look, which is children, actions, calls and wakes; what is asked twice under
// one key; how long the ended are kept. With a journal and actors that a test holds in its hands.
#include "tests/engine/object_deaths.h"

#include <QTest>

#include <string>

using namespace yard;
using namespace yard::engine;
using namespace yard::engine::test;
using namespace std::chrono_literals;

class TestObjectEffects : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aChildIsMadeOnceWhateverDies();
    void aChildThatIsMadeAlreadyHoldsNoLookBack();
    void whatALookCreatesIsThereBeforeTheNextLook();
    void aCreateHoldsTheNextLookBackAlsoAfterAStart();
    void aCreateThatTheJournalRefusesIsTriedAgainInASecond();
    void aCreateOfATypeThatIsNotThereIsTriedAgainByALookNow();
    void aLookNowHurriesEffectsOfWhatHasEnded();
    void theLastChildWakesItsParent();
    void anActionIsSubmittedInTheCommitThatTakesItsEffect();
    void aSubmitThatIsRefusedForAMomentIsTriedAgainInASecond();
    void anActionThatEndsWakesItsObjectWhichSeesItByItsName();
    void anActionThatCannotBeReadFailsTheLookAndDoesNotSeemNew();
    void productsThatDoNotFitIntoALookAreLeftOut();
    void actionsThatEndTogetherAreToldInOneCommit();
    void anEndThatNobodyToldIsToldByTheNextStart();
    void anArrayBelongsToNoObject();
    void noEffectLeadsOutOfASandbox();
    void aCallIsRepeatedUntilItSucceeds();
    void othersAreWoken();
    void thoseWhoWakeEachOtherInACircleAreHot();
    void peopleAreToldOfCreatesThatDoNotSucceed();
    void aCallOfWhatWasRemovedIsNotMade();
    void whereverTheEngineDiesNothingIsLostOrDoneTwice();

    void whatIsAskedTwiceUnderOneKeyIsDoneOnce();
    void aRepeatWaitsForTheFirstThatIsOnItsWay();
    void aKeyOfAnotherBodyIsRefused();
    void aKeyOfWhatFailedIsFree();

    void whatEndedGoesWhenTheDaysOfItsTypeAreOver();
    void whatEndedIsKeptWhileSomethingOfItGoesOn();
    void withoutDaysWhatEndedIsKept();
    void whatCannotBeDeletedIsTriedAgainInAnHour();
};

void TestObjectEffects::aChildIsMadeOnceWhateverDies() {
    ObjectsBench b;
    b.put(pageType());
    b.put(pageType(R"("parent":"page")", "result"));
    const auto id = b.create(R"({"type":"page"})");
    b.rig.settle();
    b.comesUp();
    // The journal takes the move, and the engine dies before the effect.
    b.answer(R"({"exit_code":0,"move":"started","effects":[{"create":{"type":"result","fields":{"url":"c"}}}]})");
    QCOMPARE(b.journal.rows.size(), std::size_t(2));
    QCOMPARE(b.journal.rows.at(2).parent, id);
    QVERIFY(b.journal.effects.empty());
    // It comes back with the row that was carried out in the journal's eyes.
    b.journal.effects[{id, 1, 0}] = {
        .object = id, .revision = 1, .position = 0, .kind = 0, .body = R"({"create":{"type":"result"}})"};
    b.open();
    QCOMPARE(b.journal.rows.size(), std::size_t(3)); // the row says that it was not
    b.open();
    QCOMPARE(b.journal.rows.size(), std::size_t(3));
}

void TestObjectEffects::aChildThatIsMadeAlreadyHoldsNoLookBack() {
    ObjectsBench b;
    b.looksAtPage();
    b.isSlow = true;
    b.answer(R"({"exit_code":0,"move":"started","effects":[{"create":{"type":"page"}}]})");
    b.commits(); // the move
    b.journal.effects.clear();
    b.isSlow = false;
    b.commits(); // not the create, whose row is gone
    QCOMPARE(b.journal.rows.size(), std::size_t(1));
    const OrchestratorView after = b.objects->orchestrator();
    QCOMPARE(after.orphanCount, std::size_t(0));
    QCOMPARE(after.outbox, std::size_t(0));
}

void TestObjectEffects::whatALookCreatesIsThereBeforeTheNextLook() {
    ObjectsBench b;
    b.put(pageType());
    b.put(pageType(R"("parent":"page")", "result"));
    const auto id = b.create(R"({"type":"page"})");
    b.rig.settle();
    b.comesUp();
    b.isSlow = true;
    b.answer(R"({"exit_code":0,"move":"started","effects":[{"create":{"type":"result"}}]})");
    b.commits(); // the move
    QCOMPARE(b.stands(id), "started r1");
    QCOMPARE(b.journal.rows.size(), std::size_t(1));
    QVERIFY(b.question().empty()); // nobody looks at it
    const OrchestratorView held = b.objects->orchestrator();
    QCOMPARE(held.orphanCount, std::size_t(1));
    QCOMPARE(std::string(held.orphans.front().reason), "create_pending");
    b.isSlow = false;
    b.commits(); // the create
    QCOMPARE(b.objects->orchestrator().orphanCount, std::size_t(0));
    QCOMPARE(b.added.size(), std::size_t(2)); // for the result; that of the page is still there
    QVERIFY2(b.question().contains(R"("status":"started")"), b.question().c_str());
    QVERIFY2(b.question().contains(R"("children":{"queued":1},"pending":1)"), b.question().c_str());
}

void TestObjectEffects::aCreateHoldsTheNextLookBackAlsoAfterAStart() {
    ObjectsBench b;
    b.put(pageType());
    b.put(pageType(R"("parent":"page")", "result"));
    b.create(R"({"type":"page"})");
    b.rig.settle();
    b.comesUp();
    b.isSlow = true;
    b.answer(R"({"exit_code":0,"move":"started","effects":[{"create":{"type":"result"}}]})");
    b.commits(); // the move
    b.journal.refusal = fail(ErrorKind::Journal, "full").error();
    b.isSlow = false;
    b.commits(); // not the create
    b.rig.advance(9s);
    QCOMPARE(b.journal.effects.size(), std::size_t(1));
    QCOMPARE(b.added.size(), std::size_t(1));
    b.journal.refusal.reset();
    b.isSlow = true;
    b.open();
    QCOMPARE(b.added.size(), std::size_t(1));
    b.isSlow = false;
    b.commits(); // the create
    QVERIFY(b.journal.effects.empty());
    QCOMPARE(b.added.size(), std::size_t(3));
    b.comesUp();
    QVERIFY2(b.question().contains(R"("children":{"queued":1},"pending":1)"), b.question().c_str());
}

void TestObjectEffects::aCreateThatTheJournalRefusesIsTriedAgainInASecond() {
    ObjectsBench b;
    b.looksAtPage();
    b.isSlow = true;
    b.answer(R"({"exit_code":0,"move":"started","effects":[{"create":{"type":"page"}}]})");
    b.commits(); // the move
    b.journal.refusal = fail(ErrorKind::Journal, "full").error();
    b.isSlow = false;
    b.commits(); // not the create
    for (int i = 0; i < 5; ++i) b.rig.advance(1s);
    QCOMPARE(b.journal.rows.size(), std::size_t(1));
    b.journal.refusal.reset();
    b.rig.advance(1s);
    QCOMPARE(b.journal.rows.size(), std::size_t(2));
    QCOMPARE(b.objects->orchestrator().orphanCount, std::size_t(0));
}

void TestObjectEffects::aCreateOfATypeThatIsNotThereIsTriedAgainByALookNow() {
    ObjectsBench b;
    const auto id = b.looksAtPage();
    b.answer(R"({"exit_code":0,"move":"started","effects":[{"create":{"type":"result"}}]})");
    QCOMPARE(b.objects->orchestrator().orphanCount, std::size_t(1));
    b.put(pageType({}, "result"));
    b.rig.advance(2s);
    QCOMPARE(b.journal.rows.size(), std::size_t(1));
    QCOMPARE(b.rig.ask(b.objects->look({id})).value_or(-1), std::int64_t(1));
    b.rig.settle();
    QCOMPARE(b.journal.rows.size(), std::size_t(2));
    QCOMPARE(b.objects->orchestrator().orphanCount, std::size_t(0));
}

void TestObjectEffects::aLookNowHurriesEffectsOfWhatHasEnded() {
    ObjectsBench b;
    const auto id = b.looksAtPage();
    b.submitRefusal = fail(ErrorKind::Invalid, "it has no such worker").error();
    b.answer(R"({"exit_code":0,"move":"failed","effects":[{"submit":{"worker":"exec","argv":["true"]}}]})");
    QCOMPARE(b.stands(id), "failed r1");
    b.submitRefusal.reset();
    b.rig.settle();
    QVERIFY(b.submitted.empty());
    QCOMPARE(b.rig.ask(b.objects->look({id})).value_or(-1), std::int64_t(0)); // nothing to look at
    b.rig.settle();
    QCOMPARE(b.submitted.size(), std::size_t(1));
}

void TestObjectEffects::theLastChildWakesItsParent() {
    ObjectsBench b;
    b.put(pageType());
    const auto parent = b.create(R"({"type":"page"})");
    b.rig.settle();
    b.comesUp();
    b.answer(R"({"exit_code":0,"look_in_s":1000})");
    const auto child = b.create(fmt::format(R"({{"type":"page","parent":{}}})", parent));
    b.rig.settle();
    b.comesUp();
    QVERIFY(b.question().contains(fmt::format(R"("parent":{{"id":{})", parent)));
    b.answer(R"({"exit_code":0,"move":"failed"})");
    QCOMPARE(b.stands(child), "failed r1");
    QVERIFY2(b.question().contains(R"("children":{"failed":1},"pending":0)"), b.question().c_str());
    QVERIFY(b.question().contains(fmt::format(R"("object":{{"id":{})", parent)));
}

void TestObjectEffects::anActionIsSubmittedInTheCommitThatTakesItsEffect() {
    ObjectsBench b;
    b.looksAtPage();
    b.submitRefusal = fail(ErrorKind::Busy, "later").error();
    b.answer(
        R"({"exit_code":0,"look_in_s":1000,"effects":[{"submit":{"worker":"exec","argv":["true"]},"as":"pdf"}]})");
    QVERIFY(b.submitted.empty());
    QCOMPARE(b.journal.effects.size(), std::size_t(1));
    b.submitRefusal.reset();
    b.rig.advance(10s);
    QCOMPARE(b.submitted.size(), std::size_t(1));
    QCOMPARE(b.submitted.front().effect->effect.revision, std::int64_t(1));
    QVERIFY(b.journal.effects.empty());
    b.open();
    b.rig.advance(24h);
    QCOMPARE(b.submitted.size(), std::size_t(1));
}

void TestObjectEffects::aSubmitThatIsRefusedForAMomentIsTriedAgainInASecond() {
    for (const ErrorKind kind :
         {ErrorKind::Busy, ErrorKind::AtLimit, ErrorKind::Journal, ErrorKind::TooManyPending}) {
        ObjectsBench b;
        b.looksAtPage();
        b.submitRefusal = fail(kind, "later").error();
        b.answer(
            R"({"exit_code":0,"look_in_s":1000,"effects":[{"submit":{"worker":"exec","argv":["true"]},"as":"pdf"}]})");
        for (int i = 0; i < 5; ++i) b.rig.advance(1s);
        QVERIFY(b.submitted.empty());
        b.submitRefusal.reset();
        b.rig.advance(1s);
        QCOMPARE(b.submitted.size(), std::size_t(1));
    }
}

namespace {
/// The look at the page submits "pdf", and wants to look again in a day.
std::int64_t submitsPdf(ObjectsBench& b, const char* more = "") {
    const auto id = b.looksAtPage();
    b.answer(fmt::format(
        R"({{"exit_code":0,"look_in_s":86400,"effects":[{{"submit":{{"worker":"exec","argv":["true"]{}}},"as":"pdf"}}]}})",
        more));
    return id;
}
} // namespace

void TestObjectEffects::anActionThatEndsWakesItsObjectWhichSeesItByItsName() {
    ObjectsBench b;
    const auto id = submitsPdf(b);
    QCOMPARE(b.objects->actions().ownerOf(Lsn(1)), id);
    QVERIFY(b.question().empty());
    b.journal.end(Lsn(1), R"({"pages":3})");
    b.objects->actions().ended(Lsn(1));
    b.objects->actions().ended(Lsn(99)); // nobody's
    b.rig.settle();
    b.comesUp();
    QVERIFY2(b.question().contains(
                 R"("actions":{"pdf":{"lsn":1,"state":"completed","exit_code":0,"result":{"pages":3}}})"),
             b.question().c_str());
    QVERIFY(b.journal.owned.at(Lsn(1)).isTold);
    QCOMPARE(b.objects->actions().ownerOf(Lsn(1)), std::int64_t(0));
    const auto seen = b.rig.ask(b.objects->get(id, Duration::zero(), ""));
    QCOMPARE(seen->actions.size(), std::size_t(1));
    QCOMPARE(seen->actions.front().name, "pdf");
}

void TestObjectEffects::anActionThatCannotBeReadFailsTheLookAndDoesNotSeemNew() {
    ObjectsBench b;
    const auto id = submitsPdf(b);
    b.journal.end(Lsn(1), "1");
    b.actionRefusal = fail(ErrorKind::Journal, "it cannot be read").error();
    b.objects->actions().ended(Lsn(1));
    b.rig.settle();
    b.comesUp();
    QVERIFY2(b.question().empty(), b.question().c_str());
    QCOMPARE(b.journal.rows.at(id).lastError, "it cannot be read");
    QVERIFY(b.rig.ask(b.objects->get(id, Duration::zero(), "")).error().kind == ErrorKind::Journal);
    b.actionRefusal = fail(ErrorKind::NotFound, "it was retired").error();
    b.rig.advance(10s);
    b.comesUp();
    QVERIFY2(b.question().contains(R"("actions":{})"), b.question().c_str());
}

void TestObjectEffects::productsThatDoNotFitIntoALookAreLeftOut() {
    ObjectsBench b;
    const auto id = submitsPdf(b);
    b.journal.rows.at(id).fields = fmt::format(R"({{"url":"{}"}})", std::string(std::size_t{1'000} << 10, 'x'));
    b.journal.end(Lsn(1), fmt::format(R"("{}")", std::string(std::size_t{60} << 10, 'y')));
    b.objects->actions().ended(Lsn(1));
    b.rig.settle();
    b.comesUp();
    QVERIFY(b.question().contains(R"("actions":{"pdf":{"lsn":1,"state":"completed","exit_code":0}})"));
}

void TestObjectEffects::actionsThatEndTogetherAreToldInOneCommit() {
    ObjectsBench b;
    b.looksAtPage();
    b.answer(R"({"exit_code":0,"look_in_s":86400,"effects":[{"submit":{"worker":"exec","argv":["true"]},"as":"a"},)"
             R"({"submit":{"worker":"exec","argv":["true"]},"as":"b"},)"
             R"({"submit":{"worker":"exec","argv":["true"]},"as":"c"}]})");
    QCOMPARE(b.submitted.size(), std::size_t(3));
    b.isSlow = true;
    const int before = b.journal.wakes;
    for (const int lsn : {1, 2, 3}) {
        b.journal.end(Lsn(lsn), "1");
        b.objects->actions().ended(Lsn(lsn));
        if (lsn == 1) b.rig.settle(); // the others end while this one is on its way
    }
    b.rig.settle();
    b.isSlow = false;
    b.commits();
    QCOMPARE(b.journal.wakes, before + 2);
    for (const auto& [lsn, owned] : b.journal.owned) QVERIFY(owned.isTold);
    b.comesUp();
    QVERIFY2(b.question().contains(R"("c":{"lsn":3,"state":"completed")"), b.question().c_str());
}

void TestObjectEffects::anEndThatNobodyToldIsToldByTheNextStart() {
    ObjectsBench b;
    const auto id = submitsPdf(b);
    b.open(); // it goes on meanwhile
    QCOMPARE(b.objects->actions().ownerOf(Lsn(1)), id);
    QVERIFY(!b.journal.owned.at(Lsn(1)).isTold);
    b.journal.end(Lsn(1), "7");
    b.open();
    QVERIFY(b.journal.owned.at(Lsn(1)).isTold);
    b.comesUp();
    QVERIFY2(b.question().contains(R"("state":"completed","exit_code":0,"result":7)"), b.question().c_str());
}

void TestObjectEffects::anArrayBelongsToNoObject() {
    ObjectsBench b;
    submitsPdf(b, R"(,"array":{"from":0,"to":2})");
    QCOMPARE(b.submitted.size(), std::size_t(1));
    QVERIFY(!b.submitted.front().effect->isOwned);
    QCOMPARE(b.objects->actions().ownerOf(Lsn(1)), std::int64_t(0));
}

void TestObjectEffects::noEffectLeadsOutOfASandbox() {
    ObjectsBench b;
    b.areContained = true;
    b.looksAtPage();
    b.answer(R"({"exit_code":0,"look_in_s":1000,"effects":[{"submit":{"worker":"exec","argv":["true"]}},)"
             R"({"submit":{"worker":"exec","argv":["true"],"sandbox":true}}]})");
    QCOMPARE(b.submitted.size(), std::size_t(1));
    QVERIFY(b.submitted.front().actions.front().spec->sandbox);
    QCOMPARE(b.journal.effects.size(), std::size_t(1));
}

void TestObjectEffects::aCallIsRepeatedUntilItSucceeds() {
    ObjectsBench b;
    const auto id = b.looksAtPage();
    b.answer(R"({"exit_code":0,"move":"started","look_in_s":1000,"effects":[{"call":"index","args":{"a":1}}]})");
    if (b.question().empty()) b.comesUp();
    QCOMPARE(b.question(), R"("effect":"index","args":{"a":1},"object":1,"attempt":1)");
    b.answer(R"({"exit_code":1})");
    QCOMPARE(b.journal.effects.size(), std::size_t(1));
    b.rig.advance(10s);
    b.comesUp();
    QCOMPARE(b.question(), R"("effect":"index","args":{"a":1},"object":1,"attempt":2)");
    b.crash();
    b.rig.advance(20s);
    b.comesUp();
    QVERIFY(b.question().ends_with(R"("attempt":3)"));
    b.answer(R"({"exit_code":0})");
    QVERIFY(b.journal.effects.empty());
    QCOMPARE(b.stands(id), "started r1");
}

void TestObjectEffects::othersAreWoken() {
    ObjectsBench b;
    b.put(pageType());
    const auto far = b.create(fmt::format(R"({{"type":"page","retry_at":{}}})", b.now() + 900'000'000));
    b.create(R"({"type":"page"})");
    b.rig.settle();
    b.comesUp();
    b.answer(fmt::format(R"({{"exit_code":0,"look_in_s":1000,"effects":[{{"wake":[{}]}}]}})", far));
    if (b.question().empty()) b.comesUp();
    QVERIFY(b.question().contains(fmt::format(R"("object":{{"id":{})", far)));
    QVERIFY(b.journal.effects.empty());
    b.answer(R"({"exit_code":0,"look_in_s":1000})");
    const auto woken = b.rig.ask(b.objects->look({far, 99}));
    QCOMPARE(woken.value_or(-1), std::int64_t(1));
    b.comesUp();
    QVERIFY(b.question().contains(fmt::format(R"("object":{{"id":{})", far)));
}

void TestObjectEffects::thoseWhoWakeEachOtherInACircleAreHot() {
    ObjectsBench b;
    b.put(pageType());
    for (const std::int64_t id : {1, 2}) QCOMPARE(b.create(R"({"type":"page"})"), id);
    int looks = 0;
    for (const WallMicros end = b.now() + 1'000'000; b.now() < end;) {
        const std::string question = b.question();
        if (question.empty() && b.asked.empty()) b.rig.advance(10ms);
        if (question.empty()) b.comesUp();
        if (question.empty()) continue;
        const int other = question.find(R"("object":{"id":1,)") == question.npos ? 1 : 2;
        b.answer(fmt::format(R"({{"exit_code":0,"look_in_s":100,"effects":[{{"wake":[{}]}}]}})", other));
        QVERIFY2(++looks < 100, "one look of each in 100 ms");
    }
    QVERIFY2(looks > 10, std::to_string(looks).c_str());
    const auto isHot = [&b](std::int64_t id) { return b.rig.ask(b.objects->get(id, Duration::zero(), ""))->isHot; };
    QVERIFY(isHot(1) || isHot(2)); // the one that was woken last
}

void TestObjectEffects::peopleAreToldOfCreatesThatDoNotSucceed() {
    ObjectsBench b;
    const auto id = b.looksAtPage();
    b.answer(R"({"exit_code":0,"move":"started","effects":[{"create":{"type":"part"}}]})");
    QVERIFY(b.troubles.empty()); // it may pass
    b.rig.advance(10s);
    QCOMPARE(b.troubles.at("orphans page"),
             std::string("Objects of the type page cannot create what they are to, 1 of it; the log says why."));
    b.put(pageType({}, "part"));
    QVERIFY(b.rig.ask(b.objects->look({id})));
    b.rig.settle();
    QVERIFY(b.troubles.empty());
}

void TestObjectEffects::aCallOfWhatWasRemovedIsNotMade() {
    ObjectsBench b;
    const auto id = b.looksAtPage();
    const auto other = b.create(R"({"type":"page"})");
    b.answer(R"({"exit_code":0,"move":"failed","effects":[{"call":"write_index","args":{}}]})");
    QVERIFY(b.question().contains(fmt::format(R"("id":{})", other)) || b.question().contains("write_index"));
    if (b.question().contains("write_index")) b.answer(R"({"exit_code":1,"message":"later"})");
    QVERIFY(b.rig.ask(b.objects->remove({id})));
    b.rig.advance(10s);
    while (!b.question().empty()) {
        QVERIFY(!b.question().contains("write_index"));
        b.answer(R"({"exit_code":0,"move":"failed"})");
    }
    QCOMPARE(b.objects->orchestrator().outbox, std::size_t(0));
}

void TestObjectEffects::whereverTheEngineDiesNothingIsLostOrDoneTwice() {
    using enum PageLife::Death;
    PageLife whole(Never, 0);
    QCOMPARE(whole.run(), "");
    QVERIFY(whole.steps() > 10);
    for (std::size_t at = 0; at < whole.steps(); ++at)
        for (const auto death : {BeforeItsCommit, AfterItsCommit}) {
            const std::string problem = PageLife(death, at).run();
            QVERIFY2(problem.empty(), fmt::format("{} {}: {}", death == AfterItsCommit, at, problem).c_str());
        }
}

// --- what is asked twice

static store::Idempotency keyOf(const std::string& body) {
    return {.key = "k", .body = Sha256::of(body), .answer = {}};
}

void TestObjectEffects::whatIsAskedTwiceUnderOneKeyIsDoneOnce() {
    ObjectsBench b;
    b.put(pageType());
    const std::string list = R"([{"type":"page"},{"type":"page"}])";
    const auto made = b.rig.ask(b.objects->createOnce(list, keyOf(list)));
    b.open(); // also another life of the engine knows it
    const auto again = b.rig.ask(b.objects->createOnce(list, keyOf(list)));
    QVERIFY(made && again && again->isList);
    QCOMPARE(again->ids, made->ids);
    QCOMPARE(b.journal.rows.size(), std::size_t(2));
    const store::Idempotency move{.key = "m", .body = Sha256::of("move"), .answer = {}};
    QCOMPARE(b.word(b.rig.ask(b.objects->moveOnce(1, "failed", false, move))), "done");
    QCOMPARE(b.word(b.rig.ask(b.objects->moveOnce(1, "failed", false, move))), "done");
    QCOMPARE(b.stands(1), "failed r1");
    QCOMPARE(b.journal.moves.at(1).size(), std::size_t(1));
}

void TestObjectEffects::aRepeatWaitsForTheFirstThatIsOnItsWay() {
    ObjectsBench b;
    b.put(pageType());
    b.isSlow = true;
    const std::string one = R"({"type":"page"})";
    const auto first = b.rig.begin(b.objects->createOnce(one, keyOf(one)));
    const auto again = b.rig.begin(b.objects->createOnce(one, keyOf(one)));
    b.commits();
    QCOMPARE(first->value()->ids, std::vector<std::int64_t>{1});
    QCOMPARE(again->value()->ids, first->value()->ids);
    QVERIFY(!again->value()->isList);
    const store::Idempotency move{.key = "m", .body = Sha256::of("move"), .answer = {}};
    const auto moved = b.rig.begin(b.objects->moveOnce(1, "failed", false, move));
    const auto movedAgain = b.rig.begin(b.objects->moveOnce(1, "failed", false, move));
    QVERIFY(!moved->has_value() && !movedAgain->has_value());
    b.commits();
    QCOMPARE(b.word(moved->value()), "done");
    QCOMPARE(b.word(movedAgain->value()), "done");
}

void TestObjectEffects::aKeyOfAnotherBodyIsRefused() {
    ObjectsBench b;
    b.put(pageType());
    const std::string one = R"({"type":"page"})";
    QVERIFY(b.rig.ask(b.objects->createOnce(one, keyOf("a"))));
    QCOMPARE(b.word(b.rig.ask(b.objects->createOnce(one, keyOf("b")))), "invalid Idempotency-Key");
    QCOMPARE(b.word(b.rig.ask(b.objects->moveOnce(1, "failed", false, keyOf("b")))), "invalid Idempotency-Key");
    QCOMPARE(b.journal.rows.size(), std::size_t(1));
    b.journal.kept.at("k").t -= store::kIdempotencyAge + 1;
    QCOMPARE(b.word(b.rig.ask(b.objects->createOnce(one, keyOf("b")))), "done");
    QCOMPARE(b.journal.rows.size(), std::size_t(2));
}

void TestObjectEffects::aKeyOfWhatFailedIsFree() {
    ObjectsBench b;
    const std::string one = R"({"type":"page"})";
    QCOMPARE(b.word(b.rig.ask(b.objects->createOnce(one, keyOf(one)))), "invalid type");
    b.put(pageType());
    b.journal.refusal = fail(ErrorKind::Journal, "full").error();
    QCOMPARE(b.word(b.rig.ask(b.objects->createOnce(one, keyOf(one)))), "journal ");
    QCOMPARE(b.word(b.rig.ask(b.objects->moveOnce(1, "failed", false, keyOf("m")))), "journal ");
    b.journal.refusal.reset();
    QCOMPARE(b.word(b.rig.ask(b.objects->createOnce(one, keyOf(one)))), "done");
}

// --- how long the ended are kept

void TestObjectEffects::whatEndedGoesWhenTheDaysOfItsTypeAreOver() {
    ObjectsBench b;
    b.hasWorker = false;
    b.put(pageType(R"("keep_days":2)"));
    b.portion = 1; // page by page
    const auto old = b.create(R"({"type":"page"})");
    const auto young = b.create(R"({"type":"page"})");
    const auto waiting = b.create(R"({"type":"page"})");
    QVERIFY(b.rig.ask(b.objects->move(old, "failed", false)));
    b.rig.advance(24h);
    QVERIFY(b.rig.ask(b.objects->move(young, "failed", false)));
    b.rig.advance(23h);
    QCOMPARE(b.journal.rows.size(), std::size_t(3));
    for (int hour = 0; hour < 3; ++hour) b.rig.advance(1h);
    for (int pause = 0; pause < 4; ++pause) b.rig.advance(100ms);
    QCOMPARE(b.stands(old), "gone");
    QCOMPARE(b.stands(young), "failed r1");
    QCOMPARE(b.stands(waiting), "queued r0");
    QCOMPARE(b.objects->orchestrator().objects, std::size_t(2));
}

void TestObjectEffects::whatEndedIsKeptWhileSomethingOfItGoesOn() {
    ObjectsBench b;
    b.put(pageType(R"("keep_days":1)"));
    const auto parent = b.create(R"({"type":"page"})");
    b.rig.settle();
    b.comesUp();
    b.answer(R"({"exit_code":0,"move":"failed","effects":[{"create":{"type":"part"}}]})");
    QCOMPARE(b.stands(parent), "failed r1");
    for (int hour = 0; hour < 30; ++hour) b.rig.advance(1h);
    QCOMPARE(b.stands(parent), "failed r1"); // its effect is still to be carried out
    b.put(pageType(R"("parent":"page")", "part"));
    QVERIFY(b.rig.ask(b.objects->look({parent})));
    b.rig.settle();
    QVERIFY(b.journal.effects.empty());
    const auto child = b.journal.rows.rbegin()->first;
    QCOMPARE(b.journal.rows.at(child).parent, parent);
    for (int hour = 0; hour < 2; ++hour) b.rig.advance(1h);
    QCOMPARE(b.stands(parent), "failed r1"); // its child has not ended
    QVERIFY(b.rig.ask(b.objects->move(child, "failed", true)));
    for (int hour = 0; hour < 2; ++hour) b.rig.advance(1h);
    QCOMPARE(b.stands(parent), "gone");
    QCOMPARE(b.journal.rows.at(child).status, "failed"); // of a type that keeps what ended
}

void TestObjectEffects::withoutDaysWhatEndedIsKept() {
    ObjectsBench b;
    b.hasWorker = false;
    b.put(pageType(R"("keep_days":1)"));
    const auto id = b.create(R"({"type":"page"})");
    QVERIFY(b.rig.ask(b.objects->move(id, "failed", false)));
    b.put(pageType());
    for (int hour = 0; hour < 50; ++hour) b.rig.advance(1h);
    QCOMPARE(b.stands(id), "failed r1");
    b.put(pageType(R"("keep_days":1)"));
    b.rig.advance(1min);
    QCOMPARE(b.stands(id), "gone");
}

void TestObjectEffects::whatCannotBeDeletedIsTriedAgainInAnHour() {
    ObjectsBench b;
    b.hasWorker = false;
    b.put(pageType(R"("keep_days":1)"));
    const auto id = b.create(R"({"type":"page"})");
    QVERIFY(b.rig.ask(b.objects->move(id, "failed", false)));
    b.rig.advance(1min);
    b.rig.advance(23h);
    b.pageRefusal = fail(ErrorKind::Busy, "much to read").error();
    b.rig.advance(1h);
    b.pageRefusal.reset();
    b.journal.refusal = fail(ErrorKind::Journal, "full").error();
    b.rig.advance(1h);
    b.journal.refusal.reset();
    b.rig.advance(1min);
    QCOMPARE(b.stands(id), "failed r1");
    b.rig.advance(1h);
    QCOMPARE(b.stands(id), "gone");
}

QTEST_GUILESS_MAIN(TestObjectEffects)
#include "tst_object_effects.moc"
