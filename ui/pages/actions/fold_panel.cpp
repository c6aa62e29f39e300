#include "ui/pages/actions/fold_panel.h"

#include "ui/pages/actions/graph_tab.h"
#include "ui/pages/map_pane.h"
#include "ui/style/format.h"
#include "ui/style/paint.h"
#include "ui/widgets/button.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/tabs.h"

#include <QPainter>
#include <QStackedWidget>

#include <utility>

namespace yard::ui {

FoldPanel::FoldPanel(Context context, QWidget* parent)
    : QWidget(parent)
    , number_(new Label({}, Type::Strong, Token::Text1))
    , what_(new Label({}, Type::Body, Token::Text1))
    , tabs_(new Tabs({tr("Map"), tr("Graph")}))
    , stack_(new QStackedWidget)
    , map_(new MapPane(context))
    , graph_(new GraphTab(context)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHead());
    column->addWidget(makeTabRow());
    stack_->addWidget(map_);
    stack_->addWidget(graph_);
    column->addWidget(stack_, 1);
    setMinimumHeight(scaled(200));
    connect(tabs_, &Tabs::chosen, this, &FoldPanel::setTab);
}

QWidget* FoldPanel::makeHead() {
    auto* head = new Surface(Token::Bg1);
    head->setFixedHeight(scaled(40));
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(16, 0, 12, 0);
    row->setSpacing(8);
    what_->setElides(true);
    row->addWidget(number_);
    row->addWidget(what_, 1);
    auto* close = new Button(Button::Kind::Flat, {}, "close");
    close->setAccessibleName(tr("Close the panel"));
    close->setToolTip(tr("Esc"));
    row->addWidget(close);
    connect(close, &QAbstractButton::clicked, this, &FoldPanel::closed);
    return head;
}

QWidget* FoldPanel::makeTabRow() {
    auto* line = new QWidget;
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 12, 0);
    row->setSpacing(8);
    row->addWidget(tabs_);
    row->addStretch(1);
    std::vector<Legend::Entry> entries;
    for (const DisplayState face :
         {DisplayState::Pending, DisplayState::Held, DisplayState::Retry, DisplayState::Running,
          DisplayState::Completed, DisplayState::Failed, DisplayState::Abandoned, DisplayState::Cancelled})
        entries.push_back(Legend::of(face));
    row->addWidget(new Legend(std::move(entries)));
    return line;
}

void FoldPanel::show(const FoldedRow& row) {
    first_ = row.first;
    if (!row.isFold()) {
        map_->show({}, 1, -1);
        return graph_->show(0);
    }
    const Format format;
    const int count = pluralCount(row.count);
    number_->setText(format.number(row.first));
    what_->setText(QStringLiteral("%1, %2").arg(row.name, tr("%Ln action(s)", nullptr, count)));
    // Of an array the index of the first one is told by any of its elements.
    const qint64 base = row.action.index ? *row.action.index - (row.action.lsn - row.first) : 1;
    map_->show({.filter = row.filter(), .first = row.first, .count = row.count}, base, row.action.queue);
    graph_->show(row.first);
}

void FoldPanel::setTab(int tab) {
    tabs_->setCurrent(tab);
    stack_->setCurrentIndex(tab);
}

void FoldPanel::takeFocus() {
    stack_->currentWidget()->setFocus();
}

void FoldPanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paint::panelWithTabs(painter, rect(), tabs_->parentWidget()->geometry().bottom());
}

} // namespace yard::ui
