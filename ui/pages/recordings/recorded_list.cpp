#include "ui/pages/recordings/recorded_list.h"

#include "ui/bridge/recording_operations.h"
#include "ui/pages/recordings/recording_values.h"
#include "ui/style/format.h"
#include "ui/widgets/text_view.h"

#include <QJsonDocument>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

#include <utility>

namespace yard::ui {

RecordedList::RecordedList(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , rows_(new RowsModel(recordedColumns(), this))
    , table_(new Table("recorded-actions"))
    , text_(textView(tr("The action as it was posted and as it ended"))) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    auto* beside = new QSplitter(Qt::Horizontal);
    beside->setChildrenCollapsible(false);
    table_->setRows(rows_);
    table_->setObjectName("pane");
    table_->setAccessibleName(tr("Actions of the recording"));
    beside->addWidget(table_);
    beside->addWidget(text_);
    beside->setStretchFactor(0, 3);
    beside->setStretchFactor(1, 2);
    column->addWidget(beside);
    connect(table_, &Table::selectionEdited, this, &RecordedList::onSelection);
    connect(table_, &Table::opened, this, [this](qint64 id) {
        const auto found = lines_.find(id);
        if (found == lines_.end() || !isOwn_) return;
        const QJsonObject line = QJsonDocument::fromJson(found->second).object();
        if (const qint64 lsn = line.value("result").toObject().value("lsn").toInteger(); lsn > 0)
            context_.navigator.showAction(lsn);
    });
}

void RecordedList::clear() {
    stream_.reset();
    recording_.clear();
    rest_.clear();
    read_.clear();
    lines_.clear();
    bytes_ = 0;
    isFull_ = false;
    rows_->setRows({});
    text_->clear();
    if (!std::exchange(note_, {}).isEmpty()) emit noteChanged();
}

void RecordedList::show(const QString& recording, qint64 actions, bool isOwn) {
    if (recording == recording_ && actions == actions_) return;
    clear();
    recording_ = recording;
    actions_ = actions;
    isOwn_ = isOwn;
    table_->setMessage(tr("Reading the recording…"));
    stream_ = context_.link.stream(
        operations::recordedActions(recording), [this](const QByteArray& piece) { take(piece); },
        [this](const Answer& answer) { end(answer); });
}

void RecordedList::take(const QByteArray& piece) {
    if (isFull_) return;
    rest_ += piece;
    qsizetype from = 0;
    for (qsizetype end = rest_.indexOf('\n'); end >= 0 && !isFull_; end = rest_.indexOf('\n', from)) {
        takeLine(rest_.mid(from, end - from));
        from = end + 1;
    }
    rest_.remove(0, from);
    if (rest_.size() > kMostBytes) stopAt(tr("an action has more text than is shown here"));
}

void RecordedList::takeLine(const QByteArray& line) {
    const QJsonDocument json = QJsonDocument::fromJson(line);
    if (!json.isObject()) return stopAt(tr("the engine sent what is no recording"));
    Row row = recordedRow(json.object());
    row.id = std::ssize(read_) + 1;
    bytes_ += line.size();
    lines_.emplace(row.id, line);
    read_.push_back(std::move(row));
    if (std::ssize(read_) < kMostRows && bytes_ <= kMostBytes) return;
    if (std::ssize(read_) != actions_) // also of one that sends more than it said
        stopAt(tr("%1 of %2").arg(Format().number(std::ssize(read_)), Format().number(actions_)));
}

/// The stream goes later: it may be the one that calls.
void RecordedList::stopAt(const QString& note) {
    isFull_ = true;
    rest_.clear();
    note_ = note;
    QTimer::singleShot(0, this, [this] {
        if (!isFull_) return; // another recording is shown by now
        stream_.reset();
        refill();
    });
    emit noteChanged();
}

void RecordedList::end(const Answer& answer) {
    if (isFull_) return;
    if (answer.ok()) return refill();
    if (answer.status == 0) recording_.clear(); // asked again when it is shown again
    table_->setMessage(answer.message);
}

void RecordedList::refill() {
    table_->setMessage(read_.empty() ? tr("The recording has no actions") : QString());
    rows_->setRows(std::exchange(read_, {}));
}

void RecordedList::onSelection() {
    const auto ids = table_->selectedIds();
    const auto found = ids.empty() ? lines_.end() : lines_.find(ids.front());
    text_->setPlainText(
        found == lines_.end() ? QString() : unturned(jsonText(QJsonDocument::fromJson(found->second).object())));
}

QString RecordedList::text() const {
    return text_->toPlainText();
}

} // namespace yard::ui
