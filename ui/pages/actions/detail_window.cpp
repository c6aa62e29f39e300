#include "ui/pages/actions/detail_window.h"

#include "ui/pages/actions/detail_panel.h"
#include "ui/style/format.h"

#include <QShortcut>

namespace yard::ui {

namespace {

constexpr int kOwnLookMs = 1'000;
constexpr int kTicksOfEnded = 10;
constexpr QSize kOwnSize{960, 620};

} // namespace

DetailWindow::DetailWindow(Context context, qint64 lsn, QWidget* parent)
    : QWidget(parent, Qt::Window)
    , context_(context)
    , panel_(new DetailPanel(context)) {
    setObjectName("detail-window");
    setAttribute(Qt::WA_DeleteOnClose);
    resize(scaled(kOwnSize.width()), scaled(kOwnSize.height()));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(panel_);
    connect(panel_, &DetailPanel::closed, this, &QWidget::close);
    connect(panel_, &DetailPanel::editWanted, this, &DetailWindow::editWanted);
    connect(panel_, &DetailPanel::rescheduleWanted, this,
            [this](qint64 which) { context_.commands.change(reschedulingOf(Target::of({which}))); });
    for (const auto& keys : {QKeySequence(Qt::Key_Escape), QKeySequence("Ctrl+W")})
        connect(new QShortcut(keys, this), &QShortcut::activated, this, &QWidget::close);
    for (int tab = 0; tab < DetailPanel::kTabs; ++tab)
        connect(new QShortcut(QKeySequence(QStringLiteral("Alt+%1").arg(tab + 1)), this), &QShortcut::activated,
                panel_, [this, tab] { panel_->setTab(tab); });
    const auto block = [this] {
        panel_->setRescheduleBlocked(context_.state.isLive() ? QString() : context_.state.whyBlocked());
    };
    connect(&context_.state, &EngineState::connectionChanged, this, block);
    block();
    panel_->setActive(true);
    panel_->showAction(lsn);
    every_.setInterval(kOwnLookMs);
    connect(&every_, &QTimer::timeout, this, &DetailWindow::look);
    every_.start();
    showTitle();
}

qint64 DetailWindow::lsn() const {
    return panel_->lsn();
}

ActionRow DetailWindow::action() const {
    return actionRowOf(panel_->action());
}

/// What has ended may be run again, or retired.
void DetailWindow::look() {
    showTitle();
    const bool hasEnded = !panel_->action().isEmpty() && action().isFinal();
    if (hasEnded && ++ticks_ < kTicksOfEnded) return;
    ticks_ = 0;
    panel_->onChanged(lsn());
}

void DetailWindow::showTitle() {
    const QString number = Format().number(lsn());
    const QString what = panel_->action().isEmpty() ? QString() : action().what();
    setWindowTitle(what.isEmpty() ? number : QStringLiteral("%1 %2").arg(number, what));
    setAccessibleName(windowTitle());
}

} // namespace yard::ui
