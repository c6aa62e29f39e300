// What no actor claims: objects that are due and that nobody will look at. Hidden while there is none. Owner: ui thread.
#pragma once

#include "ui/pages/objects/object_values.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

#include <map>

namespace yard::ui {

class OrphanBanner final : public QWidget {
    Q_OBJECT
public:
    explicit OrphanBanner(QWidget* parent = nullptr);
    void show(const OrchestratorInfo& orchestrator);
    QString text() const { return count_->text(); }
    QString why() const { return why_->text(); }
    Button* button() const { return show_; }

signals:
    /// Those of this type and status are to be shown.
    void wanted(const QString& type, const QString& status);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Label* count_;
    Label* why_;
    Button* show_;
    QString type_;
    QString status_;
};

/// By type, the states whose objects nobody claims.
std::map<QString, QStringList> unclaimedStates(const OrchestratorInfo& orchestrator);

} // namespace yard::ui
