// Small durable things by kind and name: written together, read at the next start.
#include "tests/store/journal_fixture.h"

#include <QTest>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestDocuments : public QObject {
    Q_OBJECT

    Directories directories_;

    static DocumentChange put(std::string kind, std::string name, std::string body) {
        return {.kind = std::move(kind), .name = std::move(name), .body = std::move(body)};
    }
    static DocumentChange drop(std::string kind, std::string name) {
        return {.kind = std::move(kind), .name = std::move(name), .body = std::nullopt};
    }
    /// "kind/name=body …", as a start reads them.
    static std::string found(const Journal& journal) {
        std::string text;
        for (const DocumentRow& row : journal.restored.documents)
            text += (text.empty() ? "" : " ") + row.kind + "/" + row.name + "=" + row.body;
        return text;
    }

private Q_SLOTS:
    void whatIsWrittenIsThereAtTheNextStartInTheOrderOfKindAndName() {
        const std::string path = directories_.fresh("kept");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(PutDocuments{
                         {put("schedule", "nightly", "1"), put("note", "b", "2"), put("note", "a", "3")}})),
                     "ok");
            QCOMPARE(found(journal), "");
        }
        Journal again(path);
        QCOMPARE(found(again), "note/a=3 note/b=2 schedule/nightly=1");
    }
    void aBodyIsReplacedAndAnAbsentOneRemovesTheDocument() {
        const std::string path = directories_.fresh("replaced");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(PutDocuments{{put("note", "a", "1"), put("note", "b", "2")}})), "ok");
            QCOMPARE(word(journal.carryOut(
                         PutDocuments{{put("note", "a", "new"), drop("note", "b"), drop("note", "never")}})),
                     "ok");
        }
        Journal again(path);
        QCOMPARE(found(again), "note/a=new");
    }
    void theSameNameOfAnotherKindIsAnotherDocument() {
        const std::string path = directories_.fresh("kinds");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(PutDocuments{{put("note", "a", "1"), put("alert", "a", "2")}})), "ok");
            QCOMPARE(word(journal.carryOut(PutDocuments{{drop("note", "a")}})), "ok");
        }
        Journal again(path);
        QCOMPARE(found(again), "alert/a=2");
    }
    void whatIsNoDocumentIsRefusedAndNothingOfItsListIsWritten_data() {
        QTest::addColumn<std::string>("kind");
        QTest::addColumn<std::string>("name");
        QTest::addColumn<std::string>("body");
        QTest::addColumn<std::string>("sentence");
        using std::string;
        QTest::newRow("no kind") << string() << string("a") << string() << string("'' is not a kind");
        QTest::newRow("a kind of other letters")
            << string("Note 1") << string("a") << string() << string("'Note 1' is not a kind");
        QTest::newRow("a long kind") << string(33, 'k') << string("a") << string() << string("is not a kind");
        QTest::newRow("no name") << string("note") << string() << string() << string("1 to 256 bytes");
        QTest::newRow("a long name") << string("note") << string(257, 'n') << string() << string("1 to 256 bytes");
        QTest::newRow("a large body") << string("note") << string("a") << string(kMaxDocument + 1, 'b')
                                      << string("a document has at most 1048576");
    }
    void whatIsNoDocumentIsRefusedAndNothingOfItsListIsWritten() {
        QFETCH(std::string, kind);
        QFETCH(std::string, name);
        QFETCH(std::string, body);
        QFETCH(std::string, sentence);
        const std::string path = directories_.fresh("refused");
        {
            Journal journal(path);
            const auto refused = validate(PutDocuments{{put("note", "good", "1"), put(kind, name, body)}});
            QVERIFY(!refused);
            QVERIFY2(refused.error().message.contains(sentence), refused.error().message.c_str());
            QVERIFY(
                !journal.store().carryOutAndWait(PutDocuments{{put("note", "good", "1"), put(kind, name, body)}}));
        }
        Journal again(path);
        QCOMPARE(found(again), "");
    }
    void moreChangesThanALimitAreRefused() {
        PutDocuments many;
        many.changes.assign(kMostDocumentChanges, put("note", "a", "1"));
        QVERIFY(validate(many));
        many.changes.push_back(put("note", "b", "1"));
        QVERIFY(!validate(many));
    }
    void theirBytesCountInTheMailbox() {
        QVERIFY(footprint(PutDocuments{{put("note", "a", std::string(100'000, 'x'))}}) >= 100'000);
    }
};

QTEST_GUILESS_MAIN(TestDocuments)
#include "tst_documents.moc"
