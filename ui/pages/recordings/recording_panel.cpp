#include "ui/pages/recordings/recording_panel.h"

#include "ui/bridge/recording_operations.h"
#include "ui/log/diff_view.h"
#include "ui/pages/recordings/unified_diff.h"
#include "ui/style/format.h"

#include <QJsonArray>
#include <QMenu>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace yard::ui {

RecordingPanel::RecordingPanel(Context context, QWidget* parent)
    : Panel({}, false, parent)
    , context_(context)
    , earlier_(new Button(Button::Kind::Small, tr("Earlier replays"), {}))
    , earlierMenu_(new QMenu(this))
    , again_(new Button(Button::Kind::Small, tr("Replay again"), "again"))
    , cancel_(new Button(Button::Kind::Small, tr("Cancel"), "close"))
    , close_(new Button(Button::Kind::Small, {}, "close"))
    , tabs_(new Tabs({tr("Differences"), tr("Actions")}))
    , stack_(new QStackedWidget)
    , rows_(new RowsModel(differenceColumns(), this))
    , table_(new Table("replay-differences"))
    , diff_(new DiffView)
    , actions_(new RecordedList(context)) {
    build();
    connect(close_, &QAbstractButton::clicked, this, &RecordingPanel::closed);
    connect(tabs_, &Tabs::chosen, this, [this] { showTab(); });
    connect(table_, &Table::selectionEdited, this, &RecordingPanel::onDifference);
    const auto open = [this](qint64 id) {
        const auto at = static_cast<std::size_t>(id - 1);
        if (at < found_.size() && found_[at].replayed > 0)
            context_.navigator.showAction(found_[at].replayed, "output");
    };
    connect(table_, &Table::opened, this, open);
    connect(table_, &Table::linkClicked, this, [open](qint64 id, int) { open(id); });
    connect(earlierMenu_, &QMenu::aboutToShow, this, &RecordingPanel::fillEarlier);
    connect(actions_, &RecordedList::noteChanged, this, [this] { tabs_->setNote(Actions, actions_->note()); });
}

void RecordingPanel::build() {
    setObjectName("pane");
    setIcon(QStringLiteral("recordings"));
    setTitleElides(true);
    close_->setAccessibleName(tr("Close"));
    earlier_->setMenu(earlierMenu_);
    for (Button* button : {earlier_, cancel_, again_, close_}) addToHead(button);
    table_->setRows(rows_);
    table_->setAccessibleName(tr("What a replay did otherwise"));
    auto* beside = new QSplitter(Qt::Horizontal);
    beside->setChildrenCollapsible(false);
    beside->addWidget(table_);
    beside->addWidget(diff_);
    beside->setStretchFactor(0, 1);
    beside->setStretchFactor(1, 1);
    stack_->addWidget(beside);
    stack_->addWidget(actions_);
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(tabs_);
    column->addWidget(new Separator(Qt::Horizontal));
    column->addWidget(stack_, 1);
    setBody(body);
}

void RecordingPanel::show(const RecordingInfo& recording, const std::vector<ReplayInfo>& replays, bool isOwn) {
    if (recording.name != recording_.name) clear();
    recording_ = recording;
    isOwn_ = isOwn;
    replays_.clear();
    std::ranges::copy_if(replays, std::back_inserter(replays_),
                         [&](const ReplayInfo& one) { return one.recording == recording.name; });
    showHead();
    showTab();
}

void RecordingPanel::clear() {
    ++question_;
    isAsking_ = false;
    chosen_ = 0;
    asked_.reset();
    recording_ = {};
    replays_.clear();
    found_.clear();
    rows_->setRows({});
    diff_->clear();
    actions_->clear();
}

const ReplayInfo* RecordingPanel::replay() const {
    if (replays_.empty()) return nullptr;
    const auto found = std::ranges::find(replays_, chosen_, &ReplayInfo::id);
    return found == replays_.end() ? &replays_.front() : &*found;
}

void RecordingPanel::choose(qint64 replay) {
    chosen_ = replay;
    showHead();
    showTab();
}

void RecordingPanel::setTab(int tab) {
    tabs_->setCurrent(tab);
    showTab();
}

void RecordingPanel::showHead() {
    const ReplayInfo* shown = replay();
    setTitle(shown == nullptr ? recording_.name : tr("Replay of %1").arg(recording_.name));
    words_ = shown == nullptr
                 ? tr("%Ln action(s), never replayed", nullptr, pluralCount(recording_.actions))
                 : replayWords(*shown, wallNow()) +
                       (shown->started > 0 ? QStringLiteral(", ") + Format().time(shown->started, wallNow())
                                           : QString());
    setNote(words_);
    earlier_->setVisible(replays_.size() > 1);
    cancel_->setVisible(shown != nullptr && shown->isRunning());
    again_->setText(shown == nullptr ? tr("Replay…") : tr("Replay again…"));
    tabs_->setNote(Differences, shown == nullptr ? QString() : Format().number(shown->different));
}

void RecordingPanel::showTab() {
    stack_->setCurrentIndex(tabs_->current());
    if (tabs_->current() == Differences) return ask();
    if (recording_.isRunning()) {
        actions_->clear();
        return actions_->table()->setMessage(tr("Stop the recording to see its actions"));
    }
    if (!recording_.name.isEmpty()) actions_->show(recording_.name, recording_.actions, isOwn_);
}

void RecordingPanel::fillEarlier() {
    earlierMenu_->clear();
    const Format format;
    for (const ReplayInfo& one : replays_)
        earlierMenu_->addAction(format.time(one.started, wallNow()) + QStringLiteral(": ") +
                                    replayWords(one, wallNow()),
                                this, [this, id = one.id] { choose(id); });
}

/// Of one that runs whenever there are more, one question at a time.
void RecordingPanel::ask() {
    const ReplayInfo* shown = replay();
    if (shown == nullptr) {
        table_->setMessage(tr("It was not replayed since the engine started"));
        diff_->setMessage({});
        return;
    }
    const bool isOther = !asked_ || asked_->id != shown->id;
    const bool hasMore = isOther || asked_->different != shown->different || asked_->state != shown->state;
    if (!hasMore || (isAsking_ && !isOther)) return;
    asked_ = *shown;
    if (isOther) {
        rows_->setRows({});
        table_->setMessage(tr("asking…"));
    }
    found_.clear();
    isAsking_ = true;
    askPage(shown->id, {}, 1, ++question_);
}

void RecordingPanel::askPage(qint64 replay, const QString& cursor, int page, quint64 question) {
    context_.link.send(operations::replayDifferences(replay, cursor), this,
                       [this, replay, page, question](const Answer& answer) {
                           if (question != question_) return;
                           if (!answer.ok()) {
                               isAsking_ = false;
                               if (answer.status == 0) asked_.reset(); // asked again with the next look
                               if (rows_->rowCount() == 0) table_->setMessage(answer.message);
                               return;
                           }
                           take(answer.json);
                           const QString next = answer.json.value("cursor").toString();
                           if (!next.isEmpty() && page < kMostPages)
                               return askPage(replay, next, page + 1, question);
                           isAsking_ = false;
                       });
}

void RecordingPanel::take(const QJsonObject& json) {
    for (const QJsonValue one : json.value("differences").toArray()) found_.push_back(differenceOf(one.toObject()));
    std::vector<Row> rows;
    rows.reserve(found_.size());
    for (const DifferenceInfo& one : found_) rows.push_back(differenceRow(one, std::ssize(rows) + 1));
    const bool isRunning = asked_ && asked_->isRunning();
    table_->setMessage(!rows.empty() ? QString()
                       : isRunning   ? tr("No difference until now")
                                     : tr("Nothing differs"));
    rows_->setRows(std::move(rows));
    onDifference();
}

void RecordingPanel::onDifference() {
    const auto ids = table_->selectedIds();
    const std::size_t at = ids.empty() ? found_.size() : static_cast<std::size_t>(ids.front() - 1);
    diff_->clear();
    if (at >= found_.size()) return diff_->setMessage(tr("Select a difference to see both sides"));
    const DifferenceInfo& one = found_[at];
    auto parts = partsOfUnified(one.diff, differenceSubject(one));
    if (parts.empty()) {
        DiffPart whole;
        whole.title = differenceSubject(one);
        whole.left = {one.recorded};
        whole.right = {one.replayed > 0 ? one.now : one.diff};
        whole.diff = diffOf(whole.left, whole.right);
        parts.push_back(std::move(whole));
    }
    diff_->setParts(std::move(parts));
}

} // namespace yard::ui
