// Shows a LogText: numbered lines, colours, the first error marked; follows the end until it is scrolled away;
// find, filter, wrap, select and copy. Paints what is in view and nothing else. Which lines are shown, found and selected
// is known by LogRows, LogSearch and LogSelection; a line is painted by log_line_paint. Owner: ui thread.
#pragma once

#include "ui/log/log_search.h"
#include "ui/log/log_selection.h"
#include "ui/style/accessible_text.h"

#include <QAbstractScrollArea>
#include <QTimer>

namespace yard::ui {

class LogView final : public QAbstractScrollArea, public AccessibleText {
    Q_OBJECT
public:
    explicit LogView(QWidget* parent = nullptr);

    void clear();
    void append(LogStream stream, const QByteArray& bytes);
    void finish(LogStream stream);
    const LogText& text() const { return text_; }

    /// Marks the first line that holds this text, and shows it if the end is not followed.
    void markError(const QString& text);
    /// In place of lines while there are none.
    void setMessage(const QString& message);
    void setWrap(bool wrap);
    /// Only lines that hold this; empty: all.
    void setFilter(const QString& filter);
    std::size_t shownLines() const { return rows_.size(); }
    /// Highlights; the next one from where we are is scrolled to. False: there is none.
    bool find(const QString& text, bool backwards = false);
    /// Highlights this line of a stream, counted from 1, and scrolls to it, if it holds the text. `orElse`: if not, the
    /// first line that does. False: it is not there.
    bool showLine(LogStream stream, std::size_t number, const QString& text, bool orElse);
    /// That find() or showLine() came to last; -1: none.
    std::ptrdiff_t foundLine() const { return search_.line(); }
    /// While paused what comes is kept, and not shown.
    void setPaused(bool paused);
    bool follows() const { return follows_; }
    void followEnd();
    /// The first line in view, and what comes later does not move it.
    void showBeginning();
    QString selectedText() const { return selection_.text(rows_, text_); }
    /// Everything there is, as it came.
    QByteArray bytes() const;
    /// The lines in view, each with its number; of the first error line says so.
    QAccessible::Role spokenRole() const override { return QAccessible::List; }
    QString spokenValue() const override;
    std::vector<SpokenPart> spokenParts() const override;

signals:
    void changed();
    void followChanged(bool follows);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    int gutter() const;
    int columnsInView() const;
    void layOut();
    void soon();
    /// Other lines have the numbers of those before: what was made of numbers is forgotten.
    void renumber();
    void paintRow(QPainter& painter, std::size_t row, int y);
    /// Rows in view, from above, with where they begin.
    std::vector<std::pair<std::size_t, int>> rowsInView() const;
    QString emptyText() const;
    LogSpot spotAt(const QPoint& at) const;
    void scrollToLine(std::size_t line);

    LogText text_;
    LogRows rows_{text_};
    LogSearch search_{text_};
    LogSelection selection_;
    QString message_;
    QTimer later_;
    bool follows_ = true;
    bool laying_ = false;
};

} // namespace yard::ui
