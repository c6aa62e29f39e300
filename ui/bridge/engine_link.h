// An engine as the window sees it: requests of its API and its events, as JSON. The same for the engine in this
// program and for one at an address, so that no page knows the difference. Owner: ui thread. Never blocks.
//
// A link heals by itself: while it is down requests are answered at once with what to say (status 0), and after it
// came back refreshed() tells who shows something to ask again, unless the events could go on where they were.
#pragma once

#include "ui/bridge/shell_engine.h"

#include <QByteArray>
#include <QDateTime>
#include <QJsonObject>
#include <QObject>
#include <QString>
#include <QUrl>
#include <QUrlQuery>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace yard::ui {

struct Request {
    QByteArray method = "GET";
    QString path; ///< below the prefix, percent-encoded where needed: "queues/7/hold"
    QUrlQuery query = {};
    QByteArray body = {};                 ///< JSON; empty: none
    QByteArray range = {};                ///< of bytes, as HTTP has it: "bytes=-4096"; empty: all
    qint64 revision = 0;                  ///< only of what has this revision, else 412; 0: whatever it has
    std::chrono::milliseconds patience{}; ///< without a byte of an answer; 0: as of every request
};

struct Answer {
    int status = 0; ///< of HTTP; 0: there was no answer
    QByteArray bytes;
    QJsonObject json; ///< of a JSON object
    QString error;    ///< the API's code; empty when ok(), or without an answer
    QString message;  ///< a sentence for people; empty when ok()
    bool ok() const { return status >= 200 && status < 300; }
};

enum class LinkState : std::uint8_t {
    Connecting, ///< for the first time, or again
    Connected,
    Waiting,  ///< until the next try
    Refused,  ///< the token is not the engine's; waits for another one
    Untrusted ///< by TLS: nobody knows the key that it shows, or another one is known; waits for trust
};

class EngineLink : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(const Answer&)>;
    using QObject::QObject;

    /// `done` is called once, later, on this thread; not when `context` has gone by then.
    virtual void send(const Request& request, QObject* context, Done done) = 0;
    /// The body of an answer piece by piece, as long as what is returned lives: output that is followed. `done` has
    /// no bytes; it comes once, later, after the last piece. Answers that are not 2xx come to `done` alone, and
    /// whole.
    virtual std::unique_ptr<QObject> stream(const Request& request, std::function<void(const QByteArray&)> piece,
                                            Done done) = 0;
    /// The same, with the bytes of a file as the body, in constant memory: PUT of a chunk.
    virtual void sendFile(const Request& request, const QString& file, QObject* context, Done done);
    /// Which actions the events are to tell of (docs/events.md: the value of "watch"). Kept over a new connection.
    virtual void watch(const QJsonObject& what) = 0;
    virtual QUrl address() const = 0;

    /// What a shell on this machine can know this engine by; nothing but its address when this was not called.
    void setShell(ShellEngine shell) { shell_ = std::move(shell); }
    const ShellEngine& shell() const { return shell_; }
    /// The line as it reaches this engine and no other from any shell here.
    QString yardctl(const QString& line) const { return yardctlFor(line, shell_, address()); }
    QString curl(const Request& request) const { return curlOf(request, shell_, address()); }

    LinkState state() const { return state_; }
    /// Since when it is not Connected; invalid while it is.
    QDateTime downSince() const { return downSince_; }

signals:
    void stateChanged();
    /// A frame of events.
    void batch(const QJsonObject& batch);
    /// What was shown may be outdated: ask again. A snapshot of queues and session follows in batches.
    void refreshed();

protected:
    void setState(LinkState state);

private:
    ShellEngine shell_;
    LinkState state_ = LinkState::Connecting;
    QDateTime downSince_ = QDateTime::currentDateTimeUtc();
};

/// Of a list (GET jobs) the first rows: a page that is empty and has a cursor, because the engine still looks or
/// puts in order, is gone on from, kMostEmptyPages times at most. Other requests are sent as they are.
inline constexpr int kMostEmptyPages = 2'000; ///< of 16 ms each
void sendList(EngineLink& link, const Request& request, QObject* context, EngineLink::Done done,
              int most = kMostEmptyPages);

} // namespace yard::ui
