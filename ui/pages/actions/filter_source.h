// What the filter of the Actions page offers behind each key: what is known without asking, names of locks, and how
// many actions have what is offered just now. Owner: ui thread; lives no longer than the link.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/filter_counts.h"
#include "ui/state/filter_words.h"

#include <QElapsedTimer>
#include <QSet>

namespace yard::ui {

class ActionsModel;

class FilterSource final : public QObject {
    Q_OBJECT
public:
    static constexpr qint64 kLocksMs = 5'000; ///< between two questions for locks, while somebody writes
    static constexpr qsizetype kMostLocks = 500;

    FilterSource(Context context, const ActionsModel& model, QObject* parent = nullptr);

    /// Asked with each letter.
    FilterValues values();
    /// These are offered: their counts are wanted.
    void onOffered(const QString& key, const QStringList& values);

signals:
    /// Values, or counts of them, are others.
    void changed();

private:
    void askLocks();
    Context context_;
    const ActionsModel& model_;
    FilterCounts counts_;
    QSet<QString> locks_; ///< that were held or waited for since the page is there
    QElapsedTimer asked_;
};

} // namespace yard::ui
