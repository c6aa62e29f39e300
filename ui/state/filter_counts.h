// How many actions have a value of the filter language ("worker:texcook"), for those that a filter field offers:
// asked of the engine one after another, kept for a short while. Owner: ui thread; lives no longer than the link.
#pragma once

#include "ui/bridge/engine_link.h"

#include <QElapsedTimer>
#include <QHash>
#include <QStringList>
#include <deque>

namespace yard::ui {

class FilterCounts final : public QObject {
    Q_OBJECT
public:
    static constexpr qint64 kKeepMs = 10'000;
    static constexpr qsizetype kMostKept = 500;

    explicit FilterCounts(EngineLink& link, QObject* parent = nullptr);

    /// Of these the counts are wanted, and of no others any more.
    void want(const QString& key, const QStringList& values);
    /// -1: not known, or too many to be counted.
    qint64 of(const QString& key, const QString& value) const;

signals:
    /// Another one is known.
    void changed();

private:
    void askNext();
    struct Known {
        qint64 count = -1;
        qint64 at = 0; ///< ms
    };
    EngineLink& link_;
    QHash<QString, Known> known_; ///< by term
    std::deque<QString> wanted_;  ///< terms
    QElapsedTimer clock_;
    bool underWay_ = false;
};

} // namespace yard::ui
