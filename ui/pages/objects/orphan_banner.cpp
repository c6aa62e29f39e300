#include "ui/pages/objects/orphan_banner.h"

#include "ui/style/format.h"
#include "ui/style/icons.h"
#include "ui/style/paint.h"

#include <QPainter>

#include <algorithm>
#include <tuple>

namespace yard::ui {

namespace {

/// For a moment only, and nothing is wrong.
bool isPassing(const OrphanInfo& orphan) {
    return orphan.reason == "create_pending";
}

} // namespace

std::map<QString, QStringList> unclaimedStates(const OrchestratorInfo& orchestrator) {
    std::map<QString, QStringList> states;
    for (const OrphanInfo& orphan : orchestrator.orphans)
        if (!isPassing(orphan) && !states[orphan.type].contains(orphan.status))
            states[orphan.type] << orphan.status;
    return states;
}

OrphanBanner::OrphanBanner(QWidget* parent)
    : QWidget(parent)
    , count_(new Label({}, Type::Strong, Token::Text1))
    , why_(new Label({}, Type::Body, Token::Text2))
    , show_(new Button(Button::Kind::Small, {}, {})) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(44, 0, 16, 0);
    row->setSpacing(12);
    why_->setElides(true);
    row->addWidget(count_);
    row->addWidget(why_, 1);
    row->addWidget(show_);
    setFixedHeight(scaled(32));
    hide();
    connect(show_, &QAbstractButton::clicked, this, [this] { emit wanted(type_, status_); });
}

/// Of several kinds the one with most objects is told.
void OrphanBanner::show(const OrchestratorInfo& orchestrator) {
    using Kind = std::tuple<QString, QString, QString>;
    std::map<Kind, int> kinds;
    qint64 passing = 0;
    for (const OrphanInfo& orphan : orchestrator.orphans) {
        if (isPassing(orphan))
            ++passing;
        else
            ++kinds[{orphan.type, orphan.status, orphan.reason}];
    }
    const qint64 all = std::max<qint64>(0, orchestrator.orphanCount - passing);
    setVisible(!kinds.empty() && all > 0);
    if (kinds.empty()) return;
    const auto most = std::ranges::max_element(kinds, {}, [](const auto& kind) { return kind.second; });
    const auto& [type, status, reason] = most->first;
    type_ = type;
    status_ = status;
    count_->setText(tr("%Ln object(s) are claimed by no actor", nullptr, pluralCount(all)));
    why_->setText(tr("%1 in %2: %3").arg(unturned(type), unturned(status), orphanWords(reason)));
    show_->setText(tr("Show %1").arg(unturned(status)));
    setAccessibleName(count_->text());
    setAccessibleDescription(why_->text());
}

void OrphanBanner::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme(Token::Bg2));
    icons::paintFace(painter, QRectF(16, 0, 16, height()), theme.scheme(), DisplayState::Abandoned, 14,
                     theme(Token::Bg2));
    paint::hairline(painter, QPointF(0, height() - 0.5), QPointF(width(), height() - 0.5), theme(Token::Line));
}

} // namespace yard::ui
