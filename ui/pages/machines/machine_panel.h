// One machine in full: what it is, and its link. Values of GET machines; owner: ui thread; lifetime: its parent's.
#pragma once

#include "ui/pages/machines/machine_rows.h"
#include "ui/widgets/button.h"
#include "ui/widgets/facts.h"
#include "ui/widgets/panel.h"

namespace yard::ui {

class MachinePanel final : public QWidget {
    Q_OBJECT
public:
    explicit MachinePanel(QWidget* parent = nullptr);
    void show(const MachineInfo& machine, const TakenHere& taken, WallMicros now);
    Facts* about() const { return about_; }
    Facts* connection() const { return connection_; }
    Button* actions() const { return actions_; }

private:
    Panel* machine_;
    Facts* about_;
    Facts* connection_;
    Button* actions_;
};

} // namespace yard::ui
