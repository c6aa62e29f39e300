// Fetches what the timeline shows: asks per visible stretch and resolution, the coarse level first, keeps the
// levels it had, and while now is in view asks for the newest seconds alone. Asks nothing while it is not active.
// Owner: ui thread; lives as long as the link it was made for.
//
// Bounds: kMostAsked requests at a time, kMostKept pictures; what the eye left is not asked for any more.
#pragma once

#include "ui/bridge/engine_link.h"
#include "ui/timeline/timeline_data.h"

#include <QElapsedTimer>
#include <QStringList>
#include <QTimer>
#include <list>
#include <map>
#include <memory>
#include <set>

namespace yard::ui::timeline {

class TimelineSource final : public TimelineData {
    Q_OBJECT
public:
    static constexpr int kMostAsked = 4;
    static constexpr std::size_t kMostKept = 16;
    static constexpr int kRetryMs = 2'000;
    /// Requests for one export; a range that needs more is refused with a sentence.
    static constexpr int kMostExact = 64;

    explicit TimelineSource(EngineLink& link, QObject* parent = nullptr);

    void setActive(bool active) override;
    void look(Range visible, double microsPerPixel, const QStringList& workers) override;
    void setWhole(WallMicros from) override;
    std::vector<Piece> pieces(const QString& worker, Range visible, double microsPerPixel) const override;
    const std::map<QString, Known>& known() const override { return known_; }
    const Figures& figures() const override { return figures_; }
    const Figures& whole() const override { return whole_; }
    WallMicros wholeFrom() const override { return wholeFrom_; }
    WallMicros now() const override;
    bool isLive() const override { return link_.state() == LinkState::Connected; }
    QString problem() const override { return problem_; }
    bool isReading() const override { return asked_ > 0; }
    bool hasAnswered() const override { return answered_; }
    void details(qint64 lsn, QObject* context, std::function<void(const QJsonObject&)> done) override;
    void exact(Range range, QObject* context, std::function<void(const Picture*, const QString&)> done) override;

    /// The step asked for at this scale: a power of two of milliseconds, a pixel at most.
    static std::int64_t stepFor(double microsPerPixel);

private:
    struct Kept {
        QString worker; ///< empty: all
        std::shared_ptr<const Picture> picture;
        std::int64_t wished = 0; ///< step; the engine may have had to draw coarser
        bool stale = false;      ///< from before a break of the connection
        bool asking = false;     ///< for its newest part
        qint64 used = 0;         ///< ordinal
    };
    struct ViewRequest {
        QString worker;
        Range range;
        std::int64_t step = 0;
        friend bool operator==(const ViewRequest&, const ViewRequest&) = default;
    };
    void plan();
    void planFigures();
    void onBeat();
    void ask(const ViewRequest& wish);
    void askTail(Kept& kept);
    void take(const ViewRequest& wish, const Answer& answer);
    void keep(const ViewRequest& wish, Picture picture);
    bool covers(const Kept& kept, const QString& worker, Range range) const;
    Kept* finest(const QString& worker, Range range, std::int64_t step);
    void note(const Picture& picture);
    void fail(const Answer& answer);
    void setNow(WallMicros now);

    EngineLink& link_;
    bool active_ = false;
    Range visible_;
    double microsPerPixel_ = 1;
    QStringList workers_;
    std::list<Kept> kept_;
    std::vector<ViewRequest> asking_;
    std::map<QString, Known> known_;
    Figures figures_;
    Figures whole_;
    WallMicros wholeFrom_ = 0;
    WallMicros now_ = 0;
    QElapsedTimer sinceNow_;
    QElapsedTimer sinceFigures_;
    QElapsedTimer sinceWhole_;
    QTimer soon_;
    QTimer beat_;
    QTimer retry_;
    QString problem_;
    qint64 ordinal_ = 0;
    int asked_ = 0;
    bool askingFigures_ = false;
    bool askingWhole_ = false;
    bool answered_ = false;
};

} // namespace yard::ui::timeline
