// The menu at the engine's name in the top bar: the engines that are known, and the way to another. Owner: ui
// thread, the window; the attachment outlives it.
#pragma once

#include <QMenu>

namespace yard::ui {

class EngineAttachment;

class EngineMenu final : public QMenu {
    Q_OBJECT
public:
    explicit EngineMenu(EngineAttachment& engine, QWidget* parent = nullptr);

signals:
    /// An engine that is not among them.
    void otherWanted();
    /// Somebody wants the engine's example removed.
    void exampleUnwanted();

private:
    void fill();
    bool hasExample() const;
    EngineAttachment& engine_;
};

} // namespace yard::ui
