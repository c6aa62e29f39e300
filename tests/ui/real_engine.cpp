#include "tests/ui/real_engine.h"

#include "tests/support/waiting.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QRandomGenerator>
#include <QTest>

#include <csignal>
#include <sys/prctl.h>

namespace yard::test {

namespace {

QByteArray lineOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readLine().trimmed() : QByteArray();
}

} // namespace

/// Outside the range that clients' connections take theirs from, so that it is free again after a kill.
bool RealEngine::start() {
    if (port_ != 0) return startOn(port_);
    for (int tries = 0; tries < 20; ++tries)
        if (startOn(static_cast<quint16>(QRandomGenerator::global()->bounded(20'000, 32'000)))) return true;
    return false;
}

bool RealEngine::startOn(quint16 port) {
    const QString address = directory_.filePath("address");
    QFile::remove(address);
    process_.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    const QStringList always{"--headless",      "--no-sandbox", "--data-dir",
                             directory_.path(), "--listen",     QStringLiteral("127.0.0.1:%1").arg(port),
                             "--log-level",     "error"};
    // Named locks are those of the whole machine: without a directory of its own it would wait for other tests.
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_RUNTIME_DIR", directory_.path());
    process_.setProcessEnvironment(environment);
    // A test that is ended from outside leaves nothing that runs on.
    process_.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
    process_.start(YARDMASTER_PATH, always + arguments_);
    if (!process_.waitForStarted()) return false;
    if (!QTest::qWaitFor([&] { return !lineOf(address).isEmpty() || process_.state() == QProcess::NotRunning; },
                         kWaitMs))
        return false;
    if (lineOf(address).isEmpty()) return false;
    port_ = port;
    return true;
}

void RealEngine::kill() {
    process_.kill();
    process_.waitForFinished();
}

void RealEngine::standStill() {
    ::kill(static_cast<pid_t>(process_.processId()), SIGSTOP);
}

void RealEngine::goOn() {
    ::kill(static_cast<pid_t>(process_.processId()), SIGCONT);
}

QUrl RealEngine::address() const {
    const bool secure = arguments_.contains("--tls-cert");
    return QStringLiteral("%1://127.0.0.1:%2/compute").arg(secure ? "https" : "http").arg(port_);
}

QByteArray RealEngine::fingerprint() const {
    QFile file(directory_.filePath("address"));
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().split('\n').value(1) : QByteArray();
}

QByteArray RealEngine::token() const {
    return lineOf(directory_.filePath("token"));
}

Relay::Relay(quint16 to)
    : to_(to) {
    connect(&server_, &QTcpServer::newConnection, this, &Relay::onConnection);
    setOpen(true);
    port_ = server_.serverPort();
}

QUrl Relay::address() const {
    return QStringLiteral("http://127.0.0.1:%1/compute").arg(port_);
}

void Relay::onConnection() {
    QTcpSocket* near = server_.nextPendingConnection();
    auto* far = new QTcpSocket(near);
    connect(near, &QTcpSocket::readyRead, far, [near, far] { far->write(near->readAll()); });
    connect(far, &QTcpSocket::readyRead, near, [near, far] { near->write(far->readAll()); });
    connect(far, &QTcpSocket::disconnected, near, &QTcpSocket::disconnectFromHost);
    connect(near, &QTcpSocket::disconnected, far, &QTcpSocket::disconnectFromHost);
    far->connectToHost(QHostAddress::LocalHost, to_);
    pairs_.emplace_back(near, far);
}

void Relay::cut() {
    for (const auto& [near, far] : pairs_) {
        near->abort();
        near->deleteLater();
    }
    pairs_.clear();
}

void Relay::setOpen(bool open) {
    if (open)
        server_.listen(QHostAddress::LocalHost, port_);
    else
        server_.close();
}

} // namespace yard::test
