#include "ui/widgets/mark_menu.h"

#include "ui/style/paint.h"
#include "ui/style/theme.h"

#include <QCoreApplication>
#include <QInputDialog>
#include <QPainter>
#include <QPixmap>

namespace yard::ui {

namespace {

struct MarkMenu {
    Q_DECLARE_TR_FUNCTIONS(MarkMenu)
};

QIcon iconOf(Mark mark) {
    constexpr int kSide = 32; ///< shown at half of it
    QPixmap pixmap(kSide, kSide);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint::mark(painter, QPointF(kSide / 2.0, kSide / 2.0), kSide / 4.0, mark);
    return QIcon(pixmap);
}

} // namespace

QMenu* addMarkMenu(QMenu& menu, const std::function<void(Mark)>& choose) {
    QMenu* marks = menu.addMenu(MarkMenu::tr("Mark"));
    for (std::size_t i = 1; i < kMarks; ++i) {
        const auto mark = static_cast<Mark>(i);
        marks->addAction(iconOf(mark), wordOf(mark), marks, [choose, mark] { choose(mark); });
    }
    marks->addSeparator();
    marks->addAction(MarkMenu::tr("None"), marks, [choose] { choose(Mark::None); });
    return marks;
}

QString askForComment(QWidget* parent) {
    bool good = false;
    const QString text = QInputDialog::getMultiLineText(parent, MarkMenu::tr("Comment"),
                                                        MarkMenu::tr("What others should know of it"), {}, &good);
    return good ? text.trimmed() : QString();
}

} // namespace yard::ui
