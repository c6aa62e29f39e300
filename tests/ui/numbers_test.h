// What tests share that hold the numbers of the window against those of its engine: each is read from what is painted,
// and asked for past the window, again and again until both agree.
#pragma once

#include "tests/ui/operator_test.h"

#include <QRegularExpression>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace yard::test {

/// Where it stands, what is painted there, and what the engine's answer makes of it.
struct Number {
    QString where;
    QString painted;
    QString told;
};
using Numbers = std::vector<Number>;

/// Digits are painted one by one: gaps within a number say nothing.
inline QString squeezed(QString text) {
    static const QRegularExpression gaps("\\s+");
    return text.remove(gaps);
}

/// One that stands somewhere in a longer text.
inline Number within(const QString& where, const QString& text, const QString& told) {
    return {where, squeezed(text).contains(squeezed(told)) ? told : text, told};
}

class NumbersTest : public OperatorTest {
protected:
    // --- what the engine says

    QJsonObject get(const QString& path) { return ask("GET", path).json; }
    QJsonArray jobs(const QString& query) { return get("jobs?limit=500&" + query).value("jobs").toArray(); }
    qint64 totalOf(const QString& filter) {
        return get("jobs?count=1&limit=1&q=" + filter).value("total").toInteger(-1);
    }

    // --- pages

    template<class P>
    P* show(const QString& id) {
        if (window_->navigation().pageId() != id) window_->navigation().show(id);
        return qobject_cast<P*>(window_->navigation().page());
    }

    /// `look` reads the window and asks the engine, again and again until they agree. At least so many are compared.
    void agree(std::size_t least, const std::function<Numbers()>& look) {
        QStringList wrong;
        const auto isSo = [&] {
            wrong.clear();
            const Numbers numbers = look();
            if (numbers.size() < least)
                wrong << QStringLiteral("%1 numbers are shown, not %2").arg(numbers.size()).arg(least);
            for (const Number& each : numbers)
                if (squeezed(each.painted) != squeezed(each.told))
                    wrong << QStringLiteral("%1: \"%2\" is shown, the engine says \"%3\"")
                                 .arg(each.where, each.painted, each.told);
            return wrong.isEmpty();
        };
        QVERIFY2(QTest::qWaitFor(isSo, kSoon), qPrintable(wrong.join('\n')));
    }

    /// The cell, if its column is shown.
    static void addCell(Numbers& all, ui::Table* table, qint64 row, const QString& column, const QString& told) {
        const auto& columns = table->rows()->columns();
        const auto found = std::ranges::find(columns, column, &ui::Column::id);
        if (found == columns.end() || table->isColumnHidden(static_cast<int>(found - columns.begin()))) return;
        all.push_back({QStringLiteral("%1, row %2, %3").arg(table->accessibleName()).arg(row).arg(column),
                       paintedRow(table, row, column), told});
    }

    /// What is painted in a column of all rows of a table, in order; `sorted`: in the order of numbers instead.
    static QString columnText(ui::Table* table, const QString& column, bool sorted = false) {
        std::vector<std::pair<qint64, QString>> texts;
        for (int row = 0; row < table->rows()->rowCount(); ++row) {
            const QString text = paintedRow(table, table->rows()->idAt(row), column);
            texts.emplace_back(sorted ? QString(text).remove(',').toLongLong() : row, text);
        }
        std::ranges::sort(texts);
        QStringList all;
        for (const auto& [order, text] : texts) all << text;
        return all.join(' ');
    }
};

} // namespace yard::test
