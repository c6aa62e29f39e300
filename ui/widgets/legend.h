// Words with a block of colour before each: what a bar or a line means. Owner: ui thread.
#pragma once

#include "ui/style/tokens.h"

#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

QT_BEGIN_NAMESPACE
class QPainter;
class QRectF;
QT_END_NAMESPACE

namespace yard::ui {

class Legend final : public QWidget {
    Q_OBJECT
public:
    struct Entry {
        QString text;
        std::function<void(QPainter&, const QRectF&)> block; ///< paints 10 x 8
    };
    explicit Legend(std::vector<Entry> entries, QWidget* parent = nullptr);
    /// A face as progress bars show it.
    static Entry of(DisplayState face);
    static Entry filled(const QString& text, std::function<QColor()> colour);
    /// As many as there is need of, if one is too narrow; 1 at first.
    void setMostLines(int lines);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    /// Of an entry, without the gap behind it.
    static int widthOf(const Entry& entry);
    std::vector<Entry> entries_;
    int lines_ = 1;
};

} // namespace yard::ui
