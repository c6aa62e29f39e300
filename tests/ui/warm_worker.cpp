#include "tests/ui/warm_worker.h"
#include "tests/support/waiting.h"

#include <QCryptographicHash>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

namespace yard::test {

namespace {

constexpr const char* kWorker = R"(#!/usr/bin/env python3
import os, signal, sys, time
import yard_worker

@yard_worker.function()
def add(args, job):
    return args["a"] + args["b"]

@yard_worker.function()
def gate(args, job):
    while not os.path.exists(args):
        time.sleep(0.01)

@yard_worker.function()
def say(args, job):
    print(args, flush=True)
    print(args.upper(), file=sys.stderr, flush=True)

@yard_worker.function()
def die(args, job):
    os.kill(os.getpid(), signal.SIGKILL)

yard_worker.run()
)";

QString hashOf(const QByteArray& bytes) {
    return QString::fromLatin1(QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex());
}

bool isDone(ui::EngineLink& link, const std::function<void(ui::EngineLink::Done)>& send) {
    int status = -1;
    send([&](const ui::Answer& answer) { status = answer.status; });
    return QTest::qWaitFor([&] { return status >= 0; }, kWaitMs) && status == 200 &&
           link.state() == ui::LinkState::Connected;
}

} // namespace

QString registerWarmWorker(ui::EngineLink& link, const QString& name, const QString& version,
                           const QJsonObject& pool) {
    QFile kit(YARD_PYTHON_KIT);
    if (!kit.open(QIODevice::ReadOnly)) return {};
    const QTemporaryDir directory;
    QJsonArray files;
    const std::pair<QString, QByteArray> contents[] = {{"w.py", kWorker}, {"yard_worker.py", kit.readAll()}};
    for (const auto& [path, bytes] : contents) {
        QFile file(directory.filePath(path));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) return {};
        file.close();
        const QString hash = hashOf(bytes);
        if (!isDone(link, [&](ui::EngineLink::Done done) {
                link.sendFile({"PUT", "chunks/" + hash, {}, {}}, directory.filePath(path), &link, std::move(done));
            }))
            return {};
        files.append(QJsonObject{{"path", path}, {"hash", hash}, {"size", bytes.size()}, {"mode", "0755"}});
    }
    QJsonArray functions;
    for (const char* function : {"add", "gate", "say", "die"})
        functions.append(QJsonObject{{"name", function}, {"version", "1"}});
    // Members come out in order, numbers are whole: this is the canonical form.
    const QByteArray descriptor = QJsonDocument(QJsonObject{{"name", name},
                                                            {"version", version},
                                                            {"platform", "linux-x86_64"},
                                                            {"executable", "w.py"},
                                                            {"files", files},
                                                            {"functions", functions},
                                                            {"mode", "warm"},
                                                            {"pool", pool}})
                                      .toJson(QJsonDocument::Compact);
    const QString id = hashOf(descriptor);
    const bool good = isDone(link, [&](ui::EngineLink::Done done) {
        link.send({"POST", "workers/" + id, {}, descriptor}, &link, std::move(done));
    });
    return good ? id : QString();
}

} // namespace yard::test
