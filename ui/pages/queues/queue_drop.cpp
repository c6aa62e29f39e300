#include "ui/pages/queues/queue_drop.h"

#include "ui/state/action_file.h"
#include "ui/state/chunk_upload.h"
#include "ui/style/theme.h"

#include <QJsonObject>
#include <QMimeData>
#include <QPainter>
#include <QUrl>

#include <utility>

namespace yard::ui {

namespace {

/// 2 px in accent over the row; lets everything through.
class Frame final : public QWidget {
public:
    explicit Frame(QWidget* parent)
        : QWidget(parent) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setObjectName("drop-frame");
        hide();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setPen(QPen(Theme::current()(Token::Accent), 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
};

} // namespace

QueueDrop::QueueDrop(Context context, Table* table, std::function<qint64(qint64)> queueOf)
    : TableDrop(table)
    , context_(context)
    , table_(table)
    , queueOf_(std::move(queueOf))
    , frame_(new Frame(table->viewport())) {}

qint64 QueueDrop::queueAt(int row) const {
    const qint64 id = row < 0 ? 0 : table_->rows()->idAt(row);
    return id == 0 ? -1 : queueOf_(id);
}

/// Of files the first that is local; those that are no actions say so when their content is known.
void QueueDrop::enter(QDropEvent* event) {
    lsns_ = draggedActions(*event->mimeData(), context_.link.address().toString());
    file_.clear();
    count_ = static_cast<qint64>(lsns_.size());
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile() && file_.isEmpty() && url.path().contains(".json")) file_ = url.toLocalFile();
    if (lsns_.empty() && file_.isEmpty()) {
        event->ignore(); // the window may have use for it
        return;
    }
    if (lsns_.empty()) {
        count_ = -1;
        inBackground(
            this, [path = file_] { return readActions(path).actions.size(); },
            [this, number = ++reads_](qsizetype count) {
                if (number != reads_ || file_.isEmpty()) return;
                count_ = count;
                tell();
            });
    }
    move(event);
    event->acceptProposedAction(); // also between rows: else no move would be told
}

void QueueDrop::move(QDropEvent* event) {
    const int row = table_->indexAt(event->position().toPoint()).row();
    const bool good = queueAt(row) >= 0 && context_.state.isLive();
    if (row != target_) {
        target_ = good ? row : -1;
        frame_->setVisible(good);
        if (good) {
            const QRect area = table_->visualRect(table_->rows()->index(row, 0));
            frame_->setGeometry(0, area.top(), table_->viewport()->width(), area.height());
            frame_->raise();
            tell();
        }
    }
    if (good || !file_.isEmpty())
        event->acceptProposedAction();
    else
        event->ignore();
}

void QueueDrop::tell() {
    const qint64 queue = queueAt(target_);
    if (queue < 0) return;
    const QString name = context_.state.queueName(queue);
    const int count = static_cast<int>(count_);
    context_.window.say(!lsns_.empty() ? tr("Move %n action(s) to %1", nullptr, count).arg(name)
                        : count_ < 0   ? tr("Submit actions to %1").arg(name)
                                       : tr("Submit %n action(s) to %1", nullptr, count).arg(name));
}

void QueueDrop::leave() {
    target_ = -1;
    frame_->hide();
    file_.clear();
}

void QueueDrop::drop(QDropEvent* event) {
    move(event);
    const qint64 queue = queueAt(target_);
    const QString file = file_;
    leave();
    if (queue < 0 && file.isEmpty()) return event->ignore();
    event->acceptProposedAction();
    const QString name = context_.state.queueName(queue);
    // Only those that have not started move; the engine says of the others why.
    if (!lsns_.empty())
        return context_.commands.run(operations::moveTo(Target::of(std::exchange(lsns_, {})), queue, name));
    inBackground(
        this, [file] { return readActions(file); },
        [this, queue, name, file](const ActionFile& read) {
            // A descriptor is one wherever it is dropped.
            if (read.actions.size() == 1 && read.actions.first().toObject().contains("executable"))
                return context_.navigator.openRegister(file);
            if (queue < 0)
                return context_.window.say(tr("Drop a file with actions onto the queue that is to have them."));
            if (!read.problem.isEmpty()) return context_.window.say(read.problem, true);
            context_.commands.run(operations::submit(read.actions, queue, name));
        });
}

} // namespace yard::ui
