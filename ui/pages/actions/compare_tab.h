// What an action went through (StateHistory), and below it beside the last good one like it: which values differ, and
// both outputs line by line. "Like it" is ActionRow::kindFilter(). Owner: ui thread; differences of long outputs are
// looked for on Qt's thread pool.
#pragma once

#include "ui/log/log_text.h"
#include "ui/pages/page.h"
#include "ui/state/action_row.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"

#include <array>

QT_BEGIN_NAMESPACE
class QCheckBox;
class QSplitter;
QT_END_NAMESPACE

namespace yard::ui {

class DiffView;
class StateHistory;
class Table;

class CompareTab final : public QWidget {
    Q_OBJECT
public:
    explicit CompareTab(Context context, QWidget* parent = nullptr);
    ~CompareTab() override;
    void show(const QJsonObject& action, const QJsonObject& spec);
    using QWidget::show;
    void clear();
    qint64 other() const { return other_.lsn; }
    DiffView* diff() const { return diff_; }
    StateHistory* history() const { return history_; }
    Table* values() const { return table_; }
    QCheckBox* onlyDifferences() const { return only_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    static constexpr std::size_t kStreams = 4; ///< stdout and stderr of this one, then of the other

    void clearComparison();
    void findOther();
    void takeOther(const QJsonObject& other);
    void fill();
    void fetch(qint64 lsn, std::size_t slot);
    void onEnd(std::size_t slot, const Answer& answer);
    void compareOutputs();

    Context context_;
    ActionRow action_;
    ActionRow other_;
    QJsonObject spec_;
    QJsonObject otherSpec_;
    StateHistory* history_;
    QSplitter* both_;
    Label* head_;
    QCheckBox* only_;
    Table* table_;
    RowsModel* rows_;
    DiffView* diff_;
    std::array<std::unique_ptr<QObject>, kStreams> streams_;
    std::array<LogText, kStreams> texts_;
    std::array<bool, kStreams> ended_{};
    bool isBroken_ = false; ///< something of it did not come: asked for again when it is shown again
    quint64 pair_ = 0;      ///< which two are compared: what comes of those before is dropped
};

} // namespace yard::ui
