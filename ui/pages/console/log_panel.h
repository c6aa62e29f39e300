// The engine's log: the latest lines, newest first, followed while it is looked at; from which level on lines are written, of
// all areas or of one. Owner: ui thread.
//
// Bound: the latest 1,000 lines are kept, as the engine keeps them.
#pragma once

#include "ui/bridge/engine_link.h"
#include "ui/state/poll.h"
#include "ui/widgets/rows_model.h"

#include <QWidget>
#include <optional>
#include <vector>

QT_BEGIN_NAMESPACE
class QComboBox;
QT_END_NAMESPACE

namespace yard::ui {

class Button;
class FilterField;
class Table;

class LogPanel final : public QWidget {
    Q_OBJECT
public:
    explicit LogPanel(EngineLink& link, QWidget* parent = nullptr);

    void setActive(bool active);
    Table* table() const { return table_; }
    RowsModel* rows() const { return rows_; }
    FilterField* filter() const { return filter_; }
    QComboBox* areas() const { return areas_; }
    QComboBox* levels() const { return levels_; }
    Button* follow() const { return follow_; }
    bool isFollowing() const { return isFollowing_; }

signals:
    /// How many lines there are, or why there are none.
    void noted(const QString& note);

private:
    void makeTable();
    std::optional<Request> request() const;
    void take(const QJsonObject& json);
    void takeLevels(const QJsonObject& json);
    void showLevel();
    void sendLevel();
    void setFollowing(bool on);
    void applyFilter();
    void tellCount();

    EngineLink& link_;
    QComboBox* areas_;
    QComboBox* levels_;
    FilterField* filter_;
    Button* follow_;
    Table* table_ = nullptr;
    RowsModel* rows_ = nullptr;
    std::vector<Row> lines_; ///< newest first
    QJsonObject known_;      ///< the levels, as the engine told them last
    Poll poll_;
    qint64 next_ = 0;
    bool isFollowing_ = true;
};

} // namespace yard::ui
