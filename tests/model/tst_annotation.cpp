// Marks and comments as values: words, limits, JSON.
#include "core/model/annotation.h"
#include "core/model/result.h"

#include <QTest>

#include <string>

using namespace yard;

namespace {

/// "" when it is one, else the member at fault.
std::string fault(const std::string& text, const std::string& by = "anna") {
    const auto checked = checkComment({.t = 1, .by = by, .text = text});
    return checked ? "" : checked.error().field;
}

std::string repeated(const std::string& character, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += character;
    return text;
}

} // namespace

class TestAnnotation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyMarkHasAWordAndIsFoundByIt() {
        for (std::size_t i = 0; i < kMarks; ++i) {
            const auto mark = static_cast<Mark>(i);
            QCOMPARE(markFrom(name(mark)), mark);
        }
        QVERIFY(!markFrom("reed"));
        QVERIFY(!markFrom(""));
        QCOMPARE(markNames(), std::string("red, orange, yellow, green, blue, purple and grey"));
    }
    void aCommentIsLimitedInCharactersNotBytes() {
        QCOMPARE(fault(repeated("ü", kMostCommentCharacters)), "");
        QCOMPARE(fault(repeated("ü", kMostCommentCharacters + 1)), "text");
        QCOMPARE(fault("x", repeated("ü", kMostAuthorCharacters)), "");
        QCOMPARE(fault("x", repeated("ü", kMostAuthorCharacters + 1)), "by");
    }
    void aCommentSaysSomethingThatCanBeShown() {
        QCOMPARE(fault("one\n\ttwo"), "");
        QCOMPARE(fault(""), "text");
        QCOMPARE(fault(" \n\t"), "text");
        QCOMPARE(fault("a\x1b[31mb"), "text");
        QCOMPARE(fault("\xff"), "text");
        QCOMPARE(fault("x", "a\nb"), "by");
    }
    void anActionSaysWhatIsNotedOnItAndNothingElse() {
        ActionResult action;
        action.lsn = Lsn(1);
        QVERIFY(!toJson(action).contains("mark"));
        QVERIFY(!toJson(action).contains("comments"));
        action.mark = Mark::Grey;
        action.comments = CommentSummary{.count = 2, .last = {.t = 5, .by = "anna", .text = "why?"}};
        const std::string json = toJson(action);
        QVERIFY2(json.contains(R"("mark":"grey")"), json.c_str());
        QVERIFY2(json.contains(R"("comments":{"count":2,"last":{"t":5,"by":"anna","text":"why?"}})"), json.c_str());
    }
};

QTEST_GUILESS_MAIN(TestAnnotation)
#include "tst_annotation.moc"
