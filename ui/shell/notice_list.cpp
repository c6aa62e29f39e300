#include "ui/shell/notice_list.h"

#include "ui/style/format.h"
#include "ui/style/icons.h"
#include "ui/style/paint.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/text_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QStyledItemDelegate>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr int kNoticeWidth = 460;
constexpr int kNoticeRow = 32;
constexpr int kNoticeRows = 12;
constexpr int kNoticeHead = 40;

QString iconOf(NoticeRule rule) {
    switch (rule) {
    case NoticeRule::QueueFinished: return "state-completed";
    case NoticeRule::FirstFailure: return "state-failed";
    case NoticeRule::WorkerLost: return "workers";
    case NoticeRule::GuardStopped: return "machines";
    case NoticeRule::DiskFull: return "save";
    case NoticeRule::ConnectionLost: return "unplug";
    case NoticeRule::Orphans: return "detach";
    case NoticeRule::Alert: return "bell";
    }
    return "bell";
}

std::optional<DisplayState> faceOf(const Notice& notice) {
    const NoticeRule rule = notice.rule;
    if (notice.face) return notice.face;
    if (rule == NoticeRule::QueueFinished) return DisplayState::Completed;
    if (rule == NoticeRule::FirstFailure) return DisplayState::Failed;
    return std::nullopt;
}

QString noticeTimeOf(const Notice& notice) {
    return Format().time(notice.at.toMSecsSinceEpoch() * 1'000, wallNow());
}

class NoticeDelegate final : public QStyledItemDelegate {
public:
    NoticeDelegate(const NoticesModel& model, QListView& list)
        : QStyledItemDelegate(&list)
        , model_(model)
        , list_(list) {}
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {0, scaled(kNoticeRow)};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Notice* notice = model_.notice(index.row());
        if (notice == nullptr) return;
        const Theme& theme = Theme::current();
        const bool chosen = index == list_.currentIndex();
        const bool hovered = (option.state & QStyle::State_MouseOver) != 0;
        const QColor under = theme(chosen ? Token::Selection : hovered ? Token::Bg3 : Token::Bg1);
        painter->fillRect(option.rect, under);
        const QRectF row = QRectF(option.rect).adjusted(14, 0, -14, 0);
        const QRectF icon(row.left(), row.top(), 14, row.height());
        if (const auto face = faceOf(*notice))
            icons::paintFace(*painter, icon, theme.scheme(), *face, 14, under);
        else
            icons::paint(*painter, icon, iconOf(notice->rule), 14, theme(Token::Text2));
        const QString time = noticeTimeOf(*notice);
        const qreal width = numberWidth(typeface(Type::Caption), time) + 8;
        paint::number(*painter, {row.right() - width, row.top(), width, row.height()}, time,
                      typeface(Type::Caption), theme(Token::Text3));
        paint::text(*painter, {row.left() + 24, row.top(), row.width() - 24 - width - 8, row.height()},
                    notice->text, typeface(notice->seen ? Type::Body : Type::Strong), theme(Token::Text1));
    }

private:
    const NoticesModel& model_;
    QListView& list_;
};

} // namespace

NoticesModel::NoticesModel(const Notices& notices, QObject* parent)
    : QAbstractListModel(parent)
    , notices_(notices) {
    connect(&notices_, &Notices::changed, this, [this] {
        beginResetModel();
        shown_.assign(notices_.all().rbegin(), notices_.all().rend());
        endResetModel();
    });
}

const Notice* NoticesModel::notice(int row) const {
    return row >= 0 && static_cast<std::size_t>(row) < shown_.size() ? &shown_[static_cast<std::size_t>(row)]
                                                                     : nullptr;
}

int NoticesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant NoticesModel::data(const QModelIndex& index, int role) const {
    const Notice* each = index.isValid() ? notice(index.row()) : nullptr;
    if (each == nullptr) return {};
    if (role == Qt::DisplayRole) return each->text;
    if (role == Qt::ToolTipRole) return plainTip(each->text);
    if (role == Qt::AccessibleTextRole) return each->text + ", " + noticeTimeOf(*each);
    return {};
}

NoticeList::NoticeList(QWidget& window, Notices& notices)
    : Popover(window, "notice-list")
    , notices_(notices)
    , model_(new NoticesModel(notices, this))
    , list_(new QListView) {
    setAccessibleName(tr("Notices"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    auto* head = new QWidget;
    head->setFixedHeight(scaled(kNoticeHead));
    auto* line = new QHBoxLayout(head);
    line->setContentsMargins(14, 0, 10, 0);
    line->setSpacing(8);
    line->addWidget(new Label(tr("Notices"), Type::Strong, Token::Text1));
    line->addStretch(1);
    auto* choose = new Button(Button::Kind::Small, tr("Choose what is told…"), {});
    auto* clear = new Button(Button::Kind::Small, tr("Clear"), {});
    auto* rules = new Button(Button::Kind::Small, tr("Alerts…"), {});
    rules->setObjectName("alert-rules");
    line->addWidget(rules);
    line->addWidget(choose);
    line->addWidget(clear);
    list_->setModel(model_);
    list_->setItemDelegate(new NoticeDelegate(*model_, *list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setMouseTracking(true);
    list_->setUniformItemSizes(true);
    list_->setSelectionMode(QAbstractItemView::SingleSelection);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setAccessibleName(tr("Notices"));
    list_->setFixedHeight(kNoticeRows * scaled(kNoticeRow));
    list_->viewport()->installEventFilter(this);
    setFocusProxy(list_);
    column->addWidget(head);
    column->addWidget(new Separator(Qt::Horizontal));
    column->addWidget(list_);
    connect(clear, &QAbstractButton::clicked, &notices_, &Notices::clear);
    connect(rules, &QAbstractButton::clicked, this, [this] {
        leave();
        emit rulesWanted();
    });
    connect(choose, &QAbstractButton::clicked, this, [this] {
        leave();
        emit opened("settings", "notifications");
    });
    connect(list_, &QListView::clicked, this, [this](const QModelIndex& index) { this->choose(index.row()); });
}

void NoticeList::toggle(QWidget* under) {
    if (isVisible()) return leave();
    under_ = under;
    list_->setCurrentIndex(model_->index(0, 0));
    enter(list_, under);
}

QRect NoticeList::placed() {
    if (under_ == nullptr) return geometry();
    const QPoint corner = under_->mapTo(&over(), QPoint(under_->width(), under_->height() + 6));
    const int width = std::min(scaled(kNoticeWidth), over().width() - 16);
    const int height =
        std::min(scaled(kNoticeHead) + 3 + kNoticeRows * scaled(kNoticeRow), over().height() - corner.y() - 8);
    list_->setFixedHeight(height - scaled(kNoticeHead) - 3);
    return {std::clamp(corner.x() - width, 8, over().width() - width - 8), corner.y(), width, height};
}

void NoticeList::choose(int row) {
    const Notice* found = model_->notice(row);
    if (found == nullptr) return;
    const Notice notice = *found;
    leave();
    emit opened(notice.page, notice.filter);
}

bool NoticeList::eventFilter(QObject* on, QEvent* event) {
    if (on == list_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter) return choose(list_->currentIndex().row()), true;
    }
    if (on == list_->viewport() && event->type() == QEvent::Paint && model_->rowCount() == 0) {
        QPainter painter(list_->viewport());
        paint::text(painter, QRectF(0, 0, list_->width(), scaled(3 * kNoticeRow)), tr("Nothing has happened"),
                    typeface(Type::Body), Theme::current()(Token::Text2), Qt::AlignHCenter);
    }
    return Popover::eventFilter(on, event);
}

void NoticeList::paintInside(QPainter& painter) {
    painter.fillRect(QRect(1, 1, width() - 2, scaled(kNoticeHead)), Theme::current()(Token::Bg2));
}

} // namespace yard::ui
