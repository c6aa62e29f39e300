#include "ui/pages/console/console_line.h"

#include <QFile>

#include <fcntl.h>
#include <utility>

namespace yard::ui {

namespace {
constexpr char kAnswerEnd = '\x04';
}

ConsoleLine::ConsoleLine(const QString& dataDir, QObject* parent)
    : QObject(parent)
    , dataDir_(dataDir) {
    // What it greets with is the first answer; it is left out.
    connect(&socket_, &QLocalSocket::connected, this, [this] { socket_.write("#program\n"); });
    connect(&socket_, &QLocalSocket::readyRead, this, &ConsoleLine::onBytes);
    connect(&socket_, &QLocalSocket::errorOccurred, this, [this] { problem_ = socket_.errorString(); });
    // Also where it was never connected.
    connect(&socket_, &QLocalSocket::stateChanged, this, [this](QLocalSocket::LocalSocketState state) {
        if (state == QLocalSocket::UnconnectedState) onEnd();
    });
}

/// The socket closes last, when nobody can be told any more.
ConsoleLine::~ConsoleLine() {
    socket_.disconnect(this);
}

void ConsoleLine::open() {
    if (socket_.state() != QLocalSocket::UnconnectedState) return;
    kept_.clear();
    problem_.clear();
    // By way of an open directory: a socket's address has 107 characters only.
    directory_ = UniqueFd(::open(QFile::encodeName(dataDir_).constData(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    socket_.connectToServer(QStringLiteral("/proc/self/fd/%1/backdoor.sock").arg(directory_.get()));
}

void ConsoleLine::say(const QString& line) {
    if (!isOpen_) return;
    socket_.write(line.toUtf8() + '\n');
}

void ConsoleLine::onBytes() {
    kept_ += socket_.readAll();
    for (;;) {
        const qsizetype end = kept_.indexOf(kAnswerEnd);
        if (end != 0) tell(kept_.first(end < 0 ? kept_.size() : end));
        kept_.remove(0, end < 0 ? kept_.size() : end);
        // Behind it a word says how the line went; the answer has said so to people.
        const qsizetype line = kept_.indexOf('\n');
        if (line < 0) return;
        kept_.remove(0, line + 1);
        shown_ = 0;
        if (isOpen_) {
            emit answered();
        } else {
            isOpen_ = true;
            emit opened();
        }
    }
}

void ConsoleLine::tell(const QByteArray& bytes) {
    if (!isOpen_ || shown_ > kMostShown) return;
    QString text = decoder_(bytes);
    shown_ += text.size();
    if (shown_ > kMostShown) text += QLatin1Char('\n') + tr("(the rest is left out)") + QLatin1Char('\n');
    if (!text.isEmpty()) emit heard(text);
}

void ConsoleLine::onEnd() {
    const bool wasOpen = std::exchange(isOpen_, false);
    shown_ = 0;
    directory_.reset();
    emit closed(wasOpen ? tr("The console was closed. Enter opens it again.")
                        : tr("The engine's console cannot be opened: %1. Enter tries again.").arg(problem_));
}

} // namespace yard::ui
