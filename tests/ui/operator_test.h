// What tests share that drive the window as an operator does: gestures, which are counted, and reading of what is
// painted. A gesture is a click, a shortcut, or something typed with Enter. A test begins with gestures_ at 0.
#pragma once

#include "tests/ui/painted.h"
#include "tests/ui/window_test.h"
#include "ui/shell/palette.h"
#include "ui/shell/rail.h"
#include "ui/widgets/table.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <functional>

namespace yard::test {

class OperatorTest : public WindowTest {
protected:
    // --- gestures

    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        ++gestures_;
        QWidget* to = QApplication::focusWidget();
        QTest::keyClick(to != nullptr ? to : window_.get(), key, modifiers);
    }
    void click(QWidget* widget, const QPoint& at) {
        ++gestures_;
        QTest::mouseClick(widget, Qt::LeftButton, {}, at);
    }
    static QPoint middleOf(const ui::Table* table, qint64 id, int column) {
        return table->visualRect(table->rows()->index(table->rows()->rowOf(id), column)).center();
    }
    /// A row that is further down is scrolled to.
    static bool isBroughtIntoView(ui::Table* table, qint64 id, int column) {
        const int row = table->rows()->rowOf(id);
        if (row >= 0) table->scrollTo(table->rows()->index(row, column));
        return !shownRow(table, id).isEmpty();
    }
    void clickRow(ui::Table* table, qint64 id, int column = 1) {
        QVERIFY2(isBroughtIntoView(table, id, column), qPrintable("no row " + QString::number(id)));
        click(table->viewport(), middleOf(table, id, column));
    }
    void clickRail(const QString& title) {
        for (auto* item : window_->findChildren<ui::RailItem*>())
            if (item->accessibleName().startsWith(title)) return click(item, item->rect().center());
        QFAIL(qPrintable("no page " + title));
    }
    /// Where the keys go now, with Enter.
    void typeEnter(const QString& text) {
        ++gestures_;
        QTest::keyClicks(QApplication::focusWidget(), text);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    }
    /// Ctrl+K, the words, Enter, once the best row is the one meant.
    void palette(const QString& words, const std::function<bool(const ui::PaletteEntry&)>& meant) {
        press(Qt::Key_K, Qt::ControlModifier);
        ++gestures_;
        auto* palette = window_->findChild<ui::Palette*>("palette");
        QTest::keyClicks(palette->field(), words);
        const auto isBest = [&] {
            const ui::PaletteEntry* entry = palette->model()->entry(palette->list()->currentIndex().row());
            return entry != nullptr && meant(*entry);
        };
        QTRY_VERIFY_WITH_TIMEOUT(isBest(), kSoon);
        QTest::keyClick(palette->field(), Qt::Key_Return);
    }
    void rightClickRow(ui::Table* table, qint64 id, int column = 1) {
        QVERIFY2(isBroughtIntoView(table, id, column), qPrintable("no row " + QString::number(id)));
        ++gestures_;
        QWidget* rows = table->viewport();
        const QPoint at = middleOf(table, id, column);
        QTest::mousePress(rows, Qt::RightButton, {}, at);
        QContextMenuEvent event(QContextMenuEvent::Mouse, at,
                                rows->mapToGlobal(at)); // the offscreen platform sends none
        QCoreApplication::sendEvent(rows, &event);
    }
    /// The menu that opens next, whenever that is: what opens it may wait for its row to be painted. Ends with the
    /// window.
    void withNextMenu(const std::function<void(QMenu*)>& then) {
        auto* poll = new QTimer(window_.get());
        QObject::connect(poll, &QTimer::timeout, poll, [poll, then] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (menu == nullptr) return;
            poll->stop();
            poll->deleteLater();
            then(menu);
        });
        poll->start(10);
    }
    /// The menu that opens next gets a click on this entry.
    void clickInMenu(const QString& text) {
        withNextMenu([this, text](QMenu* menu) {
            for (QAction* action : menu->actions())
                if (action->text() == text) return click(menu, menu->actionGeometry(action).center());
            menu->close();
            QFAIL(qPrintable("the menu has no " + text));
        });
    }

    // --- what is shown

    static QString shown(QWidget* widget) { return widget->isVisible() ? Painted(*widget).text() : QString(); }
    /// A row of a table; with a column that cell alone. Waits until the row is painted: a page that was just opened is
    /// laid out later than its rows are there. Empty: it does not come into view.
    static QString shownRow(ui::Table* table, qint64 id, const QString& column = {}) {
        if (!QTest::qWaitFor([&] { return !paintedRow(table, id, {}).isEmpty(); }, kSoon)) return {};
        return paintedRow(table, id, column);
    }
    /// The same, as it is at this moment.
    static QString paintedRow(ui::Table* table, qint64 id, const QString& column) {
        const ui::TableModel* rows = table->rows();
        const int row = rows->rowOf(id);
        if (row < 0 || !table->isVisible()) return {};
        QRect area;
        for (int i = 0; i < rows->columnCount(); ++i)
            if (column.isEmpty() || rows->columns()[static_cast<std::size_t>(i)].id == column)
                area |= table->visualRect(rows->index(row, i));
        return Painted(*table->viewport()).text(area);
    }
    /// The same words, or their beginning as far as there is room.
    static bool isOf(const QString& shown, const QString& whole) {
        if (!shown.endsWith(u'…')) return shown == whole;
        return shown.size() > 24 && whole.startsWith(shown.chopped(1));
    }
    static QString grouped(qint64 number) { return QLocale().toString(number); }

    int gestures_ = 0;
};

} // namespace yard::test
