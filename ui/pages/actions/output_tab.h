// Output of one attempt: what there is, and what comes while it runs. Owner: ui thread.
#pragma once

#include "ui/log/log_pane.h"
#include "ui/pages/page.h"

#include <optional>

namespace yard::ui {

class OutputTab final : public QWidget {
    Q_OBJECT
public:
    explicit OutputTab(Context context, QWidget* parent = nullptr);
    ~OutputTab() override;

    /// `action`: its result as GET jobs/{lsn}; `attempt` from 1, 0: the last. The same again only goes on.
    void show(const QJsonObject& action, int attempt);
    using QWidget::show;
    void clear();
    LogView* view() const { return view_; }
    LogPane* pane() const { return pane_; }
    /// "32 lines, 2.1 kB, stdout and stderr".
    QString summary() const;
    void openFind() { pane_->openFind(); }
    /// Of a stream of more than kPieceBytes a piece is shown, the last one first.
    static constexpr qint64 kPieceBytes = 16 << 20;
    bool hasEarlier() const { return piece_ + 1 < pieces_; }
    bool hasLater() const { return piece_ > 0; }
    /// One piece earlier, or below 0 later.
    void turn(int pieces);
    /// Of this action, which may still be on its way: the line of a stream, counted from 1, that has the text.
    void goTo(qint64 lsn, LogStream stream, std::size_t number, const QString& text);
    void save();
    void setWrap(bool wrap) { view_->setWrap(wrap); }

signals:
    void changed();

private:
    void load();
    void fetch(LogStream stream, const QJsonObject& kept);
    void ended(LogStream stream, const Answer& answer);
    void followError();
    void showWanted();

    Context context_;
    LogPane* pane_;
    LogView* view_;
    QString key_; ///< what is shown: action, attempt, and whether it ran
    QString error_;
    qint64 lsn_ = 0;
    int attempt_ = 0;
    struct Wanted {
        qint64 lsn = 0;
        LogStream stream = LogStream::Out;
        std::size_t number = 0;
        QString text;
    };
    std::optional<Wanted> wanted_; ///< a line to be shown once it is there
    int open_ = 0;                 ///< streams that have not ended
    std::array<std::unique_ptr<QObject>, 2> streams_;
    QString cut_;
    QJsonObject source_;  ///< the attempt that is shown, as its action tells it
    bool isLive_ = false; ///< it runs
    qint64 piece_ = 0;    ///< how many come after the one that is shown
    qint64 pieces_ = 1;   ///< of the longer stream
};

} // namespace yard::ui
