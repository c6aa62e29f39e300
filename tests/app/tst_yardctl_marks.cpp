// yardctl mark and comment: what they ask for, what they say, and how it is shown.
#include "core/base/user_name.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>

#include <fmt/format.h>

using namespace yard;
using namespace yard::test;

class TestYardctlMarks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void actionsAreMarkedByNumberOrFilter();
    void aMarkIsTakenAwayByNone();
    void whatIsNoColourIsRefusedWithThoseThereAre();
    void theWordsBehindTheNumbersAreTheComment();
    void aCommentSaysWhoWritesIt();
    void aCommentWithoutActionsOrTextIsWrongUsage();
    void aQueueGetsMarksAndComments();
    void whatIsNotedIsShown();
    void listsHaveColumnsOfBoth();
};

namespace {

constexpr const char* kQueues = R"({"queues":[{"queue_id":0,"tag":""},{"queue_id":7,"tag":"nightly"}]})";
constexpr const char* kComment = R"({"t":1,"by":"anna","text":"x"})";

std::string commentBody(const std::string& text, const std::string& by = userName()) {
    return fmt::format(R"({{"text":"{}","by":"{}"}})", text, by);
}

} // namespace

void TestYardctlMarks::actionsAreMarkedByNumberOrFilter() {
    FakeServer server(table({rangeOf(5, 6, "5..6"),
                             {"PATCH /compute/jobs/5", {.body = R"({"lsn":5,"mark":"red"})"}},
                             {"PATCH /compute/jobs/6", {.body = R"({"lsn":6,"mark":"red"})"}},
                             {"PATCH /compute/jobs", {.body = R"({"changed":2,"count":2,"refused":[]})"}}}));
    const DataDirectory data(server);
    const Ended marked = data.run({"mark", "red", "5..6"});
    QCOMPARE(marked.err, "");
    QCOMPARE(marked.out, "5 marked red\n6 marked red\n");
    QCOMPARE(server.find("PATCH /compute/jobs/5").body, R"({"mark":"red"})");
    QCOMPARE(data.run({"mark", "blue", "--filter", "label:a*"}).out, "2 actions marked blue\n");
    QCOMPARE(server.requests().back().body, R"({"filter":"label:a*","set":{"mark":"blue"}})");
    QCOMPARE(data.run({"mark", "blue", "--filter", "label:a*", "--dry-run"}).out,
             "2 actions would be marked blue\n");
}

void TestYardctlMarks::aMarkIsTakenAwayByNone() {
    FakeServer server(table({{"PATCH /compute/jobs/5", {.body = R"({"lsn":5})"}},
                             {"PATCH /compute/jobs", {.body = R"({"changed":2,"refused":[]})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"mark", "none", "5"}).out, "5 without a mark\n");
    QCOMPARE(server.requests().back().body, R"({"mark":null})");
    QCOMPARE(data.run({"mark", "none", "--filter", "mark:grey"}).out, "2 actions without a mark\n");
}

void TestYardctlMarks::whatIsNoColourIsRefusedWithThoseThereAre() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    const Ended refused = data.run({"mark", "pink", "5"});
    QCOMPARE(refused.code, 2);
    QCOMPARE(refused.err,
             "yardctl: 'pink' is no mark; there are red, orange, yellow, green, blue, purple and grey, "
             "and none takes it away\n");
    QCOMPARE(data.run({"mark", "red"}).code, 2);
    QCOMPARE(server.lines().size(), 0);
}

void TestYardctlMarks::theWordsBehindTheNumbersAreTheComment() {
    FakeServer server(table({rangeOf(5, 6, "5..6"),
                             {"POST /compute/jobs/5/comments", {.body = kComment}},
                             {"POST /compute/jobs/6/comments", {.body = kComment}}}));
    const DataDirectory data(server);
    const Ended written = data.run({"comment", "5..6", "ask", "Anna", "first"});
    QCOMPARE(written.err, "");
    QCOMPARE(written.out, "5 has a comment more\n6 has a comment more\n");
    QCOMPARE(server.find("POST /compute/jobs/5/comments").body, commentBody("ask Anna first"));
    QCOMPARE(data.run({"comment", "5", "ask Anna"}).code, 0);
    QCOMPARE(server.requests().back().body, commentBody("ask Anna"));
    QCOMPARE(data.run({"comment", "5,6", "3", "attempts"}).out, "5 has a comment more\n6 has a comment more\n");
    QCOMPARE(server.requests().back().body, commentBody("3 attempts"));
}

void TestYardctlMarks::aCommentSaysWhoWritesIt() {
    FakeServer server(table({{"POST /compute/jobs/5/comments", {.body = kComment}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"comment", "--by", "bert", "5", "x"}).code, 0);
    QCOMPARE(server.requests().back().body, commentBody("x", "bert"));
}

void TestYardctlMarks::aCommentWithoutActionsOrTextIsWrongUsage() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    for (const QStringList& words : {QStringList{"comment", "5"}, QStringList{"comment", "why?"},
                                     QStringList{"comment", "5,x", "why?"}, QStringList{"comment"}}) {
        const Ended refused = data.run(words);
        QVERIFY2(refused.code == 2, qPrintable(words.join(' ')));
    }
    QCOMPARE(server.lines().size(), 0);
}

void TestYardctlMarks::aQueueGetsMarksAndComments() {
    FakeServer server(table({{"GET /compute/queues", {.body = kQueues}},
                             {"PATCH /compute/queues/7", {.body = R"({"queue_id":7,"mark":"red"})"}},
                             {"POST /compute/queues/7/comments", {.body = kComment}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"queue", "mark", "red", "nightly"}).out, "queue nightly is marked red\n");
    QCOMPARE(server.requests().back().body, R"({"mark":"red"})");
    QCOMPARE(data.run({"queue", "mark", "none", "7"}).out, "queue 7 is without a mark\n");
    QCOMPARE(server.requests().back().body, R"({"mark":null})");
    QCOMPARE(data.run({"comment", "-q", "nightly", "held", "until", "Monday"}).out, "queue 7 has a comment more\n");
    QCOMPARE(server.requests().back().body, commentBody("held until Monday"));
    QCOMPARE(data.run({"queue", "mark", "red"}).code, 2);
}

void TestYardctlMarks::whatIsNotedIsShown() {
    constexpr const char* kNoted =
        R"("mark":"purple","comments":{"count":2,"last":{"t":2,"by":"bert","text":"one\ntwo"}}})";
    constexpr const char* kComments =
        R"({"comments":[{"t":1,"by":"anna","text":"why?"},{"t":2,"by":"bert","text":"one\ntwo"}]})";
    const std::string action = std::string(R"({"lsn":1,"state":"completed",)") + kNoted;
    FakeServer server(table({{"GET /compute/jobs/1", {.body = action}},
                             {"GET /compute/jobs/1/comments", {.body = kComments}},
                             {"GET /compute/queues/7", {.body = std::string(R"({"queue_id":7,)") + kNoted}},
                             {"GET /compute/queues/7/comments", {.body = kComments}}}));
    const DataDirectory data(server);
    for (const QStringList& words : {QStringList{"show", "1"}, QStringList{"queue", "show", "7"}}) {
        const Ended shown = data.run(words);
        QVERIFY2(shown.out.contains("mark         purple\n"), shown.out.c_str());
        QVERIFY2(shown.out.contains("  anna\n    why?\n"), shown.out.c_str());
        QVERIFY2(shown.out.contains("  bert\n    one\n    two\n"), shown.out.c_str());
    }
}

void TestYardctlMarks::listsHaveColumnsOfBoth() {
    FakeServer server([](const FakeRequest&) {
        return FakeReply{.body = R"({"jobs":[{"lsn":1,"state":"completed","mark":"red","comments":)"
                                 R"({"count":1,"last":{"t":2,"by":"bert","text":"one\ntwo"}}},)"
                                 R"({"lsn":2,"state":"completed"}]})"};
    });
    const DataDirectory data(server);
    const Ended listed = data.run({"ls", "--columns", "lsn,mark,comment"});
    QVERIFY2(listed.out.contains("1  red   bert: one two\n"), listed.out.c_str());
    QVERIFY2(listed.out.contains("2  -     -\n"), listed.out.c_str());
}

QTEST_GUILESS_MAIN(TestYardctlMarks)
#include "tst_yardctl_marks.moc"
