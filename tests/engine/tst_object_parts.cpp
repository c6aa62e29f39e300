// The parts of Objects, each alone: no journal, no actors, no launcher.
#include "core/engine/objects/object_effects.h"
#include "core/engine/objects/object_request_keys.h"
#include "core/engine/objects/object_retention.h"
#include "core/lifecycle/type_json.h"
#include "tests/engine/objects_bench.h"

#include <QTest>

#include <string>
#include <unordered_set>
#include <vector>

using namespace yard;
using namespace yard::engine;
using namespace yard::engine::test;
using namespace std::chrono_literals;
using lifecycle::EffectKind;
using lifecycle::ObjectId;

namespace {

constexpr WallMicros kBegin = 1'700'000'000'000'000;

/// An orchestrator with pages that end after a day; what is posted is answered at once, or by answer().
class PartsBench {
public:
    coro::test::Rig rig;
    lifecycle::Orchestrator orchestrator;
    lifecycle::Outbox outbox;
    lifecycle::TypeNumber page = 0;
    std::vector<store::Action> posted;
    std::optional<Error> refusal; ///< of what is posted
    bool isSlow = false;          ///< it waits for answer()
    std::string noted;            ///< what the parts asked for
    ObjectIo io{.post = [this](store::Action action) { return post(std::move(action)); },
                .spawn = [this](const char* name, coro::Task<void> task) { rig.loop.spawn(name, std::move(task)); },
                .now = [this] { return now(); },
                .wakeUp = [this] { ++wakes; },
                .refused = [this](const Error& error) { noted += fmt::format("refused {};", error.message); }};
    int wakes = 0;
    // the parts; the threads of the loop end before them
    std::optional<ObjectTroubles> troubles;
    std::optional<ObjectHooks> hooks;
    std::optional<OwnedActions> owned;
    std::optional<ObjectEffects> effects;
    std::optional<ObjectRetention> retention;
    std::optional<ObjectRequestKeys> keys;

    PartsBench() { page = *orchestrator.putType(*lifecycle::parseType(pageType(R"("keep_days":1)")), now()); }
    ~PartsBench() { rig.loop.shutdown(); }

    WallMicros now() { return kBegin + rig.clock.now().time_since_epoch().count(); }
    /// Commits what waits, and answers.
    void answer() {
        for (auto& promise : std::exchange(waiting_, {})) promise.set(done());
        rig.settle();
    }
    std::string take() { return std::exchange(noted, {}); }
    void add(std::int64_t id, const char* status = "queued") {
        lifecycle::Object object;
        object.id = ObjectId(id);
        object.type = page;
        object.status = *orchestrator.type(page).find(status);
        object.key = orchestrator.keyNumber(page, "");
        object.retryAt = orchestrator.type(page).isFinal(object.status) ? 0 : now();
        orchestrator.add(object);
    }
    /// What is told of troubles is noted.
    void openTroubles() {
        troubles.emplace(
            orchestrator, [this](ObjectTroubles::Kind kind, const std::string& type, const std::string& text) {
                noted += fmt::format("{} {}: {};", kind == ObjectTroubles::Kind::Stuck ? "stuck" : "orphans", type,
                                     text.empty() ? "over" : text);
            });
    }
    void openOwned() {
        owned.emplace(OwnedActions::Parts{
            .io = io,
            .action = [](Lsn lsn) { return action(lsn); },
            .wake = [this](std::int64_t id, Lsn ended,
                           WallMicros) { noted += fmt::format("wake {} by {};", id, ended.value); }});
    }
    /// `made` is the answer to what is to be made.
    void openEffects(Result<std::vector<std::int64_t>> made = std::vector<std::int64_t>{9}) {
        openTroubles();
        openOwned();
        hooks.emplace(orchestrator, nullptr);
        effects.emplace(ObjectEffects::Parts{
            .orchestrator = orchestrator,
            .outbox = outbox,
            .io = io,
            .hooks = *hooks,
            .troubles = *troubles,
            .owned = *owned,
            .page = [](const store::ObjectQuestion&) { return noPage(); },
            .submit = [](const Submission&) { return submitted(); },
            .areContained = [] { return true; },
            .wake = [this](ObjectId id, ObjectId by,
                           WallMicros) { noted += fmt::format("wake {} by {};", id.value, by.value); },
            .make = [this, made](GivenObject given,
                                 store::EffectName effect) { return make(std::move(given), effect, made); }});
    }
    /// An effect of object 1 is carried out as far as it comes.
    lifecycle::EffectKey carriesOut(EffectKind kind, const std::string& body) {
        const lifecycle::EffectKey key{.object = ObjectId(1), .revision = 1, .position = 0};
        outbox.add(key, {.kind = kind, .body = body}, now());
        for (lifecycle::CarryOut& effect : outbox.take(now())) effects->carryOut(std::move(effect));
        rig.settle();
        return key;
    }
    /// "in 10 s", "over" or "on its way".
    std::string nextTry() {
        if (outbox.size() == 0) return "over";
        const auto next = outbox.next();
        return next ? fmt::format("in {} s", (*next - now()) / 1'000'000) : "on its way";
    }

private:
    std::vector<coro::Promise<store::AckDetail>> waiting_;

    store::AckDetail done() const {
        store::AckDetail done;
        done.error = refusal;
        return done;
    }
    PostedObjects post(store::Action action) {
        auto shot = std::make_unique<coro::OneShot<store::AckDetail>>("journal");
        posted.push_back(std::move(action));
        if (isSlow)
            waiting_.push_back(shot->promise());
        else
            shot->promise().set(done());
        return shot;
    }
    static coro::Task<Result<store::ObjectPage>> noPage() { co_return fail(ErrorKind::Journal, "no lists here"); }
    static coro::Task<Result<SubmitAnswer>> submitted() { co_return SubmitAnswer{}; }
    static coro::Task<Result<ActionResult>> action(Lsn lsn) {
        if (lsn == Lsn(1)) co_return ActionResult{};
        if (lsn == Lsn(2)) co_return fail(ErrorKind::NotFound, "it was retired");
        co_return fail(ErrorKind::Journal, "it cannot be read");
    }
    coro::Task<Result<std::vector<std::int64_t>>> make(GivenObject given, store::EffectName effect,
                                                       Result<std::vector<std::int64_t>> made) {
        noted += fmt::format("make {} by {};", given.type, effect.object);
        co_return made;
    }
};

/// Notes `name` once it has the key, and keeps that until `end`.
coro::Task<bool> holds(PartsBench& bench, std::string key, std::string name, coro::Event& end) {
    const auto held = co_await bench.keys->hold(std::move(key));
    bench.noted += name;
    co_await end.wait();
    co_return true;
}

coro::Task<Result<std::optional<store::Reader::KeptAnswer>>>
answered(Result<std::optional<store::Reader::KeptAnswer>> kept) {
    co_return kept;
}

} // namespace

class TestObjectParts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aTroubleIsToldWhenItBeginsAndWhenItIsOver();
    void aCreateThatFailedTwiceIsATroubleOfItsType();
    void anEndWakesItsObjectAndTheOthersFollowInOneCommit();
    void afterAStopNoEndIsTold();
    void anActionThatIsNotKnownIsLeftOutAndOneThatCannotBeReadIsAnError();
    void withoutHooksNothingIsAskedOrMadeReady();
    void aRepeatWaitsForItsFirstRequestAndOthersDoNot();
    void aKeyIsKnownForADayAndForOneBody();
    void answersAreReadAsTheyWereWrittenAndHostileOnesAreBounded();
    void whatEndedIsDeletedUnlessSomethingOfItGoesOn();
    void aTypeThatIsChangedIsLeftForItsNextTime();
    void anEffectIsTriedAgainAfterATimeThatFitsItsError_data();
    void anEffectIsTriedAgainAfterATimeThatFitsItsError();
    void aWakeIsCommittedWithItsRow();
    void aCallIsOverOnceItsActorSaysSo();
    void aCallWithoutAnActorDoesNotStandInTheWay();
};

// --- troubles

void TestObjectParts::aTroubleIsToldWhenItBeginsAndWhenItIsOver() {
    PartsBench b;
    b.openTroubles();
    b.troubles->tellAll(); // who is an orphan is not known yet
    QCOMPARE(b.take(), "");
    b.troubles->tellChanged();
    QCOMPARE(b.take(), "stuck page: over;orphans page: over;");
    b.orchestrator.workerKnown(b.page, false);
    b.add(1);
    b.orchestrator.pass(b.now());
    b.troubles->tellChanged();
    const std::string orphans =
        "orphans page: Objects of the type page are due, and no actor looks at them: worker_unknown.;";
    QCOMPARE(b.take(), orphans);
    b.troubles->tellChanged();
    QCOMPARE(b.take(), "");
    b.troubles->tellAll(); // there is a new rule
    QCOMPARE(b.take(), "stuck page: over;" + orphans);
    b.orchestrator.workerKnown(b.page, true);
    b.troubles->tellChanged();
    QCOMPARE(b.take(), "orphans page: over;");
}

void TestObjectParts::aCreateThatFailedTwiceIsATroubleOfItsType() {
    PartsBench b;
    b.openTroubles();
    b.troubles->tellChanged();
    b.take();
    b.add(1);
    lifecycle::CarryOut create{.key = {.object = ObjectId(1), .revision = 1, .position = 0},
                               .effect = {.kind = EffectKind::Create},
                               .attempt = 1};
    b.troubles->createFailed(create);
    b.troubles->tellChanged();
    QCOMPARE(b.take(), "");
    create.attempt = 2;
    for (int i = 0; i < 2; ++i) b.troubles->createFailed(create); // it counts once
    b.troubles->tellChanged();
    QCOMPARE(b.take(),
             "orphans page: Objects of the type page cannot create what they are to, 1 of it; the log says why.;");
    for (int i = 0; i < 2; ++i) b.troubles->createIsOver(create.key);
    b.troubles->tellChanged();
    QCOMPARE(b.take(), "orphans page: over;");
}

// --- actions of objects

void TestObjectParts::anEndWakesItsObjectAndTheOthersFollowInOneCommit() {
    PartsBench b;
    b.openOwned();
    for (const int lsn : {1, 2, 3}) b.owned->add(Lsn(lsn), 10 + lsn);
    QCOMPARE(b.owned->ownerOf(Lsn(1)), std::int64_t{11});
    b.isSlow = true;
    b.owned->ended(Lsn(99)); // nobody's
    QCOMPARE(b.wakes, 0);
    b.owned->ended(Lsn(1));
    QCOMPARE(b.wakes, 1);
    b.owned->tellEnds();
    b.rig.settle();
    QCOMPARE(b.take(), "wake 11 by 1;");
    QCOMPARE(b.owned->ownerOf(Lsn(1)), std::int64_t{0});
    b.owned->ended(Lsn(2));
    b.owned->ended(Lsn(3));
    b.owned->tellEnds(); // the first commit is on its way
    QCOMPARE(b.posted.size(), std::size_t{1});
    b.refusal = fail(ErrorKind::Journal, "full").error();
    b.answer();
    QCOMPARE(b.take(), "refused full;");
    b.owned->tellEnds();
    QCOMPARE(b.take(), "wake 12 by 2;wake 13 by 3;");
    QCOMPARE(b.posted.size(), std::size_t{2});
    const auto& wake = std::get<store::WakeObjects>(b.posted.back());
    QVERIFY(wake.told == (std::vector{Lsn(2), Lsn(3)}));
    QVERIFY(wake.ids == (std::vector<std::int64_t>{12, 13}));
}

void TestObjectParts::afterAStopNoEndIsTold() {
    PartsBench b;
    b.openOwned();
    b.owned->restore(std::vector<store::OwnedAction>{{.lsn = Lsn(1), .object = 11, .isPending = true}});
    QVERIFY(b.owned->owners() == std::unordered_set<std::int64_t>{11});
    b.owned->stop();
    b.owned->ended(Lsn(1));
    b.owned->tellEnds();
    QVERIFY(b.posted.empty());
    QCOMPARE(b.wakes, 0);
}

void TestObjectParts::anActionThatIsNotKnownIsLeftOutAndOneThatCannotBeReadIsAnError() {
    PartsBench b;
    b.openOwned();
    const auto views = b.rig.ask(b.owned->views({{"a", Lsn(1)}, {"b", Lsn(2)}}));
    QVERIFY(views.has_value());
    QCOMPARE(views->size(), std::size_t{1});
    QCOMPARE(views->front().name, "a");
    const auto damaged = b.rig.ask(b.owned->views({{"a", Lsn(1)}, {"c", Lsn(3)}}));
    QVERIFY(!damaged && damaged.error().kind == ErrorKind::Journal);
}

// --- hooks

void TestObjectParts::withoutHooksNothingIsAskedOrMadeReady() {
    PartsBench b;
    b.add(1);
    ObjectHooks hooks(b.orchestrator, nullptr);
    QVERIFY(!hooks.wants(lifecycle::HookPoint::Clean));
    QVERIFY(!hooks.tellsWrites());
    const lifecycle::Object& object = *b.orchestrator.find(ObjectId(1));
    QVERIFY(!hooks.tellBefore({.id = object.id}, object, {.actor = "by hand"}));
    hooks.fireDeleted(object);
    const auto clean = b.rig.ask(hooks.allCleaned({{.type = "none", .fields = "not read"}}));
    QVERIFY(clean.has_value());
    QCOMPARE(clean->front().fields, "not read");
    QCOMPARE(hooks.actorName(7, b.page), "w #7");
}

// --- keys of requests

void TestObjectParts::aRepeatWaitsForItsFirstRequestAndOthersDoNot() {
    coro::Event end;
    coro::Event never;
    PartsBench b;
    b.keys.emplace(b.io, nullptr);
    const auto first = b.rig.begin(holds(b, "k", "first ", end));
    const auto repeat = b.rig.begin(holds(b, "k", "repeat ", never));
    const auto other = b.rig.begin(holds(b, "l", "other ", never));
    QCOMPARE(b.take(), "first other ");
    end.set();
    b.rig.settle();
    QVERIFY(first->has_value());
    QCOMPARE(b.take(), "repeat ");
    never.set();
    b.rig.settle();
    QVERIFY(repeat->has_value() && other->has_value());
}

void TestObjectParts::aKeyIsKnownForADayAndForOneBody() {
    const Hash256& one = Hash256::ofNothing();
    const Hash256 other{};
    Result<std::optional<store::Reader::KeptAnswer>> kept;
    PartsBench b;
    b.keys.emplace(b.io, [&kept](const std::string&) { return answered(kept); });
    const auto asked = [&b](const Hash256& body) {
        const auto answer = b.rig.ask(b.keys->firstAnswer({.key = "k", .body = body}));
        if (!answer) return std::string(errorName(answer.error().kind));
        return answer->value_or("not known");
    };
    QCOMPARE(asked(one), "not known");
    kept = store::Reader::KeptAnswer{.body = one, .answer = "one;5+1", .t = b.now()};
    QCOMPARE(asked(one), "one;5+1");
    QCOMPARE(asked(other), std::string(errorName(ErrorKind::Invalid)));
    kept = store::Reader::KeptAnswer{.body = one, .answer = "one;5+1", .t = b.now() - store::kIdempotencyAge};
    QCOMPARE(asked(one), "not known");
    kept = fail(ErrorKind::Journal, "it cannot be read");
    QCOMPARE(asked(one), std::string(errorName(ErrorKind::Journal)));
}

void TestObjectParts::answersAreReadAsTheyWereWrittenAndHostileOnesAreBounded() {
    const ObjectChoice choice{.ids = {3, 4, 5, 9}, .cursor = 12};
    QCOMPARE(choiceAnswer(choice), "choice 12;3+3;9+1");
    const ObjectChoice read = choiceFromAnswer(choiceAnswer(choice));
    QVERIFY(read.ids == choice.ids);
    QCOMPARE(read.cursor, choice.cursor);
    QVERIFY(choiceFromAnswer(createdAnswerBegin(true) + ";3+1").ids.empty());
    QVERIFY(choiceFromAnswer("choice 1;nonsense").ids.empty());
    QCOMPARE(choiceFromAnswer("choice 1;5+99999999999").ids.size(), store::kMostObjects);

    const CreatedObjects created = createdFromAnswer(createdAnswerBegin(true) + ";7+2;20+1");
    QVERIFY(created.isList);
    QVERIFY(created.ids == (std::vector<std::int64_t>{7, 8, 20}));
    QVERIFY(!createdFromAnswer(createdAnswerBegin(false) + ";7+1").isList);
}

// --- retention

namespace {
/// Five ended pages: 1 is free, 2 has an action, 3 is being changed, 4 was moved meanwhile, and 5 is not known any more.
struct Retained {
    PartsBench b;
    bool isSteady = true;
    std::optional<Error> refusal;
    int pages = 0;

    Retained() {
        for (const int id : {1, 2, 3, 4}) b.add(id, "sealed");
        b.retention.emplace(ObjectRetention::Parts{
            .orchestrator = b.orchestrator,
            .steadyType =
                [this](lifecycle::TypeNumber) { return isSteady ? std::optional<std::int64_t>(77) : std::nullopt; },
            .page = [this](store::ObjectQuestion question) { return page(std::move(question)); },
            .remove = [this](std::vector<std::int64_t> ids) { return remove(std::move(ids)); },
            .owners = [] { return std::unordered_set<std::int64_t>{2}; },
            .isChanging = [](ObjectId id) { return id == ObjectId(3); },
            .now = [this] { return b.now(); }});
        b.rig.spawn("retention", b.retention->run());
        b.retention->begin(b.page, b.now());
        b.rig.settle();
    }
    coro::Task<Result<store::ObjectPage>> page(store::ObjectQuestion question) {
        ++pages;
        if (refusal) co_return std::unexpected(*refusal);
        store::ObjectPage page;
        for (const std::int64_t id : {1, 2, 3, 4, 5})
            page.rows.push_back({.id = id, .type = question.type, .revision = id == 4 ? 1 : 0});
        co_return page;
    }
    coro::Task<Result<std::int64_t>> remove(std::vector<std::int64_t> ids) {
        for (const std::int64_t id : ids) b.noted += fmt::format("{};", id);
        co_return std::ssize(ids);
    }
};
} // namespace

void TestObjectParts::whatEndedIsDeletedUnlessSomethingOfItGoesOn() {
    Retained r;
    r.b.rig.advance(59s);
    QCOMPARE(r.pages, 0);
    r.b.rig.advance(1s);
    QCOMPARE(r.b.take(), "1;");
    r.refusal = fail(ErrorKind::Journal, "it cannot be read").error();
    r.b.rig.advance(1h);
    QCOMPARE(r.pages, 2);
    QCOMPARE(r.b.take(), "");
    r.refusal.reset();
    r.b.rig.advance(1h);
    QCOMPARE(r.b.take(), "1;"); // this journal has it still
    r.b.retention->stop();
    r.b.rig.advance(1h);
    QCOMPARE(r.pages, 3);
}

void TestObjectParts::aTypeThatIsChangedIsLeftForItsNextTime() {
    Retained r;
    r.isSteady = false;
    r.b.rig.advance(60s);
    QCOMPARE(r.pages, 0);
    r.isSteady = true;
    r.b.rig.advance(1h);
    QCOMPARE(r.b.take(), "1;");
}

// --- effects

void TestObjectParts::anEffectIsTriedAgainAfterATimeThatFitsItsError_data() {
    QTest::addColumn<int>("error");
    QTest::addColumn<std::string>("next");
    QTest::addColumn<std::string>("noted");
    const std::string made = "make page by 1;";
    QTest::newRow("it is made") << -1 << std::string("over") << made;
    QTest::newRow("its type is being changed") << int(ErrorKind::Busy) << std::string("in 1 s") << made;
    QTest::newRow("the journal refuses")
        << int(ErrorKind::Journal) << std::string("in 1 s") << made + "refused no;";
    QTest::newRow("it does not fit its type") << int(ErrorKind::Invalid) << std::string("in 10 s") << made;
}

void TestObjectParts::anEffectIsTriedAgainAfterATimeThatFitsItsError() {
    QFETCH(int, error);
    QFETCH(std::string, next);
    QFETCH(std::string, noted);
    PartsBench b;
    b.add(1);
    if (error < 0)
        b.openEffects();
    else
        b.openEffects(fail(static_cast<ErrorKind>(error), "no"));
    b.carriesOut(EffectKind::Create, R"({"create":{"type":"page"}})");
    QCOMPARE(b.nextTry(), next);
    QCOMPARE(b.take(), noted);
}

void TestObjectParts::aWakeIsCommittedWithItsRow() {
    PartsBench b;
    b.add(1);
    b.openEffects();
    b.carriesOut(EffectKind::Wake, R"({"wake":[5,6]})");
    QCOMPARE(b.take(), "wake 5 by 1;wake 6 by 1;");
    QVERIFY(std::get<store::WakeObjects>(b.posted.back()).effect.has_value());
    QCOMPARE(b.nextTry(), "over");
    b.carriesOut(EffectKind::Wake, R"({"wake":"children"})"); // whose list cannot be read
    QCOMPARE(b.nextTry(), "in 10 s");
}

void TestObjectParts::aCallIsOverOnceItsActorSaysSo() {
    PartsBench b;
    b.add(1);
    b.openEffects();
    const auto key = b.carriesOut(EffectKind::Call, R"({"call":"tidy"})");
    QCOMPARE(b.nextTry(), "on its way");
    QVERIFY(!b.effects->beginCall({.object = ObjectId(2), .revision = 1, .position = 0}));
    QCOMPARE(b.effects->beginCall(key).value_or(""), R"("effect":"tidy","args":{},"object":1,"attempt":1)");
    b.effects->callEnded(1, key, fail(ErrorKind::Busy, "it crashed"));
    QCOMPARE(b.nextTry(), "in 10 s");
    b.rig.advance(10s);
    for (lifecycle::CarryOut& effect : b.outbox.take(b.now())) b.effects->carryOut(std::move(effect));
    QVERIFY(b.effects->beginCall(key).value_or("").contains(R"("attempt":2)"));
    b.effects->callEnded(1, key, lifecycle::Answer{});
    b.rig.settle();
    QVERIFY(std::holds_alternative<store::DropEffect>(b.posted.back()));
    QCOMPARE(b.nextTry(), "over");
}

void TestObjectParts::aCallWithoutAnActorDoesNotStandInTheWay() {
    PartsBench b;
    b.add(1);
    b.openEffects();
    const auto key = b.carriesOut(EffectKind::Call, R"({"call":"tidy"})");
    b.effects->failCalls(b.page);
    QCOMPARE(b.nextTry(), "in 10 s");
    QVERIFY(!b.effects->beginCall(key));
    b.rig.advance(10s);
    b.orchestrator.remove(ObjectId(1)); // and the row with it
    for (lifecycle::CarryOut& effect : b.outbox.take(b.now())) b.effects->carryOut(std::move(effect));
    QCOMPARE(b.nextTry(), "over");
}

QTEST_GUILESS_MAIN(TestObjectParts)
#include "tst_object_parts.moc"
