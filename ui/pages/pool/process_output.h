// What a warm process prints, or one that is gone printed last: its stdout and its stderr, as far as the engine
// keeps them. It belongs to the process, not to an action: it may work on several. Owner: ui thread.
#pragma once

#include "ui/log/log_text.h"
#include "ui/pages/page.h"
#include "ui/state/poll.h"
#include "ui/widgets/panel.h"

#include <array>

namespace yard::ui {

class LogPane;
class LogView;

/// The newest end of a text of which only ends are kept: what is new of it behind what was seen before.
class KeptEnd {
public:
    struct News {
        QByteArray bytes;
        bool isAnew = false; ///< what was seen before does not lead up to it: something is missing in between
    };
    /// `size`: bytes ever written; `end`: the last of them.
    News take(qint64 size, const QByteArray& end);

private:
    qint64 size_ = 0;
    QByteArray end_;
};

class ProcessOutput final : public Panel {
    Q_OBJECT
public:
    explicit ProcessOutput(Context context, QWidget* parent = nullptr);
    /// "p7"; empty: of none.
    void setProcess(const QString& process);
    const QString& process() const { return process_; }
    /// Asks only while it is.
    void setActive(bool active);
    LogView* view() const { return view_; }

signals:
    void closed();

private:
    void take(const QJsonObject& json);
    LogPane* pane_;
    LogView* view_;
    QString process_;
    std::array<KeptEnd, 2> ends_;
    Poll poll_;
};

} // namespace yard::ui
