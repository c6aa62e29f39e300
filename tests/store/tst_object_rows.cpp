// Objects in the journal: a move by compare-and-swap with its effects, what an effect does once, types that change.
#include "core/store/object_reads.h"
#include "core/store/writer/object_rows.h"
#include "tests/store/writer_fixture.h"

#include <QTest>
#include <optional>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestObjectRows : public QObject {
    Q_OBJECT

    std::optional<Tables> tables_;
    std::optional<IdempotencyKeys> keys_;
    std::optional<ObjectRows> objects_;

    /// Numbers that the answer names, or what kind of refusal.
    template<class Operation>
    std::string done(const Operation& operation) {
        const Applied applied = objects_->apply(operation);
        if (applied.rc != SQLITE_OK) return "failed " + std::to_string(applied.rc);
        if (!applied.detail) return "";
        if (applied.detail->error) return std::string(errorName(applied.detail->error->kind));
        std::string all;
        for (const std::int64_t id : applied.detail->objects) all += (all.empty() ? "" : " ") + std::to_string(id);
        return all;
    }
    std::string create(std::int64_t id, const std::string& key = "", const std::string& fields = "{}") {
        NewObject object{.id = id, .type = 1, .status = "queued", .retryAt = 100, .fields = fields};
        if (!key.empty()) object.key = key;
        return done(CreateObjects{.objects = {object}, .effect = {}, .now = 50});
    }
    static MoveObject toStarted(std::int64_t id, std::int64_t revision) {
        MoveObject move;
        move.id = id;
        move.from = "queued";
        move.revision = revision;
        move.to = "started";
        move.newRevision = revision + 1;
        move.retryAt = 200;
        move.moves = move.starts = true;
        move.at = 150;
        return move;
    }
    std::string object(std::int64_t id) {
        return tables_->rows("SELECT status, revision, retry_at, retries, start_ts, end_ts FROM object WHERE id=" +
                             std::to_string(id));
    }

private Q_SLOTS:
    void init() {
        tables_.emplace();
        keys_.emplace(tables_->sql);
        objects_.emplace(tables_->sql, *keys_);
        QVERIFY(tables_->sql.result());
        QCOMPARE(done(PutObjectType{.row = {.id = 1, .name = "snapshot", .body = "{}"}, .moves = {}, .now = 1}),
                 "");
    }
    void cleanup() {
        objects_.reset();
        keys_.reset();
        tables_.reset();
    }

    void objectMustCorrespondToASingleRow() {
        QCOMPARE(create(7), "7");
        QCOMPARE(object(7), "queued 0 100 0 - -");
        QCOMPARE(tables_->rows("SELECT count(*) FROM object"), "1");
    }
    void objectMustHaveAStatusFieldHoldingTheCurrentState() {
        create(7);
        const auto status = [this] { return tables_->rows("SELECT status FROM object WHERE id=7"); };
        QCOMPARE(status(), "queued");
        QCOMPARE(done(toStarted(7, 0)), "");
        QCOMPARE(status(), "started");
        QCOMPARE(done(toStarted(7, 1)), "7"); // from a status that it is not in any more
        QCOMPARE(status(), "started");
    }
    void objectMustHaveARetryAtFieldHoldingTheNextCheck() {
        create(7);
        const auto retryAt = [this] { return tables_->rows("SELECT retry_at FROM object WHERE id=7"); };
        QCOMPARE(retryAt(), "100");
        QCOMPARE(done(ClaimObjects{.claims = {{.id = 7, .status = "queued", .revision = 0, .retryAt = 900}}}), "");
        QCOMPARE(retryAt(), "900");
        QCOMPARE(done(toStarted(7, 0)), "");
        QCOMPARE(retryAt(), "200");
    }
    void aStayEndsWithAMoveToAnotherStatus() {
        const std::vector<std::string> statuses{"queued", "started", "sealed"};
        const auto staysOf = [&](const std::vector<StayMove>& moves) {
            std::string line;
            for (const StatusStay& stay : usualStays(moves, statuses))
                line +=
                    stay.status + " " + std::to_string(stay.usual.count()) + " of " + std::to_string(stay.of) + ";";
            return line;
        };
        QCOMPARE(staysOf({}), "");
        const StayMove first{.object = 1, .created = 10, .revision = 1, .t = 15, .from = "queued", .to = "started"};
        StayMove retry = first, seal = first;
        retry.from = "started";
        retry.revision = 2;
        retry.t = 20;
        seal.from = "started";
        seal.to = "sealed";
        seal.revision = 3;
        seal.t = 35;
        QCOMPARE(staysOf({first, retry, seal}), "queued 5 of 1;started 20 of 1;");
        // Of three the middle one.
        StayMove other = first, third = first;
        other.object = 2;
        other.t = 11;
        third.object = 3;
        third.t = 90;
        QCOMPARE(staysOf({first, other, third}), "queued 5 of 3;");
        // Its first moves were cut: since when it was queued is not known.
        StayMove late = first, later = seal;
        late.revision = kKeptHistory + 1;
        later.revision = kKeptHistory + 2;
        QCOMPARE(staysOf({late, later}), "started 20 of 1;");
        // A new version has another name for where it was.
        StayMove renamed = seal;
        renamed.from = "queued";
        QCOMPARE(staysOf({first, renamed}), "queued 5 of 1;");
        // A clock that was set back.
        StayMove before = first;
        before.t = 9;
        QCOMPARE(staysOf({before}), "");
    }
    void creatingTwiceUnderOneKeyReturnsTheFirst() {
        QCOMPARE(create(7, "page"), "7");
        QCOMPARE(create(8, "page"), "7");
        QCOMPARE(create(9, "other"), "9");
        QCOMPARE(tables_->rows("SELECT id FROM object ORDER BY id"), "7, 9");
    }
    void aRepeatOfACreateMakesNothingAndIsAnsweredAsTheFirst() {
        const auto create = [this](std::int64_t first, const std::string& body, std::int64_t now) {
            CreateObjects creating{.objects = {}, .effect = {}, .now = now};
            for (const std::int64_t id : {first, first + 1, first + 3})
                creating.objects.push_back({.id = id, .type = 1, .status = "queued", .retryAt = 100});
            creating.idempotency = Idempotency{.key = "k", .body = Sha256::of(body), .answer = "list"};
            const Applied applied = objects_->apply(creating);
            if (!applied.detail) return "failed " + std::to_string(applied.rc);
            if (applied.detail->error) return applied.detail->error->field;
            return applied.detail->repeated ? applied.detail->answer : "made";
        };
        QCOMPARE(create(7, "a", 50), "made");
        QCOMPARE(create(20, "a", 60), "list;7+2;10+1");
        QCOMPARE(create(20, "b", 60), "Idempotency-Key");
        QCOMPARE(tables_->rows("SELECT id FROM object ORDER BY id"), "7, 8, 10");
        QCOMPARE(create(20, "b", 50 + kIdempotencyAge), "made");
    }
    void aMoveWhoseKeyIsKnownDoesNotSwap() {
        create(7), create(8);
        MoveObject move = toStarted(7, 0);
        move.idempotency = Idempotency{.key = "k", .body = Sha256::of("a"), .answer = ""};
        QCOMPARE(done(move), "");
        move.id = 8;
        QCOMPARE(done(move), "8");
        move.idempotency->body = Sha256::of("b");
        QCOMPARE(done(move), "8");
        QCOMPARE(tables_->rows("SELECT status FROM object ORDER BY id"), "started, queued");
        QCOMPARE(tables_->rows("SELECT count(*) FROM idem"), "1");
    }
    void aMoveThatDoesNotSwapKeepsNoKey() {
        create(7);
        MoveObject move = toStarted(7, 5);
        move.idempotency = Idempotency{.key = "k", .body = Sha256::of("a"), .answer = ""};
        QCOMPARE(done(move), "7");
        QCOMPARE(tables_->rows("SELECT count(*) FROM idem"), "0");
    }
    void aNumberIsNeverUsedTwice() {
        QCOMPARE(create(7), "7");
        QCOMPARE(done(DropObjects{.ids = {7}}), "");
        QCOMPARE(tables_->rows("SELECT seq FROM sqlite_sequence WHERE name='object'"), "7");
    }

    void aClaimMovesRetryAtAlone() {
        create(7);
        QCOMPARE(done(ClaimObjects{.claims = {{.id = 7, .status = "queued", .revision = 0, .retryAt = 900}}}), "");
        QCOMPARE(object(7), "queued 0 900 0 - -");
    }
    void aClaimOfWhatWasMovedMeanwhileIsNamed() {
        create(7), create(8), create(9);
        QCOMPARE(done(ClaimObjects{.claims = {{.id = 7, .status = "started", .revision = 0, .retryAt = 900},
                                              {.id = 8, .status = "queued", .revision = 1, .retryAt = 900},
                                              {.id = 9, .status = "queued", .revision = 0, .retryAt = 900}}}),
                 "7 8");
        QCOMPARE(tables_->rows("SELECT retry_at FROM object ORDER BY id"), "100, 100, 900");
    }

    void aMoveIsOneWriteWithAllThatBelongsToIt() {
        create(1);
        create(7, "", R"({"a":true,"b":[1],"c":"x"})");
        MoveObject move = toStarted(7, 0);
        move.set = R"({"a":null,"b":{"d":false},"e":2})";
        move.effects = {{0, "{1}"}, {3, "{2}"}};
        move.wakes = 1;
        move.at = 90;
        move.actor = "w";
        QCOMPARE(done(move), "");
        QCOMPARE(object(7), "started 1 200 0 90 -");
        QCOMPARE(tables_->rows("SELECT fields FROM object WHERE id=7"), R"({"c":"x","b":{"d":false},"e":2})");
        QCOMPARE(tables_->rows("SELECT object, revision, position, kind, body FROM outbox"),
                 "7 1 0 0 {1}, 7 1 1 3 {2}");
        QCOMPARE(tables_->rows("SELECT revision, came_from, went_to, actor FROM object_history"),
                 "1 queued started w");
        QCOMPARE(tables_->rows("SELECT retry_at FROM object WHERE id=1"), "90");
    }
    void aMoveMustBeIdempotent() {
        create(7);
        MoveObject move = toStarted(7, 0);
        move.effects = {{0, "{}"}};
        QCOMPARE(done(move), "");
        QCOMPARE(done(move), "7");
        QCOMPARE(tables_->rows("SELECT count(*) FROM outbox"), "1");
        QCOMPARE(object(7), "started 1 200 0 150 -");
    }
    void ofTwoMoversOneWins() {
        create(7);
        MoveObject other = toStarted(7, 0);
        other.to = "failed";
        other.retryAt = 0;
        other.ends = true;
        QCOMPARE(done(toStarted(7, 0)), "");
        QCOMPARE(done(other), "7");
        QCOMPARE(object(7), "started 1 200 0 150 -");
    }
    void inAFinalStatusThereIsNoRetryAt() {
        create(7);
        MoveObject move = toStarted(7, 0);
        move.retryAt = 0;
        QVERIFY(!validate(move).has_value());
        move.ends = true;
        QVERIFY(validate(move).has_value());
        QCOMPARE(done(move), "");
        QCOMPARE(object(7), "started 1 - 0 150 150");
    }
    void theLastErrorStaysUntilThereIsAnother() {
        create(7);
        MoveObject move = toStarted(7, 0);
        move.lastError = "no such host";
        QCOMPARE(done(move), "");
        move = toStarted(7, 1);
        move.from = "started";
        QCOMPARE(done(move), "");
        QCOMPARE(tables_->rows("SELECT last_error FROM object"), "no such host");
    }
    void aHundredEntriesOfTheHistoryAreKept() {
        create(7);
        for (std::int64_t i = 0; i < 250; ++i) {
            MoveObject move = toStarted(7, i);
            if (i > 0) move.from = "started";
            QCOMPARE(done(move), "");
        }
        QCOMPARE(tables_->rows("SELECT count(*), min(revision), max(revision) FROM object_history"), "100 151 250");
    }

    void anEffectCreatesOnce() {
        create(7);
        MoveObject move = toStarted(7, 0);
        move.effects = {{0, "{}"}};
        QCOMPARE(done(move), "");
        const auto carryOut = [this](std::int64_t id) {
            NewObject object{.id = id, .type = 1, .parent = 7, .status = "queued", .retryAt = 300};
            return done(CreateObjects{
                .objects = {object}, .effect = EffectName{.object = 7, .revision = 1, .position = 0}, .now = 300});
        };
        QCOMPARE(carryOut(8), "8");
        QCOMPARE(carryOut(9), "");
        QCOMPARE(tables_->rows("SELECT id FROM object WHERE parent=7"), "8");
        QCOMPARE(tables_->rows("SELECT count(*) FROM outbox"), "0");
    }
    void aWakeMovesRetryAtOfThoseThatHaveALaterOne() {
        create(7), create(8), create(9);
        MoveObject ended = toStarted(9, 0);
        ended.retryAt = 0;
        ended.ends = true;
        QCOMPARE(done(ended), "");
        QCOMPARE(done(WakeObjects{.ids = {7, 9, 77}, .effect = {}, .at = 60}), "");
        QCOMPARE(done(WakeObjects{.ids = {8}, .effect = {}, .at = 600}), "");
        QCOMPARE(tables_->rows("SELECT retry_at FROM object ORDER BY id"), "60, 100, -");
        QCOMPARE(object(7), "queued 0 60 0 - -");
    }
    void anEffectThatIsCarriedOutGoes() {
        tables_->run("INSERT INTO outbox VALUES(7, 1, 0, 3, '{}'), (7, 1, 1, 3, '{}')");
        QCOMPARE(done(DropEffect{.effect = {.object = 7, .revision = 1, .position = 0}}), "");
        QCOMPARE(
            done(WakeObjects{.ids = {}, .effect = EffectName{.object = 7, .revision = 1, .position = 1}, .at = 5}),
            "");
        QCOMPARE(tables_->rows("SELECT count(*) FROM outbox"), "0");
    }
    void anEndIsToldInTheCommitThatWakesItsObject() {
        create(7);
        tables_->run("INSERT INTO object_action VALUES(4, 7, 'pdf', 0), (5, 7, 'png', 0)");
        QCOMPARE(done(WakeObjects{.ids = {7}, .effect = {}, .at = 60, .told = {Lsn(4)}}), "");
        QCOMPARE(tables_->rows("SELECT lsn, told FROM object_action"), "4 1, 5 0");
        QCOMPARE(object(7), "queued 0 60 0 - -");
    }
    void whatIsDeletedGoesWithItsHistoryAndEffects() {
        create(7);
        MoveObject move = toStarted(7, 0);
        move.effects = {{0, "{}"}};
        QCOMPARE(done(move), "");
        tables_->run("INSERT INTO object_action VALUES(4, 7, 'pdf', 0)");
        QCOMPARE(done(DropObjects{.ids = {7}}), "");
        QCOMPARE(tables_->rows("SELECT (SELECT count(*) FROM object), (SELECT count(*) FROM object_history), "
                               "(SELECT count(*) FROM outbox), (SELECT count(*) FROM object_action)"),
                 "0 0 0 0");
    }

    void aNewVersionMovesItsObjects() {
        create(1), create(2), create(3);
        QCOMPARE(done(toStarted(2, 0)), "");
        MoveObject ended = toStarted(3, 0);
        ended.to = "sealed";
        ended.retryAt = 0;
        ended.ends = true;
        QCOMPARE(done(ended), "");
        // Two names swap, and what was final goes on.
        QCOMPARE(done(PutObjectType{.row = {.id = 1, .name = "snapshot", .body = "{2}"},
                                    .moves = {{.from = "queued", .to = "started"},
                                              {.from = "started", .to = "queued"},
                                              {.from = "sealed", .to = "again", .retryAt = 400}},
                                    .now = 400}),
                 "");
        QCOMPARE(object(1), "started 0 100 0 - -");
        QCOMPARE(object(2), "queued 1 200 0 150 -");
        QCOMPARE(object(3), "again 1 400 0 150 -");
        QCOMPARE(tables_->rows("SELECT body FROM object_type"), "{2}");
    }
    void aStatusThatBecomesFinalHasNoRetryAt() {
        create(1);
        QCOMPARE(done(PutObjectType{.row = {.id = 1, .name = "snapshot", .body = "{2}"},
                                    .moves = {{.from = "queued", .to = "gone", .isFinal = true}},
                                    .now = 400}),
                 "");
        QCOMPARE(object(1), "gone 0 - 0 - 400");
    }
    void aTypeWithObjectsStays() {
        create(1);
        QCOMPARE(done(DropObjectType{.id = 1}), "wrong_state");
        QCOMPARE(done(DropObjects{.ids = {1}}), "");
        QCOMPARE(done(DropObjectType{.id = 1}), "");
        QCOMPARE(tables_->rows("SELECT count(*) FROM object_type"), "0");
    }

    void whatCannotBeRightIsRefused() {
        const NewObject good{.id = 1, .type = 1, .status = "queued", .retryAt = 1};
        QVERIFY(validate(CreateObjects{.objects = {good}, .effect = {}, .now = 1}).has_value());
        NewObject bad = good;
        bad.id = 0;
        QVERIFY(!validate(CreateObjects{.objects = {bad}, .effect = {}, .now = 1}));
        bad = good;
        bad.fields = std::string(kMaxObjectText + 1, 'x');
        QVERIFY(!validate(CreateObjects{.objects = {bad}, .effect = {}, .now = 1}));
        QVERIFY(!validate(CreateObjects{.objects = std::vector(kMostObjects + 1, good), .effect = {}, .now = 1}));
        QVERIFY(!validate(PutObjectType{.row = {.id = 0, .name = "a", .body = "{}"}, .moves = {}, .now = 1}));
        MoveObject move = toStarted(7, 0);
        move.newRevision = 0;
        QVERIFY(validate(move).has_value());
        move.effects = {{0, "{}"}};
        QVERIFY(!validate(move));
    }
};

QTEST_GUILESS_MAIN(TestObjectRows)
#include "tst_object_rows.moc"
