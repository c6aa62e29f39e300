// Output as lines: what came is what is there, colours apart, bounded, and nothing in it plays tricks.
#include "tests/support/waiting.h"
#include "ui/log/log_pane.h"
#include "ui/log/log_rows.h"
#include "ui/log/log_search.h"
#include "ui/log/log_selection.h"
#include "ui/log/log_text.h"
#include "ui/log/log_view.h"
#include "ui/style/theme.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QLineEdit>
#include <QShortcut>
#include <QTest>

using namespace yard::ui;

class TestLog : public QObject {
    Q_OBJECT

    static QStringList linesOf(const LogText& text) {
        QStringList all;
        for (std::size_t i = 0; i < text.size(); ++i) all << text.line(i).text;
        return all;
    }

private slots:
    void linesAreCutAtNewlinesWhateverThePieces() {
        LogText text;
        for (const char* piece : {"on", "e\ntw", "o\n", "\nfo"}) text.append(LogStream::Out, piece);
        QCOMPARE(linesOf(text), QStringList({"one", "two", ""}));
        text.finish(LogStream::Out);
        QCOMPARE(linesOf(text).last(), QString("fo"));
        QCOMPARE(text.bytes(), qsizetype{11});
    }

    void aLineIsFoundByItsNumberInItsStream() {
        LogText text;
        text.append(LogStream::Out, "one\ntwo\n");
        text.append(LogStream::Err, "bad\n");
        text.append(LogStream::Out, "three\n");
        QCOMPARE(text.lineOf(LogStream::Out, 3), 3);
        QCOMPARE(text.lineOf(LogStream::Err, 1), 2);
        QCOMPARE(text.lineOf(LogStream::Err, 2), -1);
        QCOMPARE(text.lineOf(LogStream::Out, 0), -1);
    }

    void aLineThatIsShownIsTheOneThatHasTheText() {
        LogView view;
        view.resize(400, 100);
        view.append(LogStream::Out, "one\nerror a\ntwo\nerror b\n");
        QVERIFY(view.showLine(LogStream::Out, 4, "Error", false));
        QCOMPARE(view.foundLine(), 3);
        QVERIFY(!view.follows());
        // Lines are counted otherwise than where they were found: the first that has it.
        QVERIFY(!view.showLine(LogStream::Out, 3, "error", false));
        QVERIFY(view.showLine(LogStream::Out, 3, "error", true));
        QCOMPARE(view.foundLine(), 1);
        QVERIFY(!view.showLine(LogStream::Err, 1, "nothing", true));
        QCOMPARE(view.foundLine(), 1);
    }

    void bothStreamsKeepTheirOwnOpenLine() {
        LogText text;
        text.append(LogStream::Out, "out");
        text.append(LogStream::Err, "err\n");
        text.append(LogStream::Out, "put\n");
        QCOMPARE(linesOf(text), QStringList({"err", "output"}));
        QCOMPARE(text.streamOf(0), LogStream::Err);
        QCOMPARE(text.streamOf(1), LogStream::Out);
    }

    void ofProgressThatOverwritesItselfTheLastStands() {
        LogText text;
        text.append(LogStream::Out, "10 %\r50 %\r100 %\nwindows\r\n");
        QCOMPARE(linesOf(text), QStringList({"100 %", "windows"}));
    }

    void coloursBecomeRunsAndGoOnInTheNextLine() {
        LogText text;
        text.append(LogStream::Out, "a\x1b[1;31mb\nc\x1b[0md\n");
        QCOMPARE(linesOf(text), QStringList({"ab", "cd"}));
        QCOMPARE(text.line(0).runs, (std::vector<LogRun>{{1, 1, {1, true}}}));
        QCOMPARE(text.line(1).runs, (std::vector<LogRun>{{0, 1, {1, true}}}));
    }

    void coloursWeDoNotPaintAreTakenOut_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("behind, of 256") << QByteArray("\x1b[48;5;196mx");
        QTest::newRow("behind, of 24 bits") << QByteArray("\x1b[48;2;1;2;3mx");
        QTest::newRow("of 256, but none") << QByteArray("\x1b[38;5mx");
        QTest::newRow("of a kind that is none") << QByteArray("\x1b[38;9mx");
        QTest::newRow("cursor") << QByteArray("\x1b[2Kx");
        QTest::newRow("title") << QByteArray("\x1b]0;title\ax");
        QTest::newRow("link") << QByteArray("\x1b]8;;http://h\x1b\\x");
        QTest::newRow("cut off") << QByteArray("x\x1b[3");
        QTest::newRow("escape at the end") << QByteArray("x\x1b");
    }
    void coloursWeDoNotPaintAreTakenOut() {
        QFETCH(QByteArray, bytes);
        LogStyle style;
        const LogLine line = parseLogLine(bytes, style);
        QCOMPARE(line.text, QString("x"));
        QVERIFY(line.runs.empty());
    }

    void manyColoursBecomeTheNearestOfTheFew_data() {
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<int>("colour");
        QTest::newRow("one of 16") << QByteArray("38;5;9") << 9;
        QTest::newRow("red of the cube") << QByteArray("38;5;196") << 1;
        QTest::newRow("cyan of the cube") << QByteArray("38;5;51") << 6;
        QTest::newRow("dark grey") << QByteArray("38;5;235") << 8;
        QTest::newRow("light grey") << QByteArray("38;5;250") << 7;
        QTest::newRow("24 bits") << QByteArray("38;2;250;200;10") << 3;
        QTest::newRow("then another") << QByteArray("38;5;196;32") << 2;
        QTest::newRow("before a colour behind") << QByteArray("38;5;196;48;5;21") << 1;
    }
    void manyColoursBecomeTheNearestOfTheFew() {
        QFETCH(QByteArray, code);
        LogStyle style;
        const LogLine line = parseLogLine("\x1b[" + code + "mx", style);
        QCOMPARE(line.text, QString("x"));
        QCOMPARE(line.runs.size(), std::size_t{1});
        QTEST(static_cast<int>(line.runs.front().style.colour), "colour");
    }

    void underlinesBeginAndEnd() {
        LogStyle style;
        const LogLine line = parseLogLine("a\x1b[4mb\x1b[24mc", style);
        QCOMPARE(line.text, QString("abc"));
        QCOMPARE(line.runs, (std::vector<LogRun>{{1, 1, {-1, false, true}}}));
    }

    void whatCannotBeSeenIsShownAsItsPicture() {
        LogText text;
        text.append(LogStream::Out, QByteArray("a\x07"
                                               "b\0c",
                                               5) +
                                        "\xff\n" +
                                        "\xe2\x80\xae"
                                        "evil\n\tx\n");
        QCOMPARE(text.line(0).text, QString::fromUtf8("a\xe2\x90\x87"
                                                      "b\xe2\x90\x80"
                                                      "c\xef\xbf\xbd"));
        QCOMPARE(text.line(1).text, QString::fromUtf8("\xef\xbf\xbd"
                                                      "evil"));
        QCOMPARE(text.line(2).text, QString("        x"));
    }

    void aLineThatNeverEndsIsCutAndMemoryIsBounded() {
        LogText text;
        text.append(LogStream::Out, QByteArray(LogText::kLongestLine * 2 + 10, 'x'));
        QCOMPARE(text.size(), std::size_t{2});
        const QByteArray piece(1 << 20, 'y');
        for (int i = 0; i < 100; ++i) text.append(LogStream::Out, piece + '\n');
        QVERIFY(text.dropped() > 0);
        QVERIFY(static_cast<qsizetype>(text.size()) * LogText::kLongestLine <= LogText::kMostBytes * 5 / 4);
    }

    void findGoesAroundInBothDirections() {
        LogText text;
        text.append(LogStream::Out, "alpha\nbeta\nALPHA\n");
        QCOMPARE(text.find("alpha", 1), std::ptrdiff_t{2});
        QCOMPARE(text.find("alpha", 2), std::ptrdiff_t{2});
        QCOMPARE(text.find("beta", 2), std::ptrdiff_t{1});
        QCOMPARE(text.find("alpha", 1, true), std::ptrdiff_t{0});
        QCOMPARE(text.find("gamma", 0), std::ptrdiff_t{-1});
    }

    void aLongLineTakesSeveralScreenRowsWhereLinesWrap() {
        LogText text;
        text.append(LogStream::Out, "one\n" + QByteArray(25, 'x') + "\nthree\n");
        LogRows rows(text);
        QCOMPARE(rows.layOut(10), std::size_t{3});
        QCOMPARE(rows.heightOf(1), 1);
        rows.setWrap(true);
        QCOMPARE(rows.layOut(10), std::size_t{5});
        QCOMPARE(rows.heightOf(1), 3);
        QCOMPARE(rows.topOf(2), std::size_t{4});
        QCOMPARE(rows.topOfLine(1), std::size_t{1});
        for (const auto& [top, row] : {std::pair{0, 0}, std::pair{1, 1}, std::pair{3, 1}, std::pair{4, 2}})
            QCOMPARE(rows.rowAt(top), std::ptrdiff_t{row});
    }

    void rowsAreTheLinesThatHoldTheFilter() {
        LogText text;
        text.append(LogStream::Out, "good\nbad 1\nfine\nbad 2\n");
        LogRows rows(text);
        rows.setFilter("bad");
        QCOMPARE(rows.layOut(80), std::size_t{2});
        QCOMPARE(rows.lineAt(1), std::size_t{3});
        QCOMPARE(rows.topOfLine(2), std::size_t{1}); // of one that is not shown: where it would be
        rows.setFilter({});
        QCOMPARE(rows.layOut(80), std::size_t{4});
    }

    void whatComesInAPauseHasNoRowYet() {
        LogText text;
        LogRows rows(text);
        text.append(LogStream::Out, "one\n");
        QCOMPARE(rows.layOut(80), std::size_t{1});
        rows.setPaused(true);
        text.append(LogStream::Out, "two\n");
        QCOMPARE(rows.layOut(80), std::size_t{1});
        text.clear();
        rows.clear();
        QCOMPARE(rows.layOut(80), std::size_t{0});
        rows.setPaused(false);
        text.append(LogStream::Out, "one\ntwo\n");
        QCOMPARE(rows.layOut(80), std::size_t{2});
    }

    void aSelectionIsTheSameInBothDirections_data() {
        QTest::addColumn<bool>("isUpwards");
        QTest::newRow("downwards") << false;
        QTest::newRow("upwards") << true;
    }
    void aSelectionIsTheSameInBothDirections() {
        QFETCH(bool, isUpwards);
        LogText text;
        text.append(LogStream::Out, "alpha\nbeta\ngamma\n");
        LogRows rows(text);
        rows.layOut(80);
        LogSelection selection;
        QVERIFY(selection.text(rows, text).isEmpty());
        const LogSpot low{0, 2};
        const LogSpot high{2, 1};
        selection.begin(isUpwards ? high : low);
        QVERIFY(selection.inRow(0, 5).isEmpty());
        selection.extendTo(isUpwards ? low : high);
        QCOMPARE(selection.text(rows, text), QString("pha\nbeta\ng"));
        QCOMPARE(selection.inRow(0, 5).begin, qsizetype{2});
        QCOMPARE(selection.inRow(1, 4).end, qsizetype{5}); // its newline, too
        QCOMPARE(selection.inRow(2, 5).end, qsizetype{1});
        QVERIFY(selection.inRow(3, 5).isEmpty());
        selection.clear();
        QVERIFY(selection.text(rows, text).isEmpty());
    }

    void allOfNothingIsNothing() {
        const LogText text;
        const LogRows rows(text);
        LogSelection selection;
        selection.selectAll(rows, text);
        QVERIFY(selection.text(rows, text).isEmpty());
    }

    void anotherTextIsLookedForFromWhereTheLastOneWasFound() {
        LogText text;
        text.append(LogStream::Out, "alpha\nalpha beta\nalpha\n");
        LogSearch search(text);
        QCOMPARE(search.find("alpha", false), std::ptrdiff_t{0});
        QCOMPARE(search.find("alpha", false), std::ptrdiff_t{1});
        QCOMPARE(search.find("alpha b", false), std::ptrdiff_t{1}); // a letter more: the same line
        QCOMPARE(search.find("alpha", true), std::ptrdiff_t{1});
        QCOMPARE(search.find("alpha", true), std::ptrdiff_t{0});
        QCOMPARE(search.find("gamma", false), std::ptrdiff_t{-1});
        QCOMPARE(search.line(), std::ptrdiff_t{-1});
    }

    void thePinnedErrorIsTheSameLineWhenOlderOnesGo() {
        LogText text;
        const QByteArray piece(1 << 20, 'y');
        for (int i = 0; i < 30; ++i) text.append(LogStream::Out, piece + '\n');
        text.append(LogStream::Err, "error: here\n");
        LogSearch search(text);
        QCOMPARE(search.pinError(" "), std::ptrdiff_t{-1});
        const std::ptrdiff_t before = search.pinError(" error: here ");
        QVERIFY(search.isError(static_cast<std::size_t>(before)));
        for (int i = 0; i < 45; ++i) text.append(LogStream::Out, piece + '\n');
        QVERIFY(text.dropped() > 0);
        const std::ptrdiff_t after = text.find("error: here", 0);
        QVERIFY(after >= 0 && after < before);
        QVERIFY(search.isError(static_cast<std::size_t>(after)));
        QVERIFY(!search.isError(static_cast<std::size_t>(before)));
        search.clear();
        QVERIFY(!search.isError(static_cast<std::size_t>(after)));
    }

    void theViewFollowsTheEndUntilItIsScrolledAndAgainWhenAsked() {
        const Theme theme(nullptr);
        LogView view;
        view.resize(400, 200);
        view.show();
        for (int i = 0; i < 100; ++i) view.append(LogStream::Out, QByteArray::number(i) + '\n');
        QTRY_COMPARE_WITH_TIMEOUT(view.shownLines(), std::size_t{100}, yard::kWaitMs);
        QVERIFY(view.follows());
        QTest::keyClick(&view, Qt::Key_Home);
        QVERIFY(!view.follows());
        QTest::keyClick(&view, Qt::Key_End);
        QVERIFY(view.follows());
    }

    void aFilterShowsOnlyLinesThatHoldItAlsoThoseThatComeLater() {
        const Theme theme(nullptr);
        LogView view;
        view.append(LogStream::Out, "good\nbad 1\n");
        view.setFilter("bad");
        QCOMPARE(view.shownLines(), std::size_t{1});
        view.append(LogStream::Err, "bad 2\nfine\n");
        QTRY_COMPARE_WITH_TIMEOUT(view.shownLines(), std::size_t{2}, yard::kWaitMs);
    }

    void whilePausedWhatComesIsKeptAndNotShown() {
        const Theme theme(nullptr);
        LogView view;
        view.append(LogStream::Out, "one\n");
        QTRY_COMPARE_WITH_TIMEOUT(view.shownLines(), std::size_t{1}, yard::kWaitMs);
        view.setPaused(true);
        view.append(LogStream::Out, "two\n");
        QTRY_COMPARE_WITH_TIMEOUT(view.text().size(), std::size_t{2}, yard::kWaitMs);
        view.setWrap(true); // lays out again
        QCOMPARE(view.shownLines(), std::size_t{1});
        view.setPaused(false);
        QCOMPARE(view.shownLines(), std::size_t{2});
    }

    void selectionCopiesTextAcrossLines() {
        const Theme theme(nullptr);
        LogView view;
        view.resize(400, 200);
        view.append(LogStream::Out, "alpha\nbeta\n");
        view.finish(LogStream::Out);
        QTRY_COMPARE_WITH_TIMEOUT(view.shownLines(), std::size_t{2}, yard::kWaitMs);
        QTest::keyClick(&view, Qt::Key_A, Qt::ControlModifier);
        QCOMPARE(view.selectedText(), QString("alpha\nbeta"));
    }

    void controlFFindsInOutputWhereTheFocusIsAndIsThePagesElsewhere() {
        const Theme theme(nullptr);
        QWidget window;
        auto* column = new QVBoxLayout(&window);
        auto* elsewhere = new QLineEdit;
        auto* pane = new LogPane;
        column->addWidget(elsewhere);
        column->addWidget(pane);
        int asked = 0;
        const QShortcut shortcut(QKeySequence("Ctrl+F"), &window);
        connect(&shortcut, &QShortcut::activated, &window, [&] { ++asked; });
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        elsewhere->setFocus();
        QTest::keyClick(elsewhere, Qt::Key_F, Qt::ControlModifier);
        QCOMPARE(asked, 1);
        QVERIFY(!pane->isFinding());
        pane->view()->setFocus();
        QTest::keyClick(pane->view(), Qt::Key_F, Qt::ControlModifier);
        QCOMPARE(asked, 1);
        QVERIFY(pane->isFinding() && pane->findField()->hasFocus());
    }

    void closingFindEndsItsPause() {
        const Theme theme(nullptr);
        LogPane pane;
        pane.view()->append(LogStream::Out, "one\n");
        QTRY_COMPARE_WITH_TIMEOUT(pane.view()->shownLines(), std::size_t{1}, yard::kWaitMs);
        pane.openFind();
        auto* pause = pane.findChild<QCheckBox*>();
        QVERIFY(pause != nullptr);
        pause->setChecked(true);
        pane.view()->append(LogStream::Out, "two\n");
        pane.view()->setWrap(true); // lays out again
        QCOMPARE(pane.view()->shownLines(), std::size_t{1});
        pane.closeFind();
        QCOMPARE(pane.view()->shownLines(), std::size_t{2});
    }

    void f3GoesFromMatchToMatchAndEscClosesFind() {
        const Theme theme(nullptr);
        LogPane pane;
        pane.view()->append(LogStream::Out, "alpha\nbeta\nalpha\nalpha\n");
        pane.show();
        QVERIFY(QTest::qWaitForWindowActive(&pane));
        pane.view()->setFocus();
        QTest::keyClick(pane.view(), Qt::Key_F3); // there is nothing to find yet
        QVERIFY(pane.isFinding() && pane.findField()->hasFocus());
        QTest::keyClicks(pane.findField(), "alpha");
        QCOMPARE(pane.view()->foundLine(), std::ptrdiff_t{0});
        QTest::keyClick(pane.findField(), Qt::Key_Return);
        QCOMPARE(pane.view()->foundLine(), std::ptrdiff_t{2});
        QTest::keyClick(pane.view(), Qt::Key_F3);
        QCOMPARE(pane.view()->foundLine(), std::ptrdiff_t{3});
        QTest::keyClick(pane.findField(), Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(pane.view()->foundLine(), std::ptrdiff_t{2});
        QTest::keyClick(pane.findField(), Qt::Key_Escape);
        QVERIFY(!pane.isFinding() && pane.view()->hasFocus());
        QCOMPARE(pane.view()->foundLine(), std::ptrdiff_t{-1});
    }
};

QTEST_MAIN(TestLog)
#include "tst_log.moc"
