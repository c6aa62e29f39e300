// Menus and questions that run a loop of their own, and who asked goes meanwhile.
#include "tests/support/waiting.h"
#include "ui/shell/question.h"
#include "ui/style/theme.h"
#include "ui/widgets/facts.h"
#include "ui/widgets/tabs.h"
#include "ui/widgets/transient.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QTest>
#include <QTimer>

#include <memory>

using namespace yard::ui;

class TestTransient : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

    /// Once it runs.
    static void whileItRuns(const std::function<void()>& act) { QTimer::singleShot(0, qApp, act); }

private slots:
    void initTestCase() { theme_ = std::make_unique<Theme>(nullptr); }

    void aMenuThatIsClosedIsThereUntilTheFunctionEnds() {
        QWidget page;
        QPointer<QMenu> seen;
        {
            Transient<QMenu> menu(&page);
            menu->addAction("Copy");
            seen = &*menu;
            whileItRuns([seen] { seen->close(); });
            QVERIFY(menu.run(QPoint()));
            QCOMPARE(menu->actions().size(), 1);
        }
        QVERIFY(seen.isNull());
    }

    void aMenuGoesWithItsPageWhileItIsOpen() {
        auto page = std::make_unique<QWidget>();
        Transient<QMenu> menu(page.get());
        menu->addAction("Copy");
        const QPointer<QMenu> seen(&*menu);
        bool wasOpen = false;
        whileItRuns([&] {
            wasOpen = seen->isVisible();
            page.reset();
        });
        QVERIFY(!menu.run(QPoint()));
        QVERIFY(wasOpen);
        QVERIFY(seen.isNull());
    }

    void aWidgetGoesWhileItsOwnMenuIsOpen() {
        auto facts = std::make_unique<Facts>();
        facts->set({{"Command", "true"}});
        facts->resize(400, 100);
        bool wasOpen = false;
        whileItRuns([&] {
            wasOpen = qobject_cast<QMenu*>(QApplication::activePopupWidget()) != nullptr;
            facts.reset();
        });
        QContextMenuEvent event(QContextMenuEvent::Mouse, QPoint(20, 10), QPoint(20, 10));
        QCoreApplication::sendEvent(facts.get(), &event);
        QVERIFY(wasOpen);
        QVERIFY(facts == nullptr);
    }

    void tabsGoWhileTheMenuOfThoseWithoutRoomIsOpen() {
        auto tabs = std::make_unique<Tabs>(QStringList{"Output", "Inputs", "Outputs", "Command", "Processor"});
        tabs->resize(tabs->sizeHint().width() / 2, tabs->height());
        QVERIFY(tabs->isBehindMore(4));
        bool wasOpen = false;
        whileItRuns([&] {
            wasOpen = qobject_cast<QMenu*>(QApplication::activePopupWidget()) != nullptr;
            tabs.reset();
        });
        QKeyEvent event(QEvent::KeyPress, Qt::Key_Down, Qt::NoModifier);
        QCoreApplication::sendEvent(tabs.get(), &event);
        QVERIFY(wasOpen);
        QVERIFY(tabs == nullptr);
    }

    void aDialogGoesWithItsWindow() {
        auto window = std::make_unique<QWidget>();
        Transient<QDialog> dialog(window.get());
        whileItRuns([&] { window.reset(); });
        QVERIFY(!dialog.run());
    }

    void aQuestionWhoseWindowGoesIsAnsweredWithNo() {
        auto window = std::make_unique<QWidget>();
        bool wasAsked = false;
        whileItRuns([&] {
            wasAsked = QApplication::activeModalWidget() != nullptr;
            window.reset();
        });
        QVERIFY(!askQuestion(window.get(), "Delete it?", "It is lost.", "Delete", "Keep it"));
        QVERIFY(wasAsked);
    }

    void dialogsOfAFormBelongToTheWindowThatStays() {
        QWidget window;
        QDialog form(&window);
        QWidget field(&form);
        QCOMPARE(field.window(), &form);
        QCOMPARE(lastingWindow(&field), &window);
        QCOMPARE(lastingWindow(&form), &window);
        QCOMPARE(lastingWindow(&window), &window);
    }

    void anAnswerComesOnlyToWhoIsThere() {
        auto page = std::make_unique<QObject>();
        QCOMPARE(answered(page.get(), [] { return QString("yes"); }), std::optional<QString>("yes"));
        const auto late = answered(page.get(), [&page] {
            page.reset();
            return QString("yes");
        });
        QVERIFY(!late.has_value());
    }
};

QTEST_MAIN(TestTransient)
#include "tst_transient.moc"
