#include "ui/log/log_line_paint.h"

#include "ui/style/paint.h"

#include <QFontMetricsF>

#include <algorithm>

namespace yard::ui {

namespace {

/// The colours of terminals are those of our states: no second palette.
QColor logColourOf(const Theme& theme, const LogStyle& style, const QColor& plain) {
    switch (style.colour < 0 ? -1 : style.colour % 8) {
    case 0: return theme(Token::Text3);
    case 1: return theme.inkOf(DisplayState::Failed);
    case 2: return theme.inkOf(DisplayState::Completed);
    case 3: return theme.inkOf(DisplayState::Retry);
    case 4: return theme.inkOf(DisplayState::Running);
    case 5: return theme.inkOf(DisplayState::Abandoned);
    case 6: return theme.inkOf(DisplayState::Submitting);
    case 7: return theme(style.colour > 7 ? Token::Text1 : Token::Text2);
    default: return plain;
    }
}

/// The characters of one line, in as many screen rows as they take.
class LineCells {
public:
    LineCells(QPainter& painter, const QString& text, const LinePlace& where)
        : painter_(painter)
        , text_(text)
        , where_(where)
        , columns_(where.columns > 0 ? where.columns : std::max<qsizetype>(1, text.size()))
        , advance_(logCharWidth()) {
        const QFontMetricsF metrics(typeface(Type::Mono));
        baseline_ = (logLineHeight() - metrics.height()) / 2 + metrics.ascent();
    }

    void fill(qsizetype begin, qsizetype end, const QColor& colour) {
        for (qsizetype at = begin; at < end;) {
            const qsizetype stop = rowEnd(at, end);
            painter_.fillRect(
                QRectF(placeOf(at), QSizeF(static_cast<double>(stop - at) * advance_, logLineHeight())), colour);
            at = stop;
        }
    }

    void draw(qsizetype begin, qsizetype length, const QColor& colour, const LogStyle& style) {
        QFont own = typeface(Type::Mono);
        if (style.bold) own.setWeight(QFont::DemiBold);
        own.setUnderline(style.underline);
        painter_.setPen(colour);
        painter_.setFont(own);
        for (qsizetype at = begin; at < begin + length;) {
            const qsizetype stop = rowEnd(at, begin + length);
            painter_.drawText(placeOf(at) + QPointF(0, baseline_), text_.sliced(at, stop - at));
            at = stop;
        }
    }

private:
    qsizetype rowEnd(qsizetype at, qsizetype end) const { return std::min(end, (at / columns_ + 1) * columns_); }
    QPointF placeOf(qsizetype column) const {
        const qsizetype row = column / columns_;
        return {where_.gutter + static_cast<double>(column % columns_) * advance_ - where_.shift,
                where_.y + static_cast<double>(row) * logLineHeight()};
    }

    QPainter& painter_;
    const QString& text_;
    const LinePlace& where_;
    qsizetype columns_;
    qreal advance_;
    qreal baseline_ = 0;
};

void paintLineBack(QPainter& painter, const PaintedLine& what, const LinePlace& where) {
    const Theme& theme = Theme::current();
    const QRect all(0, where.y, where.width, where.height);
    if (what.isError) {
        painter.fillRect(all, mixed(theme(Token::Lane), theme.fillOf(DisplayState::Failed), 0.2));
        painter.fillRect(QRect(0, where.y, 3, where.height), theme.inkOf(DisplayState::Failed));
    } else if (what.isFound && !what.found.isEmpty()) {
        painter.fillRect(all, theme(Token::SelectionDim));
    }
    paint::number(painter, QRectF(0, where.y, where.gutter - 12, logLineHeight()), what.number,
                  typeface(Type::Mono), theme(Token::Text3));
}

} // namespace

int logLineHeight() {
    return scaled(18);
}

qreal logCharWidth() {
    return QFontMetricsF(typeface(Type::Mono)).horizontalAdvance('0');
}

void paintLogLine(QPainter& painter, const PaintedLine& what, const LinePlace& where) {
    const Theme& theme = Theme::current();
    const LogLine& line = what.line;
    paintLineBack(painter, what, where);
    const QColor plain = what.isError                    ? theme.inkOf(DisplayState::Failed)
                         : what.stream == LogStream::Err ? theme(Token::Text1)
                                                         : theme(Token::Text2);
    painter.save();
    painter.setClipRect(QRect(where.gutter, where.y, where.width - where.gutter, where.height));
    LineCells cells(painter, line.text, where);
    if (!what.selected.isEmpty()) cells.fill(what.selected.begin, what.selected.end, theme(Token::Selection));
    if (!what.found.isEmpty())
        for (qsizetype at = line.text.indexOf(what.found, 0, Qt::CaseInsensitive); at >= 0;
             at = line.text.indexOf(what.found, at + 1, Qt::CaseInsensitive))
            cells.fill(at, at + what.found.size(), mixed(theme(Token::Lane), theme(Token::Accent), 0.35));
    qsizetype drawn = 0;
    for (const LogRun& run : line.runs) {
        cells.draw(drawn, run.begin - drawn, plain, {});
        cells.draw(run.begin, run.length, what.isError ? plain : logColourOf(theme, run.style, plain), run.style);
        drawn = run.begin + run.length;
    }
    cells.draw(drawn, line.text.size() - drawn, plain, {});
    painter.restore();
}

} // namespace yard::ui
