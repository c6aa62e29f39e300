// What asks other systems for machines, below the list of machines: a line for each with its sentence, Pause or Resume,
// Change and Remove. Hidden while there is none. Asks GET allocators every few seconds while it is looked at. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/poll.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

#include <QJsonObject>
#include <QString>

#include <vector>

namespace yard::ui {

class AllocatorStrip final : public QWidget {
    Q_OBJECT
public:
    explicit AllocatorStrip(Context context, QWidget* parent = nullptr);

    void setActive(bool active) { poll_.setActive(active); }
    int count() const { return static_cast<int>(lines_.size()); }
    QString sentence(int line) const { return lines_[static_cast<std::size_t>(line)].sentence->text(); }
    Button* steers(int line) const { return lines_[static_cast<std::size_t>(line)].steers; }
    Button* changes(int line) const { return lines_[static_cast<std::size_t>(line)].changes; }
    Button* removes(int line) const { return lines_[static_cast<std::size_t>(line)].removes; }
    /// Asks for them again: one was added.
    void lookNow() { poll_.now(); }

private:
    struct Line {
        QString name;
        bool isPaused = false;
        QWidget* row = nullptr;
        Label* sentence = nullptr;
        Button* steers = nullptr;
        Button* changes = nullptr;
        Button* removes = nullptr;
        QJsonObject json{};
    };
    void take(const QJsonObject& json);
    Line makeLine(const QString& name);
    void show(Line& line, const QJsonObject& allocator);
    void steer(const QString& name);
    void change(const QString& name);
    void remove(const QString& name);

    Context context_;
    QVBoxLayout* column_;
    std::vector<Line> lines_;
    Poll poll_;
};

} // namespace yard::ui
