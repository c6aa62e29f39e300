// What is typed to find bars: words that label, worker or number have, and `state:failed`, `worker:`, `label:`,
// `lsn:`, `tries>1`, each with `-` before it for its opposite. A space is and, a comma or. Values.
#pragma once

#include "ui/timeline/lane.h"

#include <QStringList>
#include <vector>

namespace yard::ui::timeline {

class BarFilter {
public:
    BarFilter() = default;
    explicit BarFilter(const QString& text);

    bool isEmpty() const { return terms_.empty(); }
    /// What is wrong with it, for people; empty: nothing. A wrong term is left out.
    const QString& problem() const { return problem_; }
    bool matches(const Item& item, const QString& name, const QString& worker) const;
    /// It looks at names, which steps with several bars do not have.
    bool needsNames() const;

private:
    enum class Key : std::uint8_t { Word, State, Worker, Label, Lsn, Tries };
    struct Term {
        Key key = Key::Word;
        QStringList values; ///< one of them
        std::uint32_t above = 0;
        bool negated = false;
    };
    void add(QString term);
    static bool has(const Term& term, const Item& item, const QString& name, const QString& worker);
    std::vector<Term> terms_;
    QString problem_;
};

} // namespace yard::ui::timeline
