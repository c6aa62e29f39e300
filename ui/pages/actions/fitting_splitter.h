// Two parts beside each other where there is width, above each other where there is height. Owner: ui thread.
#pragma once

#include "ui/style/type.h"

#include <QSplitter>

#include <algorithm>
#include <array>

namespace yard::ui {

class FittingSplitter final : public QSplitter {
public:
    FittingSplitter() { setChildrenCollapsible(false); }

    /// The second part is the wide one or the narrow one. Each is as large as it was left.
    void setWide(bool wide) {
        if (wide == isWide_) return;
        if (isVisible()) kept_[isWide_ ? 1 : 0] = sizes();
        isWide_ = wide;
        place();
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QSplitter::resizeEvent(event);
        const auto fits = height() > width() ? Qt::Vertical : Qt::Horizontal;
        if (fits == orientation()) return;
        setOrientation(fits);
        kept_ = {};
        place();
    }

private:
    void place() {
        if (const QList<int>& kept = kept_[isWide_ ? 1 : 0]; !kept.isEmpty()) return setSizes(kept);
        const bool isBeside = orientation() == Qt::Horizontal;
        const int own = scaled(isBeside ? (isWide_ ? 540 : 300) : (isWide_ ? 400 : 260));
        setSizes({std::max(scaled(100), (isBeside ? width() : height()) - own), own});
    }

    bool isWide_ = true;
    std::array<QList<int>, 2> kept_; ///< narrow and wide; empty: as it comes
};

} // namespace yard::ui
