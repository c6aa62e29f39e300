// The console's prompt at a socket that is played: one that is not there, one with a long path, and which answers are shown.
// Its page over a link that is played: rows that stand still.
#include "core/base/unique_fd.h"
#include "tests/ui/played_page.h"
#include "ui/pages/console/console_page.h"
#include "ui/pages/console/console_prompt.h"
#include "ui/pages/console/inside_panels.h"
#include "ui/style/theme.h"
#include "ui/widgets/table.h"

#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QLocalServer>
#include <QLocalSocket>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <memory>
#include <utility>

using namespace yard;
using namespace yard::ui;

namespace {

/// A console that answers when it is told to.
class PlayedConsole {
public:
    explicit PlayedConsole(const QString& dataDir)
        : directory_(::open(QFile::encodeName(dataDir).constData(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
        server_.listen(QStringLiteral("/proc/self/fd/%1/backdoor.sock").arg(directory_.get()));
    }
    /// Whether this line is the next that was said.
    bool hears(const QByteArray& line) {
        return QTest::qWaitFor([&] {
                   if (guest_ == nullptr) guest_ = server_.nextPendingConnection();
                   if (guest_ == nullptr || !guest_->canReadLine()) return false;
                   heard_ = guest_->readLine().trimmed();
                   return true;
               }) &&
               heard_ == line;
    }
    void answer(const QByteArray& text = {}) {
        guest_->write(text + "\x04ok\n");
        guest_->flush();
    }
    /// Takes the guest in, as an engine does.
    bool greets() {
        if (!hears("#program")) return false;
        answer("An engine\nyard> ");
        return true;
    }
    void leave() { std::exchange(guest_, nullptr)->disconnectFromServer(); }

private:
    UniqueFd directory_;
    QLocalServer server_;
    QLocalSocket* guest_ = nullptr;
    QByteArray heard_;
};

QJsonObject threadsUpTo(int last) {
    QJsonArray threads;
    for (int number = 1; number <= last; ++number)
        threads << QJsonObject{{"number", number}, {"name", QString::number(number)}, {"state", "ready"}};
    return {{"threads", threads}};
}

bool showsText(const ConsolePrompt& prompt, const QString& text) {
    return QTest::qWaitFor([&] { return prompt.shown().contains(text); });
}

} // namespace

class TestConsolePrompt : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;
    QTemporaryDir place_;

private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("yardmaster-test-console-prompt");
        QSettings().clear();
        theme_ = std::make_unique<Theme>(nullptr);
        QVERIFY(place_.isValid());
    }

    void aConsoleThatIsNotThereIsSaid() {
        for (const QString& directory : {place_.path(), place_.filePath("missing")}) {
            ConsolePrompt prompt(directory);
            prompt.open();
            QVERIFY2(showsText(prompt, "cannot be opened"), qPrintable(prompt.shown()));
            // And so is it after every Enter.
            prompt.clear();
            QTest::keyClick(prompt.field(), Qt::Key_Return);
            QVERIFY2(showsText(prompt, "cannot be opened"), qPrintable(prompt.shown()));
        }
    }

    void aLongPathIsOpened() {
        const QString directory = place_.filePath(QString(150, 'd'));
        QVERIFY(QDir().mkdir(directory));
        PlayedConsole console(directory);
        ConsolePrompt prompt(directory);
        prompt.open();
        QVERIFY(console.greets());
        QVERIFY(console.hears("#read-only"));
        console.leave();
        QVERIFY2(showsText(prompt, "was closed"), qPrintable(prompt.shown()));
    }

    void anAnswerThatIsAwaitedIsShownWhateverIsToldMeanwhile() {
        PlayedConsole console(place_.path());
        ConsolePrompt prompt(place_.path());
        prompt.open();
        QVERIFY(console.greets());
        QVERIFY(console.hears("#read-only"));
        console.answer();
        QVERIFY(console.hears("help"));
        console.answer("threads  all of them\n");
        QTest::keyClicks(prompt.field(), "1");
        QTest::keyClick(prompt.field(), Qt::Key_Return);
        QVERIFY(console.hears("1"));
        prompt.setMayChange(true);
        QVERIFY(console.hears("#changes"));
        console.answer("the answer\n");
        console.answer("of the mode\n");
        QVERIFY2(showsText(prompt, "the answer"), qPrintable(prompt.shown()));
        QTest::keyClicks(prompt.field(), "2");
        QTest::keyClick(prompt.field(), Qt::Key_Return);
        QVERIFY(console.hears("2"));
        console.answer("the last\n");
        QVERIFY2(showsText(prompt, "the last"), qPrintable(prompt.shown()));
        QVERIFY(!prompt.shown().contains("of the mode"));
        QVERIFY(!prompt.shown().contains("all of them"));
        // What was said to one that went is not counted for the next.
        QTest::keyClicks(prompt.field(), "3");
        QTest::keyClick(prompt.field(), Qt::Key_Return);
        QVERIFY(console.hears("3"));
        console.leave();
        QVERIFY2(showsText(prompt, "was closed"), qPrintable(prompt.shown()));
        QTest::keyClicks(prompt.field(), "4");
        QTest::keyClick(prompt.field(), Qt::Key_Return);
        QVERIFY(console.greets());
        QVERIFY(console.hears("#changes"));
        console.answer();
        QVERIFY(console.hears("help"));
        console.answer("threads  all of them\n");
        QVERIFY(console.hears("4"));
        console.answer("to another one\n");
        QVERIFY2(showsText(prompt, "to another one"), qPrintable(prompt.shown()));
        QVERIFY(!prompt.shown().contains("all of them"));
    }

    void rowsThatStandStillAreTakenInWhenThatIsWanted() {
        test::PlayedContext played;
        ConsolePage page(played.context());
        page.resize(1'200, 700);
        page.show();
        page.setActive(true);
        const Table* table = page.panels()->table(InsidePanels::Tab::Threads);
        auto* badge = page.findChild<UpdatesBadge*>();
        QVERIFY(played.link.answer("inside/threads", threadsUpTo(2)));
        QCOMPARE(table->rows()->rowCount(), 2);
        page.panels()->table(InsidePanels::Tab::Threads)->selectId(1);
        page.panels()->setTab(InsidePanels::Tab::Threads); // asks again
        QVERIFY(played.link.answer("inside/threads", threadsUpTo(3)));
        QCOMPARE(table->rows()->rowCount(), 2);
        QVERIFY(badge->isVisible());
        page.takeUpdates();
        QCOMPARE(table->rows()->rowCount(), 3);
        QVERIFY(!badge->isVisible());
        QVERIFY(played.link.answer("inside/threads", threadsUpTo(4)));
        QCOMPARE(table->rows()->rowCount(), 3);
        // Of another table nothing waits.
        page.panels()->setTab(InsidePanels::Tab::Memory);
        QVERIFY(!badge->isVisible());
        page.panels()->setTab(InsidePanels::Tab::Threads);
        QVERIFY(badge->isVisible());
        QVERIFY(page.closeInnermost());
        QCOMPARE(table->rows()->rowCount(), 4);
        QVERIFY(!badge->isVisible());
        QVERIFY(!page.closeInnermost());
    }
};

QTEST_MAIN(TestConsolePrompt)
#include "tst_console_prompt.moc"
