// What is referred to while somebody looks for chunks that nothing refers to.
#include "core/store/writer/reference_notes.h"

#include <QTest>
#include <array>
#include <string>

using namespace yard;
using namespace yard::store;

class TestReferenceNotes : public QObject {
    Q_OBJECT

    OwnerCheck owner_;

    static Hash256 hash(const std::string& bytes) { return Sha256::of(bytes); }
    static void note(ReferenceNotes& notes, const std::string& bytes) {
        const Hash256 one = hash(bytes);
        notes.note(std::span(&one, 1));
    }

private Q_SLOTS:
    void withoutMarkingNothingIsNoted() {
        ReferenceNotes notes(owner_);
        note(notes, "a");
        QVERIFY(!notes.has(hash("a")));
        QVERIFY(!notes.isComplete());
    }
    void whatIsReferredToWhileMarkingIsKnown() {
        ReferenceNotes notes(owner_);
        (void)notes.apply(ChunkMark{.on = true});
        note(notes, "a");
        QVERIFY(notes.has(hash("a")));
        QVERIFY(!notes.has(hash("b")));
        QVERIFY(notes.isComplete());
    }
    void anAttemptRefersToItsOutputsAndItsFiles() {
        AttemptRecord attempt;
        attempt.outcome.out = ChunkRef{hash("out"), 3};
        attempt.outcome.err = ChunkRef{hash("err"), 3};
        attempt.outcome.outputs.push_back({.name = "file", .chunk = {hash("file"), 4}});
        ReferenceNotes notes(owner_);
        (void)notes.apply(ChunkMark{.on = true});
        notes.note(attempt);
        for (const char* bytes : {"out", "err", "file"}) QVERIFY2(notes.has(hash(bytes)), bytes);
    }
    void markingAgainBeginsAnew() {
        ReferenceNotes notes(owner_);
        (void)notes.apply(ChunkMark{.on = true});
        note(notes, "a");
        (void)notes.apply(ChunkMark{.on = true});
        QVERIFY(!notes.has(hash("a")));
        (void)notes.apply(ChunkMark{.on = false});
        QVERIFY(!notes.isComplete());
    }
    void whenThereIsTooMuchToNoteItSaysSoUntilMarkingBeginsAnew() {
        ReferenceNotes notes(owner_, 2);
        (void)notes.apply(ChunkMark{.on = true});
        for (const char* bytes : {"a", "b", "c"}) note(notes, bytes);
        QVERIFY(!notes.isComplete());
        (void)notes.apply(ChunkMark{.on = true});
        QVERIFY(notes.isComplete());
    }
};

QTEST_GUILESS_MAIN(TestReferenceNotes)
#include "tst_reference_notes.moc"
