#include "ui/timeline/bar_filter.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace yard::ui::timeline {

namespace {

struct BarFilterWords {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

QString stateOf(const Item& item) {
    const auto word = item.retried ? name(DisplayState::Retry) : name(item.face);
    return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
}

} // namespace

BarFilter::BarFilter(const QString& text) {
    static const QRegularExpression words(QStringLiteral(R"(-?(?:[a-z]+[:>])?"[^"]*"|\S+)"));
    for (auto at = words.globalMatch(text); at.hasNext();) add(at.next().captured());
}

void BarFilter::add(QString term) {
    Term made;
    if (term.startsWith('-') && term.size() > 1) {
        made.negated = true;
        term.remove(0, 1);
    }
    term.remove('"');
    static const QRegularExpression keyed(QStringLiteral(R"(^([a-z]+)([:>])(.*)$)"));
    if (const auto match = keyed.match(term); match.hasMatch()) {
        const QString key = match.captured(1);
        term = match.captured(3);
        if (term.isEmpty()) return; // being typed
        if (key == "state") {
            made.key = Key::State;
        } else if (key == "worker") {
            made.key = Key::Worker;
        } else if (key == "label") {
            made.key = Key::Label;
        } else if (key == "lsn") {
            made.key = Key::Lsn;
        } else if (key == "tries" && match.captured(2) == ">") {
            made.key = Key::Tries;
            made.above = term.toUInt();
        } else {
            problem_ =
                BarFilterWords::tr("There is no key %1 here; there are state, worker, label, lsn and tries>.")
                    .arg(key);
            return;
        }
    }
    made.values = term.split(',', Qt::SkipEmptyParts);
    if (!made.values.isEmpty()) terms_.push_back(std::move(made));
}

bool BarFilter::has(const Term& term, const Item& item, const QString& name, const QString& worker) {
    if (term.key == Key::Tries) return item.attempt > term.above;
    return std::ranges::any_of(term.values, [&](const QString& value) {
        switch (term.key) {
        case Key::State: return stateOf(item).startsWith(value, Qt::CaseInsensitive);
        case Key::Worker: return worker.contains(value, Qt::CaseInsensitive);
        case Key::Label: return name.contains(value, Qt::CaseInsensitive);
        case Key::Lsn: return QString::number(item.lsn) == value;
        case Key::Word:
        case Key::Tries: break;
        }
        return name.contains(value, Qt::CaseInsensitive) || worker.contains(value, Qt::CaseInsensitive) ||
               QString::number(item.lsn) == value;
    });
}

bool BarFilter::matches(const Item& item, const QString& name, const QString& worker) const {
    return std::ranges::all_of(terms_,
                               [&](const Term& term) { return has(term, item, name, worker) != term.negated; });
}

bool BarFilter::needsNames() const {
    return std::ranges::any_of(terms_, [](const Term& term) {
        return term.key == Key::Word || term.key == Key::Label || term.key == Key::Tries;
    });
}

} // namespace yard::ui::timeline
