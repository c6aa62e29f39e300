// Shows a LogText: numbered lines, colours, the first error marked; follows the end until it is scrolled away;
// find, filter, wrap, select and copy. Paints what is in view and nothing else. Owner: ui thread.
#pragma once

#include "ui/log/log_text.h"
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
    bool wraps() const { return wrap_; }
    /// Only lines that hold this; empty: all.
    void setFilter(const QString& filter);
    std::size_t shownLines() const;
    /// Highlights; the next one from where we are is scrolled to. False: there is none.
    bool find(const QString& text, bool backwards = false);
    /// Highlights this line of a stream, counted from 1, and scrolls to it, if it holds the text. `orElse`: if not, the
    /// first line that does. False: it is not there.
    bool showLine(LogStream stream, std::size_t number, const QString& text, bool orElse);
    /// That find() or showLine() came to last; -1: none.
    std::ptrdiff_t foundLine() const { return foundLine_; }
    /// While paused what comes is kept, and not shown.
    void setPaused(bool paused);
    bool follows() const { return follows_; }
    void followEnd();
    /// The first line in view, and what comes later does not move it.
    void showBeginning();
    QString selectedText() const;
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
    struct Spot {
        std::ptrdiff_t row = -1; ///< among what is shown
        qsizetype column = 0;
        auto operator<=>(const Spot&) const = default;
    };
    int lineHeight() const;
    int gutter() const;
    qreal charWidth() const;
    int columnsInView() const;
    std::size_t lineAt(std::size_t row) const;
    int rowsOf(std::size_t line) const;
    void index();
    void layOut();
    void soon();
    void paintRow(QPainter& painter, std::size_t row, int y);
    /// Rows in view, from above, with where they begin.
    std::vector<std::pair<std::size_t, int>> rowsInView() const;
    bool isError(std::size_t line) const;
    std::ptrdiff_t rowAtY(int y) const;
    Spot spotAt(const QPoint& at) const;
    void scrollToLine(std::size_t line);

    LogText text_;
    QString message_;
    QString filter_;
    QString found_;
    QString error_;
    std::ptrdiff_t errorLine_ = -1;   ///< as LogText counts, dropped ones included
    std::vector<std::uint32_t> kept_; ///< lines that pass the filter
    std::size_t indexed_ = 0;         ///< lines looked at for kept_
    std::vector<std::uint32_t> tops_; ///< with wrap: the first visual row of each
    std::ptrdiff_t foundLine_ = -1;
    Spot from_;
    Spot to_;
    QTimer later_;
    std::size_t shownSize_ = 0; ///< while paused
    bool wrap_ = false;
    bool paused_ = false;
    bool follows_ = true;
    bool laying_ = false;
};

} // namespace yard::ui
