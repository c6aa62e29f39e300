// Beside every tab of an action's detail: why it waits or how it ended, the locks it claims, what it used of what it may.
// Owner: ui thread; lifetime: the panel's, within that of its context.
//
// Asks for the reasons when it is told to, for locks every two seconds while it is active and the action claims some.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/action_row.h"
#include "ui/widgets/facts.h"
#include "ui/widgets/panel.h"

namespace yard::ui {

class Poll;

class DetailSide final : public Surface {
    Q_OBJECT
public:
    explicit DetailSide(Context context);

    void setActive(bool active);
    /// Another action, of which nothing is known; 0: none.
    void begin(qint64 lsn);
    void setAction(const ActionRow& row, const QJsonObject& action);
    void setSpec(const QJsonObject& spec);
    /// The reasons are others.
    void askWhy();
    /// Time went on.
    void refreshLimits();
    Facts* why() const { return why_; }
    /// Who holds what it claims and who waits; no facts where it claims nothing, or has ended.
    Facts* locks() const { return locks_; }

signals:
    /// A number leads to that action, anything else is a filter.
    void targetClicked(const QString& target);

private:
    void refreshWhy();
    void refreshLocks(const QJsonArray& all);
    void reviewLocks();
    bool claimsLocks() const;

    Context context_;
    qint64 lsn_ = 0;
    QJsonObject action_;
    QJsonObject spec_;
    QJsonObject whyJson_;
    ActionRow row_;
    bool active_ = false;
    Panel* whyPanel_;
    Facts* why_;
    Panel* locksPanel_;
    Facts* locks_;
    Panel* limitsPanel_;
    Facts* limits_;
    Facts* split_;
    Poll* locksPoll_;
};

} // namespace yard::ui
