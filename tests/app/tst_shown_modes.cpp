// What a program has set in a terminal and somebody who leaves it undoes (app/yardctl/shown_modes.h).
#include "app/yardctl/shown_modes.h"

#include <QTest>

using namespace yard::ctl;

class TestShownModes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsSetIsUndone_data() {
        QTest::addColumn<QByteArray>("written");
        QTest::addColumn<QByteArray>("undone");
        QTest::newRow("text") << QByteArray("hello \x1b[31mred\x1b[m\r\n") << QByteArray();
        QTest::newRow("vim") << QByteArray("\x1b[?1049h\x1b[>4;2m\x1b[?1h\x1b=\x1b[?2004h\x1b[?25l~")
                             << QByteArray("\x1b[?1l\x1b[?25h\x1b[?1049l\x1b[?2004l\x1b>\x1b[>4m\x1b[m");
        QTest::newRow("vim that has ended")
            << QByteArray("\x1b[?1049h\x1b[>4;2m\x1b[?2004h\x1b[?25l\x1b[?2004l\x1b[>4;m\x1b[?25h\x1b[?1049l")
            << QByteArray();
        QTest::newRow("several at once")
            << QByteArray("\x1b[?1000;1006;25h") << QByteArray("\x1b[?1000l\x1b[?1006l\x1b[m");
        QTest::newRow("all reset") << QByteArray("\x1b[?1049h\x1b"
                                                 "c")
                                   << QByteArray();
        QTest::newRow("no mode") << QByteArray("\x1b[?h\x1b[?xh\x1b[2J\x1b]0;title\x07\x1b[>0c\x1b(B")
                                 << QByteArray();
        QTest::newRow("not a sequence") << QByteArray("\x1b[?" + QByteArray(200, '1') + "h") << QByteArray();
    }
    void whatIsSetIsUndone() {
        QFETCH(QByteArray, written);
        QFETCH(QByteArray, undone);
        ShownModes whole;
        whole.take(written.toStdString());
        ShownModes again; // what is set again is the same
        again.take(whole.again());
        QCOMPARE(QByteArray::fromStdString(again.undo()), undone);
        QCOMPARE(QByteArray::fromStdString(whole.undo()), undone);
        QCOMPARE(whole.undo(), std::string()); // once
        ShownModes pieces;
        for (const char byte : written) pieces.take({&byte, 1});
        QCOMPARE(QByteArray::fromStdString(pieces.undo()), undone);
    }
    void whatWasUndoneIsSetAgainBackwards() {
        ShownModes modes;
        modes.take("\x1b[?1049h\x1b[>4;2m\x1b[?1h\x1b=\x1b[?25l");
        QCOMPARE(modes.again(), std::string("\x1b[?1049h\x1b[?25l\x1b[?1h\x1b=\x1b[>4;2m"));
        (void)modes.undo();
        QCOMPARE(modes.again(), std::string());
    }
};

QTEST_GUILESS_MAIN(TestShownModes)
#include "tst_shown_modes.moc"
