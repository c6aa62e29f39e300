// Which running actions use the processor now, the most first, then what the rest and others use, so that the sum
// is the chart's. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/poll.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"

#include <QJsonArray>
#include <map>
#include <optional>
#include <set>

namespace yard::ui {

class Table;

/// What one running action uses.
struct ActionUse {
    qint64 lsn = 0;
    std::optional<double> cores;
    std::optional<double> memory; ///< bytes
};

class ProcessorPanel final : public Panel {
    Q_OBJECT
public:
    static constexpr qint64 kMoreRow = -1;
    static constexpr qint64 kOthersRow = -2;

    explicit ProcessorPanel(Context context, QWidget* parent = nullptr);
    void setActive(bool active);
    /// What others than actions use, and all memory in use; absent: not known.
    void setMachine(std::optional<double> othersCores, std::optional<double> memoryBytes);
    RowsModel* rows() const { return rows_; }
    Table* table() const { return table_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void take(const Answer& answer);
    void fill();
    Context context_;
    Table* table_;
    RowsModel* rows_;
    Button* all_;
    Poll* poll_;
    std::vector<QJsonObject> jobs_;
    bool more_ = false; ///< than were listed
    std::map<qint64, ActionUse> uses_;
    std::optional<double> othersCores_;
    std::optional<double> memory_;
};

} // namespace yard::ui
