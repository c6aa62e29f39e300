#include "ui/forms/describer.h"

#include "core/base/open_files.h"

#include <csignal>
#include <unistd.h>
#include <utility>

namespace yard::ui {

Describer::Describer(DescribeLimits limits, QObject* parent)
    : QObject(parent)
    , limits_(limits) {
    patience_.setSingleShot(true);
    connect(&patience_, &QTimer::timeout, this, [this] {
        end({{},
             tr("It did not answer --describe within %n second(s).", nullptr,
                static_cast<int>(std::chrono::ceil<std::chrono::seconds>(limits_.time).count()))});
    });
}

Describer::~Describer() {
    kill();
}

void Describer::ask(const QString& program, std::function<void(const Described&)> done) {
    kill();
    output_.clear();
    done_ = std::move(done);
    directory_ = std::make_unique<QTemporaryDir>();
    process_ = new QProcess(this);
    process_->setProgram(program);
    process_->setArguments({"--describe"});
    process_->setWorkingDirectory(directory_->path());
    process_->setStandardInputFile(QProcess::nullDevice());
    process_->setStandardErrorFile(QProcess::nullDevice());
    // Its own group, so that what it starts ends with it.
    process_->setChildProcessModifier([] {
        ::setpgid(0, 0);
        restoreOpenFiles(0);
    });
    connect(process_, &QProcess::readyReadStandardOutput, this, &Describer::read);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            end({{}, tr("It cannot be started: %1").arg(process_->errorString())});
    });
    connect(process_, &QProcess::finished, this, [this] {
        read();
        if (process_ != nullptr) end(readDescription(output_));
    });
    patience_.start(limits_.time);
    process_->start();
}

void Describer::read() {
    if (process_ == nullptr) return;
    output_ += process_->read(limits_.output + 1 - output_.size());
    if (output_.size() > limits_.output) end({{}, tr("It wrote too much in answer to --describe.")});
}

void Describer::end(const Described& answer) {
    const auto done = std::exchange(done_, nullptr);
    kill();
    if (done) done(answer);
}

void Describer::kill() {
    patience_.stop();
    if (process_ == nullptr) return;
    QProcess* process = std::exchange(process_, nullptr);
    process->disconnect(this);
    if (const qint64 pid = process->processId(); pid > 0 && process->state() != QProcess::NotRunning)
        ::kill(static_cast<pid_t>(-pid), SIGKILL);
    // Deleting waits for its end, which comes at once after SIGKILL; not within its own signal.
    if (process->state() == QProcess::NotRunning)
        process->deleteLater();
    else
        connect(process, &QProcess::finished, process, &QObject::deleteLater);
}

} // namespace yard::ui
