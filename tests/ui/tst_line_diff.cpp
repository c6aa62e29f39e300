// Two texts beside each other: which lines stand beside which, and what is shown of them.
#include "tests/ui/painted.h"
#include "ui/log/diff_view.h"
#include "ui/log/text_cells.h"
#include "ui/pages/actions/compare_values.h"
#include "ui/style/theme.h"

#include <QJsonArray>
#include <QRandomGenerator>
#include <QScrollBar>
#include <QTest>

using namespace yard::ui;

class TestLineDiff : public QObject {
    Q_OBJECT

    using Lines = std::vector<QString>;

    static Lines linesOf(const QString& text) {
        Lines lines;
        for (const QString& line : text.split(' ', Qt::SkipEmptyParts)) lines.push_back(line);
        return lines;
    }
    /// "a -b +c": both, left alone, right alone; "-b|+c" beside each other.
    static QString told(const Lines& left, const Lines& right) {
        QStringList all;
        for (const DiffRow& row : diffOf(left, right).rows) {
            const QString mine = row.left < 0 ? QString() : left[static_cast<std::size_t>(row.left)];
            const QString theirs = row.right < 0 ? QString() : right[static_cast<std::size_t>(row.right)];
            QStringList sides;
            if (row.left >= 0) sides << '-' + mine;
            if (row.right >= 0) sides << '+' + theirs;
            all << (row.isSame ? mine : sides.join('|'));
        }
        return all.join(' ');
    }
    static DiffPart partOf(const Lines& left, const Lines& right) {
        return {"stdout", left, right, 0, 0, diffOf(left, right)};
    }

private slots:
    void linesStandBesideEachOther_data() {
        QTest::addColumn<QString>("left");
        QTest::addColumn<QString>("right");
        QTest::addColumn<QString>("rows");
        QTest::newRow("nothing") << "" << "" << "";
        QTest::newRow("the same") << "a b c" << "a b c" << "a b c";
        QTest::newRow("all new") << "" << "a b" << "+a +b";
        QTest::newRow("all gone") << "a b" << "" << "-a -b";
        QTest::newRow("one more") << "a c" << "a b c" << "a +b c";
        QTest::newRow("one less") << "a b c" << "a c" << "a -b c";
        QTest::newRow("one changed") << "a b c" << "a x c" << "a -b|+x c";
        QTest::newRow("two changed into one") << "a b c d" << "a x d" << "a -b|+x -c d";
        QTest::newRow("at the end") << "a b" << "a b c" << "a b +c";
        QTest::newRow("at the beginning") << "b c" << "a b c" << "+a b c";
        QTest::newRow("apart") << "a b c d e" << "a x c d y" << "a -b|+x c d -e|+y";
    }
    void linesStandBesideEachOther() {
        QFETCH(QString, left);
        QFETCH(QString, right);
        QFETCH(QString, rows);
        QCOMPARE(told(linesOf(left), linesOf(right)), rows);
    }

    void everyLineIsThereOnceInItsOrderAndSameIsTheSame() {
        QRandomGenerator random(7);
        for (int round = 0; round < 300; ++round) {
            Lines left;
            Lines right;
            for (Lines* lines : {&left, &right})
                for (int count = random.bounded(40); count > 0; --count)
                    lines->push_back(QString(QChar('a' + random.bounded(4))));
            std::int32_t nextLeft = 0;
            std::int32_t nextRight = 0;
            for (const DiffRow& row : diffOf(left, right).rows) {
                if (row.left >= 0) QCOMPARE(row.left, nextLeft++);
                if (row.right >= 0) QCOMPARE(row.right, nextRight++);
                if (row.isSame)
                    QCOMPARE(left[static_cast<std::size_t>(row.left)], right[static_cast<std::size_t>(row.right)]);
            }
            QCOMPARE(static_cast<std::size_t>(nextLeft), left.size());
            QCOMPARE(static_cast<std::size_t>(nextRight), right.size());
        }
    }

    void whatDiffersTooMuchIsSetBesideEachOtherAndSaysSo() {
        Lines left{"first"};
        Lines right{"first"};
        for (int i = 0; i < kMostDiffEdits; ++i) {
            left.push_back("l" + QString::number(i));
            right.push_back("r" + QString::number(i));
        }
        left.push_back("last");
        right.push_back("last");
        const LineDiff diff = diffOf(left, right);
        QVERIFY(!diff.isAligned);
        QCOMPARE(diff.rows.size(), left.size());
        QCOMPARE(diff.different, static_cast<std::size_t>(kMostDiffEdits));
        QVERIFY(diff.rows.front().isSame && diff.rows.back().isSame);
    }

    void thePartThatDiffersIsFound() {
        const Difference middle = differenceOf("abcXdef", "abcYYdef");
        QCOMPARE(middle.from, qsizetype{3});
        QCOMPARE(middle.left, qsizetype{1});
        QCOMPARE(middle.right, qsizetype{2});
        const Difference longer = differenceOf("aa", "aaa");
        QCOMPARE(longer.from + longer.left, qsizetype{2});
        QCOMPARE(longer.right, qsizetype{1});
        // Halves of a character are not apart: these differ in the second half of one.
        const QString one = QString::fromUcs4(U"x\U0001F600y");
        const QString other = QString::fromUcs4(U"x\U0001F601y");
        QCOMPARE(differenceOf(one, other).from, qsizetype{1});
        QCOMPARE(differenceOf(one, other).left, qsizetype{2});
    }

    // --- the view

    void equalLinesFoldAwayUnlessAllAreWanted() {
        const Theme theme(nullptr);
        DiffView view;
        view.setParts({partOf(linesOf("a b c d e f g h"), linesOf("a b c d e f g x"))});
        QCOMPARE(view.shownText(), QString("@ stdout: 1 line(s) differ\n@ 5 equal line(s)\n  f\n  g\n- h\n+ x\n"));
        view.setAll(true);
        QCOMPARE(view.shownText(),
                 QString("@ stdout: 1 line(s) differ\n  a\n  b\n  c\n  d\n  e\n  f\n  g\n- h\n+ x\n"));
    }

    void whatIsTheSameSaysSo() {
        const Theme theme(nullptr);
        DiffView view;
        view.setMessage("nothing yet");
        QCOMPARE(view.spokenValue(), QString("nothing yet"));
        view.setParts({partOf(linesOf("a b"), linesOf("a b")), partOf({}, {})});
        QCOMPARE(view.shownText(), QString("@ stdout: the same, 2 line(s)\n@ stdout: both wrote nothing\n"));
        view.clear();
        QCOMPARE(view.shownText(), QString());
    }

    void limitsAreSaid() {
        const Theme theme(nullptr);
        DiffView view;
        DiffPart part = partOf({"a"}, {"b"});
        part.leftFrom = 5;
        part.diff.isAligned = false;
        view.setParts({part});
        QVERIFY2(view.spokenValue().contains("only the last "), qPrintable(view.spokenValue()));
        QVERIFY2(view.spokenValue().contains("not aligned"), qPrintable(view.spokenValue()));
    }

    void aLongLineIsWrappedSoThatItsEndIsSeen() {
        const Theme theme(nullptr);
        DiffView view;
        view.resize(700, 400);
        const QString same(400, 'x');
        view.setParts({partOf({same + "L"}, {same + "R"})});
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QString words = yard::test::Painted(*view.viewport()).text();
        QVERIFY2(words.contains('L') && words.contains('R'), qPrintable(words));
        const auto spoken = view.spokenParts();
        QCOMPARE(spoken.size(), std::size_t{2});
        QVERIFY(spoken.back().value.contains('R'));
    }

    void cellsAreThoseOfATerminal() {
        QCOMPARE(cellsOf(U'a'), 1);
        QCOMPARE(cellsOf(U'\u00e9'), 1);
        QCOMPARE(cellsOf(U'\u0301'), 0); // an accent on what is before
        QCOMPARE(cellsOf(U'\u200d'), 0);
        QCOMPARE(cellsOf(U'\u03b1'), 1);
        QCOMPARE(cellsOf(U'\u65e5'), 2);
        QCOMPARE(cellsOf(U'\ud55c'), 2);
        QCOMPARE(cellsOf(U'\uff21'), 2);
        QCOMPARE(cellsOf(U'\U0001F600'), 2);
        QCOMPARE(cellsOf(U'\U00020000'), 2);
    }

    void aLineIsCutIntoRowsByItsCells() {
        using Starts = std::vector<qsizetype>;
        QCOMPARE(rowStartsOf(QString(), 10), Starts{0});
        QCOMPARE(rowStartsOf(QString(10, 'x'), 10), Starts{0});
        QCOMPARE(rowStartsOf(QString(11, 'x'), 10), (Starts{0, 10}));
        const QString wide(11, QChar(0x65e5));
        QCOMPARE(rowStartsOf(wide, 10), (Starts{0, 5, 10}));
        // What does not fit whole begins the next row.
        QCOMPARE(rowStartsOf("x" + wide, 10), (Starts{0, 5, 10}));
        // A mark stays with its character, and no character is cut in two.
        QCOMPARE(rowStartsOf(QString(10, 'x') + QChar(0x301) + 'y', 10), (Starts{0, 11}));
        const QString face = QString::fromUcs4(U"\U0001F600");
        QCOMPARE(rowStartsOf(face.repeated(6), 10), (Starts{0, 10}));
        for (const QString& line : {QString(), QString(25, 'x'), wide, "x" + wide, face.repeated(6)})
            QCOMPARE(rowCountOf(line, 10), static_cast<int>(rowStartsOf(line, 10).size()));
    }

    void aLineOfWideCharactersHasRoomForAllOfThem() {
        const Theme theme(nullptr);
        DiffView view;
        view.resize(700, 400);
        const auto heightOf = [&view](const QString& line) {
            view.setParts({partOf({line + "L"}, {line + "R"})});
            return view.spokenParts().back().area.height();
        };
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const int narrow = heightOf(QString(400, 'x'));
        const int wide = heightOf(QString(400, QChar(0x65e5)));
        QVERIFY2(wide > narrow * 3 / 2, qPrintable(QStringLiteral("%1 of %2").arg(wide).arg(narrow)));
    }

    void keysScroll() {
        const Theme theme(nullptr);
        DiffView view;
        view.resize(700, 100);
        Lines left;
        for (int i = 0; i < 200; ++i) left.push_back(QString::number(i));
        view.setParts({partOf(left, {})});
        view.show();
        QTest::keyClick(&view, Qt::Key_End);
        QCOMPARE(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
        QVERIFY(view.verticalScrollBar()->maximum() > 100);
        QTest::keyClick(&view, Qt::Key_Home);
        QCOMPARE(view.verticalScrollBar()->value(), 0);
    }

    // --- values

    void membersAreComparedOneByOne() {
        const auto values =
            comparedValues({{"argv", QJsonArray{"a"}}, {"env", QJsonObject{{"A", "1"}, {"B", "2"}}}},
                           {{"env", QJsonObject{{"A", "1"}, {"C", "3"}}}, {"worker", "exec"}});
        QStringList told;
        for (const ComparedValue& value : values)
            told << QStringLiteral("%1: %2 | %3").arg(value.what, value.left, value.right);
        QCOMPARE(told, (QStringList{"argv: [\"a\"] | ", "env A: 1 | 1", "env B: 2 | ", "env C:  | 3"}));
        // What is no object has no members.
        const auto kinds = comparedValues({{"args", 5}, {"x", QJsonArray{1}}}, {{"args", QJsonObject{}}});
        QCOMPARE(kinds.size(), std::size_t{2});
        QCOMPARE(kinds[0].left + '|' + kinds[0].right, QString("5|{}"));
        QCOMPARE(kinds[1].left + '|' + kinds[1].right, QString("[1]|"));
    }

    void longValuesBeginWhereTheyDiffer() {
        using Pair = std::pair<QString, QString>;
        QCOMPARE(aroundDifference("short a", "short b"), (Pair{"short a", "short b"}));
        QCOMPARE(aroundDifference("the same", "the same"), (Pair{"the same", "the same"}));
        const auto [left, right] = aroundDifference("[\"sh\",\"-c\",\"sleep 0.4\"]", "[\"sh\",\"-c\",\"exit 1\"]");
        QVERIFY(left.startsWith(u'…') && left.indexOf("sleep") <= 9);
        QVERIFY(right.startsWith(u'…') && right.indexOf("exit") <= 9);
    }
};

QTEST_MAIN(TestLineDiff)
#include "tst_line_diff.moc"
