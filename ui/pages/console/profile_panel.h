// Measures what the engine's threads do while it is on, and shows it: an icicle, and a report for a browser. The file is the
// engine's; where the engine is elsewhere the panel names it. Owner: ui thread.
#pragma once

#include "ui/bridge/engine_link.h"

#include <QWidget>

namespace yard::ui {

class Button;
class Icicle;
class Label;
class Panel;
class WindowServices;

class ProfilePanel final : public QWidget {
    Q_OBJECT
public:
    /// `isHere`: the engine's files can be read.
    ProfilePanel(EngineLink& link, WindowServices& window, bool isHere, QWidget* parent = nullptr);

    Button* toggle() const { return toggle_; }
    Button* report() const { return report_; }
    Icicle* icicle() const { return icicle_; }
    QString words() const;
    bool isOn() const { return isOn_; }
    /// Why it cannot be switched; empty: it can.
    void setBlocked(const QString& why);

private:
    void switchOver();
    void onStopped(const Answer& answer);
    void show(const QString& file);
    void save();
    void showState();

    EngineLink& link_;
    WindowServices& window_;
    const bool isHere_;
    Panel* panel_;
    Button* toggle_;
    Button* report_;
    Icicle* icicle_;
    Label* words_;
    QString name_; ///< of the file that is shown
    bool isOn_ = false;
};

} // namespace yard::ui
