// Notices: what an operator who looks elsewhere wants to be told of. The rules are pure logic over what is known at
// one moment and the moment before (NoticeRules); Notices feeds them from an engine and keeps the last ones for the
// bell. Owner: ui thread.
//
// At most one notice of a rule a minute: what comes meanwhile is counted together in the next one. What the
// operator just did makes none.
#pragma once

#include "ui/state/commands.h"
#include "ui/state/engine_state.h"

#include <QDateTime>
#include <QPointer>
#include <QTimer>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace yard::ui {

enum class NoticeRule : std::uint8_t {
    QueueFinished,
    FirstFailure, ///< of a queue in ten minutes
    WorkerLost,
    GuardStopped,   ///< an action, for the sake of memory
    DiskFull,       ///< nearly
    ConnectionLost, ///< for 30 s
    Orphans,        ///< what an engine that died left behind was cleared up
    Alert           ///< a rule of the engine says something (docs/alerts.md)
};
inline constexpr std::size_t kNoticeRules = 8;

/// "queue-finished": in the settings.
const char* noticeRuleId(NoticeRule rule);
/// Translated, for the settings.
QString noticeRuleTitle(NoticeRule rule);
/// As the settings of this window say; the first three and alerts come switched on.
bool isNoticeRuleOn(NoticeRule rule);
void setNoticeRuleOn(NoticeRule rule, bool on);
/// An icon in the desktop's tray, where there is one; it comes switched on.
bool isTrayWanted();
void setTrayWanted(bool wanted);

struct Notice {
    NoticeRule rule = NoticeRule::QueueFinished;
    QString text;
    QString page; ///< what it opens, and its filter
    QString filter;
    QDateTime at = {};
    bool seen = false;
    std::optional<DisplayState> face = {}; ///< of an alert, by how bad it is; else its rule has one, or none
};

/// What the rules look at.
struct NoticeFacts {
    struct Queue {
        QString name;
        qint64 active = 0;
        qint64 failed = 0;
    };
    std::map<qint64, Queue> queues;
    std::optional<std::map<QString, QString>> workers; ///< names by id; absent: not known yet
    qint64 guardStopped = 0;                           ///< since the engine started
    qint64 diskBytes = 0;                              ///< 0: not known
    qint64 diskFreeBytes = 0;
    qint64 downMs = 0;      ///< how long there has been no connection; 0: there is one
    qint64 orphans = 0;     ///< left behind and cleared up, since the engine started
    qint64 orphansTold = 0; ///< of those the operator knows; what is more is told by the first facts, too
};

class NoticeRules {
public:
    static constexpr qint64 kApartMs = 60'000;
    static constexpr qint64 kQuietMs = 600'000;  ///< without a failure: the next one is a first one
    static constexpr qint64 kDownMs = 30'000;    ///< until a lost connection is told
    static constexpr qint64 kMutedMs = 60'000;   ///< what follows from an operation of the operator
    static constexpr qint64 kDiskPercent = 5;    ///< free; below it is nearly full
    static constexpr qint64 kDiskAgain = 7;      ///< free; from there on it is not any more
    static constexpr std::size_t kMostNamed = 3; ///< in one notice

    /// What is to be told now. `now`: milliseconds of a clock that never goes back. The first facts tell nothing.
    std::vector<Notice> look(const NoticeFacts& facts, qint64 now);
    /// The operator did this.
    void did(const Request& request, qint64 now);
    /// Something waits to be told when its minute is over.
    bool isWaiting() const;
    /// Another engine: what was is forgotten.
    void reset();

private:
    struct Item {
        qint64 queue = 0;
        QString name;
        qint64 count = 0;
    };
    struct Told {
        std::optional<qint64> at;
        std::vector<Item> waiting;
    };
    struct Mute {
        NoticeRule rule;
        QString key; ///< queue or worker; empty: all
        qint64 until;
    };
    void lookAtQueues(const NoticeFacts& facts, qint64 now);
    void lookAtMachine(const NoticeFacts& facts, qint64 now);
    void lookAtOrphans(const NoticeFacts& facts, qint64 now);
    void add(NoticeRule rule, Item item, const QString& key, qint64 now);
    bool isMuted(NoticeRule rule, const QString& key, qint64 now) const;
    static Notice noticeOf(NoticeRule rule, const std::vector<Item>& items);

    std::optional<NoticeFacts> before_;
    std::map<qint64, qint64> failedAt_; ///< of a queue, the last one
    std::array<Told, kNoticeRules> told_;
    std::vector<Mute> muted_;
    qint64 orphansTold_ = 0;
    bool diskLow_ = false;
    bool downTold_ = false;
};

class Notices final : public QObject {
    Q_OBJECT
public:
    static constexpr std::size_t kMost = 100;

    explicit Notices(QObject* parent = nullptr);

    /// Both outlive this, or are taken away before they go by nulls.
    void setEngine(EngineState* state, Commands* commands);
    /// True: the operator looks at the window; what comes then is not told, and counts as seen.
    void setInFront(std::function<bool()> inFront) { inFront_ = std::move(inFront); }

    /// Newest last.
    const std::deque<Notice>& all() const { return all_; }
    int unseen() const;
    void markSeen();
    void clear();
    void add(Notice notice);

signals:
    void changed();
    /// For the desktop: nobody looks at the window.
    void told(const Notice& notice);

private:
    void look();
    void askWorkers();
    void askDisk();
    void readOrphans();
    void askAlerts();
    void takeAlerts(const QJsonObject& json);
    qint64 now() const { return clock_.elapsed(); }

    QPointer<EngineState> state_;
    QPointer<Commands> commands_;
    NoticeRules rules_;
    NoticeFacts facts_;
    std::function<bool()> inFront_;
    std::deque<Notice> all_;
    QTimer tick_;
    QElapsedTimer clock_;
    int ticks_ = 0;
    bool dirty_ = false;
    bool alertsKnown_ = false; ///< what was said before this window looked is known, and no news
};

} // namespace yard::ui
