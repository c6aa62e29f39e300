#include "ui/pages/console/console_prompt.h"

#include "ui/style/type.h"
#include "ui/widgets/text_view.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSettings>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kMostLinesShown = 5'000;
const QString kHistoryKey = QStringLiteral("console/history");

/// The first word of each line of `help`.
QStringList namesIn(const QString& help) {
    QStringList names;
    for (const QString& line : help.split('\n')) {
        qsizetype end = 0;
        while (end < line.size() && (line[end].isLetterOrNumber() || line[end] == '_')) ++end;
        if (end > 0 && !line.startsWith(QStringLiteral("Any "))) names << line.first(end);
    }
    names.sort();
    return names;
}

} // namespace

ConsolePrompt::ConsolePrompt(const QString& dataDir, QWidget* parent)
    : QWidget(parent)
    , dataDir_(dataDir)
    , line_(dataDir)
    , text_(textView(tr("What the console said")))
    , field_(new QLineEdit)
    , history_(QSettings().value(kHistoryKey).toStringList()) {
    at_ = history_.size();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    text_->setMaximumBlockCount(kMostLinesShown);
    column->addWidget(text_, 1);
    field_->setFont(typeface(Type::Mono));
    field_->setAccessibleName(tr("A line for the engine's console"));
    field_->setPlaceholderText(tr("help, threads, latency, queues() …"));
    field_->installEventFilter(this);
    column->addWidget(field_);
    setFocusProxy(field_);
    connect(&line_, &ConsoleLine::opened, this, [this] {
        help_.clear();
        tellMode();
        send(QStringLiteral("help"), true);
        if (!waits_.isEmpty()) say(std::exchange(waits_, {}));
    });
    connect(&line_, &ConsoleLine::heard, this, [this](const QString& text) {
        if (!hides_.empty() && hides_.front())
            help_ += text;
        else
            add(text);
    });
    connect(&line_, &ConsoleLine::answered, this, [this] {
        if (hides_.empty()) return;
        if (hides_.front()) names_ = namesIn(help_);
        hides_.pop_front();
    });
    connect(&line_, &ConsoleLine::closed, this, [this](const QString& why) {
        hides_.clear();
        waits_.clear(); // what did not get there is not said later
        add(why + '\n');
    });
    if (!isHere()) {
        field_->setEnabled(false);
        add(tr("The prompt is a socket of the engine's own machine: it is never reached over the network. On that "
               "machine run:") +
            QStringLiteral("\n\n    yardctl console\n"));
    }
}

void ConsolePrompt::open() {
    if (isHere()) line_.open();
}

QString ConsolePrompt::shown() const {
    return text_->toPlainText();
}

void ConsolePrompt::clear() {
    text_->clear();
}

void ConsolePrompt::setMayChange(bool may) {
    if (mayChange_ == may) return;
    mayChange_ = may;
    tellMode();
}

void ConsolePrompt::tellMode() {
    send(mayChange_ ? QStringLiteral("#changes") : QStringLiteral("#read-only"), true);
}

void ConsolePrompt::enter() {
    const QString line = field_->text();
    field_->clear();
    typed_.clear();
    if (!line.trimmed().isEmpty()) {
        history_.removeAll(line);
        history_ << line;
        while (history_.size() > kKeptLines) history_.removeFirst();
        QSettings().setValue(kHistoryKey, history_);
    }
    at_ = history_.size();
    if (line_.isOpen()) {
        say(line);
    } else {
        waits_ = line;
        line_.open();
    }
}

void ConsolePrompt::say(const QString& line) {
    // An empty one only ends what shows itself again and again.
    if (!line.trimmed().isEmpty()) add(QStringLiteral("yard> ") + line + '\n');
    send(line, false);
}

void ConsolePrompt::send(const QString& line, bool hides) {
    if (!line_.isOpen()) return;
    hides_.push_back(hides);
    line_.say(line);
}

void ConsolePrompt::add(const QString& text) {
    QScrollBar* bar = text_->verticalScrollBar();
    const bool follows = bar->value() >= bar->maximum() - 2;
    QTextCursor cursor(text_->document());
    cursor.movePosition(QTextCursor::End);
    cursor.insertText(text);
    if (follows) bar->setValue(bar->maximum());
}

void ConsolePrompt::recall(int step) {
    if (at_ == history_.size()) typed_ = field_->text();
    at_ = std::clamp<qsizetype>(at_ + step, 0, history_.size());
    field_->setText(at_ == history_.size() ? typed_ : history_[at_]);
}

void ConsolePrompt::complete() {
    const QString typed = field_->text();
    if (typed.isEmpty() || typed.contains(' ')) return;
    QStringList fit;
    for (const QString& name : names_)
        if (name.startsWith(typed)) fit << name;
    if (fit.isEmpty()) return;
    QString common = fit.front();
    for (const QString& name : fit)
        while (!name.startsWith(common)) common.chop(1);
    field_->setText(fit.size() == 1 ? common + ' ' : common);
    if (fit.size() > 1 && common == typed) add(fit.join(QStringLiteral("  ")) + '\n');
}

bool ConsolePrompt::eventFilter(QObject* watched, QEvent* event) {
    if (watched != field_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isPlain = (key->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
    if (!isPlain) return QWidget::eventFilter(watched, event);
    switch (key->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter: enter(); return true;
    case Qt::Key_Up: recall(-1); return true;
    case Qt::Key_Down: recall(1); return true;
    case Qt::Key_Tab:
        if (field_->text().isEmpty()) break; // it goes on to the next pane
        complete();
        return true;
    default: break;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace yard::ui
