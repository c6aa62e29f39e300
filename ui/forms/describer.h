// Asks a worker's program for its functions: runs it once with --describe, in an empty directory, with a time limit
// and bounded output. Owner: ui thread, which never waits for it.
#pragma once

#include "ui/forms/worker_draft.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>
#include <chrono>
#include <functional>

namespace yard::ui {

struct DescribeLimits {
    std::chrono::milliseconds time{5'000};
    qint64 output = 256 << 10; ///< bytes; more ends it
};

class Describer final : public QObject {
    Q_OBJECT
public:
    explicit Describer(DescribeLimits limits = {}, QObject* parent = nullptr);
    ~Describer() override;
    /// What was asked before is ended. `done` is called once, later, unless another is asked or this goes.
    void ask(const QString& program, std::function<void(const Described&)> done);
    bool isAsking() const { return process_ != nullptr; }

private:
    void read();
    void end(const Described& answer);
    void kill();
    DescribeLimits limits_;
    QProcess* process_ = nullptr;
    QTimer patience_;
    QByteArray output_;
    std::unique_ptr<QTemporaryDir> directory_;
    std::function<void(const Described&)> done_;
};

} // namespace yard::ui
