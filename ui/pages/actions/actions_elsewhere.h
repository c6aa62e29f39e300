// What the page Actions opens beside itself: windows of single actions, and the search in outputs. Owner: ui thread;
// lifetime: the page's, within that of its context. At most kMostWindows windows; beyond that it says so.
#pragma once

#include "ui/log/log_text.h"
#include "ui/pages/page.h"

namespace yard::ui {

class DetailWindow;
class OutputSearch;

class ActionsElsewhere final : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kMostWindows = 16;

    /// Windows and the search are children of `page`.
    ActionsElsewhere(Context context, QWidget& page)
        : QObject(&page)
        , context_(context)
        , page_(page) {}

    /// The action in a window of its own, or the one that there is to the front.
    void openWindow(qint64 lsn);
    QList<DetailWindow*> windows() const;
    void searchIn(const Target& where);
    /// Null: it was not wanted yet.
    OutputSearch* search() const { return search_; }

signals:
    /// A line of an output that holds `text` was chosen.
    void lineWanted(qint64 lsn, LogStream stream, qint64 line, const QString& text);

private:
    Context context_;
    QWidget& page_;
    OutputSearch* search_ = nullptr;
};

} // namespace yard::ui
