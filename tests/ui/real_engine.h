// A real headless engine on loopback, and a relay in front of it whose cables can be cut. For tests of the window.
#pragma once

#include <QByteArray>
#include <QProcess>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QUrl>
#include <vector>

namespace yard::test {

/// The program yardmaster with a data directory of its own; killed when destroyed.
class RealEngine {
public:
    RealEngine() = default;
    ~RealEngine() { kill(); }
    RealEngine(const RealEngine&) = delete;
    RealEngine& operator=(const RealEngine&) = delete;

    /// Given to the program besides those it always gets; before start().
    void setArguments(const QStringList& arguments) { arguments_ = arguments; }
    /// Waits until it serves; again on the same port after a kill().
    bool start();
    void kill();
    /// Stands still, as a machine that is out of memory does, until it goes on.
    void standStill();
    void goOn();
    QString directory() const { return directory_.path(); }
    QUrl address() const;
    quint16 port() const { return port_; }
    QByteArray token() const;
    /// Of its TLS, as it wrote it down; empty: plain HTTP.
    QByteArray fingerprint() const;

private:
    bool startOn(quint16 port);
    QTemporaryDir directory_;
    QProcess process_;
    QStringList arguments_;
    quint16 port_ = 0;
};

/// Passes bytes on both ways.
class Relay : public QObject {
public:
    explicit Relay(quint16 to);
    QUrl address() const;
    /// Ends all connections there are.
    void cut();
    /// Refuses connections, or takes them again.
    void setOpen(bool open);

private:
    void onConnection();
    QTcpServer server_;
    quint16 to_;
    quint16 port_ = 0;
    std::vector<std::pair<QTcpSocket*, QTcpSocket*>> pairs_;
};

} // namespace yard::test
