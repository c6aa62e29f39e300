// The first error line of a group, in one line, with what is masked on the colour of a selection. Owner: ui thread.
#pragma once

#include "ui/pages/failures/failure_groups.h"

#include <QWidget>

namespace yard::ui {

class MaskedLine final : public QWidget {
    Q_OBJECT
public:
    explicit MaskedLine(QWidget* parent = nullptr);
    void show(const QString& line);
    using QWidget::show;
    const std::vector<LinePiece>& pieces() const { return pieces_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<LinePiece> pieces_;
};

} // namespace yard::ui
