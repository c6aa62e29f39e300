// What is inside the engine, live while it is looked at: threads, longest turns, memory, descriptors, each a table, and its
// log; one shown at a time. Asks only for the one that is shown. Owner: ui thread.
#pragma once

#include "ui/bridge/engine_link.h"
#include "ui/state/poll.h"
#include "ui/widgets/rows_model.h"

#include <QStackedWidget>
#include <QWidget>
#include <array>

namespace yard::ui {

class Label;
class LogPanel;
class Table;
class Tabs;

class InsidePanels final : public QWidget {
    Q_OBJECT
public:
    enum class Tab : std::uint8_t { Threads, Turns, Memory, Descriptors, Log };
    static constexpr std::size_t kTabs = 5;

    explicit InsidePanels(EngineLink& link, QWidget* parent = nullptr);

    void setActive(bool active);
    void setTab(Tab tab);
    LogPanel* log() const { return log_; }
    Table* table(Tab tab) const { return tables_[static_cast<std::size_t>(tab)]; }
    /// Takes in the rows that wait for the table that is shown.
    void takeUpdates();
    /// False: nothing is selected.
    bool clearSelection();
    /// Below the tabs: a sum, or why there is nothing.
    QString note() const;

signals:
    /// So many rows wait for the table that is shown.
    void waitingChanged(int count);

private:
    std::optional<Request> request() const;
    void makeLog();
    void take(const QJsonObject& json);
    void takeThreads(const QJsonObject& json);
    void takeTurns(const QJsonObject& json);
    void takeMemory(const QJsonObject& json);
    void takeDescriptors(const QJsonObject& json);
    RowsModel* rows(Tab tab) const { return rows_[static_cast<std::size_t>(tab)]; }

    Tabs* tabs_;
    Label* note_;
    QStackedWidget* stack_;
    std::array<Table*, kTabs> tables_{};
    std::array<RowsModel*, kTabs> rows_{};
    Poll poll_;
    LogPanel* log_;
    Tab tab_ = Tab::Threads;
    bool isActive_ = false;
};

} // namespace yard::ui
