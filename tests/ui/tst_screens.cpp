// Every page at the sizes there are, in both languages: nothing is painted over something else, no number is cut,
// no text ends at an edge without saying so, nothing is blank; with work of all states, with none, and when the
// engine is lost.
#include "tests/ui/demo_load.h"
#include "tests/ui/painted.h"
#include "tests/ui/window_test.h"
#include "ui/log/log_view.h"
#include "ui/pages/timelines/timelines_page.h"
#include "ui/state/languages.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/filter_popup.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/table.h"

#include <QLineEdit>
#include <QPlainTextEdit>
#include <set>

using namespace yard;
using namespace yard::ui;
using test::Painted;
using test::Piece;

namespace {

const QSize kSizes[] = {{1'100, 700}, {1'280, 720}, {1'440, 900}, {2'560, 1'440}};

/// Ink, without what a line has above and below for others.
QRectF inkOf(const Piece& piece) {
    return (piece.area & piece.clip).adjusted(0, 3, 0, -3);
}

/// What may be longer than its place: it scrolls.
bool scrolls(const QWidget* at) {
    for (; at != nullptr; at = at->parentWidget())
        if (qobject_cast<const LogView*>(at) != nullptr || qobject_cast<const QLineEdit*>(at) != nullptr ||
            qobject_cast<const QPlainTextEdit*>(at) != nullptr)
            return true;
    return false;
}

QStringList flawsOf(QWidget& widget, const Painted& painted) {
    QStringList flaws;
    const auto& pieces = painted.pieces();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Piece& piece = pieces[i];
        if (piece.isCutNumber()) flaws << "a number is cut: " + piece.text;
        if (!piece.isWholeAcross() && !scrolls(widget.childAt(piece.area.center().toPoint())))
            flaws << QStringLiteral("ends at an edge: %1 (%2 of %3 px)")
                         .arg(piece.text)
                         .arg((piece.area & piece.clip).width())
                         .arg(piece.area.width());
        for (std::size_t k = i + 1; k < pieces.size(); ++k) {
            const QRectF both = inkOf(piece) & inkOf(pieces[k]);
            if (both.width() > 2 && both.height() > 2)
                flaws << QStringLiteral("one over the other: %1 and %2").arg(piece.text, pieces[k].text);
        }
    }
    return flaws;
}

/// Tables and charts in view of which nothing is said, not even by the head of their panel.
QStringList blankPartsOf(QWidget& window, const Painted& painted) {
    QStringList blank;
    const auto look = [&](const QWidget* part, const QString& name) {
        if (!part->isVisible() || part->visibleRegion().boundingRect().height() < 60) return;
        for (const QWidget* up = part; up != nullptr; up = up->parentWidget())
            if (qobject_cast<const Panel*>(up) != nullptr) part = up;
        const QRect place(part->mapTo(&window, QPoint()), part->size());
        if (painted.text(place & window.rect()).isEmpty()) blank << "blank: " + name;
    };
    for (const Table* table : window.findChildren<Table*>()) look(table->viewport(), table->accessibleName());
    for (const Chart* chart : window.findChildren<Chart*>()) look(chart, chart->accessibleName());
    return blank;
}

/// States that are there, of which a row says nothing but by an icon.
QStringList wordlessStates(QWidget& window) {
    QStringList wordless;
    for (const Table* table : window.findChildren<Table*>()) {
        if (!table->isVisible() || table->rows() == nullptr) continue;
        const int rows = std::min(table->rows()->rowCount(), 50);
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < table->rows()->columnCount(); ++column) {
                const Cell cell = table->rows()->cell(row, column);
                if (cell.face && cell.text.isEmpty()) wordless << table->accessibleName();
            }
    }
    return wordless;
}

std::size_t coloursOf(const QImage& image) {
    std::set<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3) colours.insert(image.pixel(x, y));
    return colours.size();
}

} // namespace

class TestScreens : public test::WindowTest {
    Q_OBJECT

    /// The page as it is after its answers have come.
    void go(const QString& page, const QString& filter = {}) {
        window_->navigation().show(page, filter);
        settle();
    }
    void settle() {
        const auto asked = [this] { return ask("GET", "session").ok(); };
        for (int i = 0; i < 3; ++i) QVERIFY(asked()); // what was asked before is here
        QTest::qWait(50);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    }
    QStringList flaws() {
        const Painted painted(*window_);
        QStringList all = flawsOf(*window_, painted) + blankPartsOf(*window_, painted) + wordlessStates(*window_);
        if (const auto* page = qobject_cast<TimelinesPage*>(window_->navigation().page())) {
            timeline::TimelineView* view = page->view();
            all += flawsOf(*view, Painted(*view, [view](QPainter& painter) { view->paintTo(painter); }));
        }
        return all;
    }
    void everyPageIsFlawless(const QString& how) {
        for (const QSize size : kSizes) {
            window_->resize(size);
            for (const PageSpec& spec : window_->navigation().pages()) {
                go(spec.id);
                QCOMPARE(window_->size(), size);
                const auto isGood = [this] { return flaws().isEmpty(); };
                if (QTest::qWaitFor(isGood, kSoon)) continue;
                qWarning().noquote() << how << spec.id << size << '\n' << flaws().join('\n');
                QTest::qFail(qPrintable(how + ' ' + spec.id), __FILE__, __LINE__);
            }
        }
    }

private slots:
    void initTestCase() { QVERIFY(start("screens", {"--capacity", "4"})); }
    void init() {
        QVERIFY(openWindow());
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    }
    void cleanup() { window_.reset(); }

    void whereThereIsNothingEveryPageSaysSo() { everyPageIsFlawless("empty"); }

    void withWorkNothingIsCutAndNothingLiesOverSomething_data() {
        QTest::addColumn<QString>("language");
        QTest::newRow("English") << "en";
        QTest::newRow("German") << "de";
    }
    void withWorkNothingIsCutAndNothingLiesOverSomething() {
        QFETCH(QString, language);
        Languages::choose(language);
        Languages languages;
        languages.install();
        window_.reset();
        QVERIFY(openWindow());
        if (ask("GET", "session").json.value("counts")["failed"].toInteger() == 0) {
            test::submitDemo(window_->engine().state()->link());
            QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->count(DisplayState::Failed) >= 4, kSoon);
        }
        everyPageIsFlawless(language);
        window_.reset(); // before its language goes
        Languages::choose("en");
    }

    void aDetailAndAnOpenFilterLieWhereTheyShould() {
        const QJsonArray failures = jobs("state=failed", 1);
        QCOMPARE(failures.size(), 1);
        const qint64 failed = failures[0]["lsn"].toInteger();
        for (const QSize size : kSizes) {
            window_->resize(size);
            for (const char* tab :
                 {"output", "inputs", "outputs", "command", "processor", "sandbox", "history", "json"}) {
                window_->navigation().showAction(failed, tab);
                settle();
                const auto isGood = [this] { return flaws().isEmpty(); };
                QVERIFY2(QTest::qWaitFor(isGood, kSoon), qPrintable(QString(tab) + '\n' + flaws().join('\n')));
            }
        }
        window_->resize(kSizes[1]);
        auto* field = window_->navigation().page()->findChild<FilterField*>();
        field->setFocus();
        QTest::keyClicks(field, "queue:");
        QTRY_VERIFY_WITH_TIMEOUT(field->popup() != nullptr && field->popup()->hasChoices(), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(Painted(*field->popup()).says("nightly-cook"), kSoon);
        const Painted popup(*field->popup());
        QVERIFY2(flawsOf(*field->popup(), popup).isEmpty(), qPrintable(flawsOf(*field->popup(), popup).join('\n')));
    }

    void noPageIsOneColour_data() {
        QTest::addColumn<int>("choice");
        QTest::newRow("dark") << static_cast<int>(Theme::Choice::Dark);
        QTest::newRow("light") << static_cast<int>(Theme::Choice::Light);
    }
    void noPageIsOneColour() {
        QFETCH(int, choice);
        theme_->choose(static_cast<Theme::Choice>(choice));
        for (const PageSpec& spec : window_->navigation().pages()) {
            go(spec.id);
            const QImage image = window_->navigation().page()->grab().toImage();
            QVERIFY2(coloursOf(image) > 20, qPrintable(spec.id));
            QCOMPARE(image.pixelColor(2, image.height() - 2).lightness() < 128,
                     static_cast<Theme::Choice>(choice) == Theme::Choice::Dark);
        }
    }

    /// Last: the engine is gone then.
    void whenTheEngineIsLostWhatWasShownStays() {
        std::map<QString, std::size_t> before;
        for (const PageSpec& spec : window_->navigation().pages()) {
            go(spec.id);
            before[spec.id] = Painted(*window_->navigation().page()).pieces().size();
        }
        engine_.kill();
        QTRY_VERIFY_WITH_TIMEOUT(
            window_->findChild<StatusBar*>("status-bar")->connectionText().startsWith("Reconnecting"), kSoon);
        for (const QSize size : kSizes) {
            window_->resize(size);
            for (const PageSpec& spec : window_->navigation().pages()) {
                window_->navigation().show(spec.id);
                QCoreApplication::processEvents();
                const Painted page(*window_->navigation().page());
                const QString words = spec.id + ": " + page.text();
                QVERIFY2(page.pieces().size() * 2 > before[spec.id], qPrintable(words));
                const auto cut = [this] { return flawsOf(*window_, Painted(*window_)); };
                QVERIFY2(QTest::qWaitFor([&] { return cut().isEmpty(); }, kSoon),
                         qPrintable(cut().join('\n') + words));
            }
        }
    }
};

QTEST_MAIN(TestScreens)
#include "tst_screens.moc"
