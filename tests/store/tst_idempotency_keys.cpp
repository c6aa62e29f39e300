// Repeats of a submission get the first answer, for a day.
#include "core/store/writer/idempotency_keys.h"
#include "tests/store/writer_fixture.h"

#include <QTest>
#include <optional>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

namespace {
constexpr WallMicros kNow = 1'700'000'000'000'000;
}

class TestIdempotencyKeys : public QObject {
    Q_OBJECT

    std::optional<Tables> tables_;
    std::optional<IdempotencyKeys> keys_;

    static Idempotency key(const std::string& text, const std::string& body = "body") {
        return {.key = text, .body = Sha256::of(body), .answer = "answer to " + body};
    }
    void keep(const Idempotency& idempotency, WallMicros now = kNow) {
        QCOMPARE(keys_->keep(idempotency, now), SQLITE_OK);
    }
    std::string kept() { return tables_->rows("SELECT key FROM idem ORDER BY id"); }

private Q_SLOTS:
    void init() {
        tables_.emplace();
        keys_.emplace(tables_->sql);
        QVERIFY(tables_->sql.result());
    }
    void cleanup() {
        keys_.reset();
        tables_.reset();
    }
    void aNewKeyHasNoAnswer() {
        Applied applied;
        QVERIFY(!keys_->answers(key("new"), kNow, applied));
    }
    void aRepeatGetsTheFirstAnswer() {
        keep(key("a"));
        Applied applied;
        QVERIFY(keys_->answers(key("a"), kNow + 1, applied));
        QVERIFY(applied.rc == SQLITE_OK && applied.detail->repeated);
        QCOMPARE(applied.detail->answer, "answer to body");
    }
    void anotherBodyIsRefused() {
        keep(key("a"));
        Applied applied;
        QVERIFY(keys_->answers(key("a", "another"), kNow, applied));
        QVERIFY(applied.detail->error);
        QCOMPARE(applied.detail->error->field, "Idempotency-Key");
    }
    void afterADayAKeyIsNewAndCanBeKeptAgain() {
        keep(key("a"));
        Applied applied;
        QVERIFY(!keys_->answers(key("a", "another"), kNow + kIdempotencyAge, applied));
        keep(key("a", "another"), kNow + kIdempotencyAge);
        QVERIFY(keys_->answers(key("a", "another"), kNow + kIdempotencyAge, applied));
        QVERIFY(applied.detail->repeated);
    }
    void oldKeysAreForgottenAndYoungOnesStay() {
        keep(key("old"), kNow - kIdempotencyAge - 1);
        keep(key("young"));
        QCOMPARE(keys_->prune(kNow), SQLITE_OK);
        QCOMPARE(kept(), "young");
    }
    void atMostAThousandAreForgottenAtOnce() {
        for (int i = 0; i < 1'003; ++i) keep(key(std::to_string(i)), kNow - 2 * kIdempotencyAge);
        QCOMPARE(keys_->prune(kNow), SQLITE_OK);
        QCOMPARE(kept(), "1000, 1001, 1002");
    }
};

QTEST_GUILESS_MAIN(TestIdempotencyKeys)
#include "tst_idempotency_keys.moc"
