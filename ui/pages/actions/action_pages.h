// A list of actions page after page: the first one, then the next one as often as it is asked for. Owner: ui thread, the
// model; lifetime: the model's, within that of the link.
//
// Bounds: kRows in a page, one question at a time; what was asked before the list began again is not taken.
#pragma once

#include "ui/bridge/engine_link.h"
#include "ui/state/action_row.h"

#include <QObject>
#include <QString>
#include <vector>

namespace yard::ui {

class ActionPages final : public QObject {
    Q_OBJECT
public:
    static constexpr int kRows = 200;

    explicit ActionPages(EngineLink& link, QObject* parent = nullptr);

    /// Begins again with this list. `sort` as the engine takes it; empty: newest first.
    void askFirst(const QString& filter, const QString& sort);
    /// Nothing while a page is asked for.
    void askNext();
    /// Nothing comes of what was asked for.
    void drop();
    bool isAsking() const { return asking_; }
    /// The page that came last was the last one.
    bool isAtEnd() const { return cursor_.isEmpty(); }

signals:
    /// `begins`: it is the first page.
    void came(const std::vector<ActionRow>& rows, bool begins);
    void failed(const QString& message);

private:
    void ask(bool begins);

    EngineLink& link_;
    QString filter_;
    QString sort_;
    QString cursor_;
    quint64 generation_ = 0; ///< answers to questions before are not taken
    bool asking_ = false;
};

} // namespace yard::ui
