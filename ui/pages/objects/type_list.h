// The types of objects at the left, each with its states below it and how many objects are where. Choosing one filters the
// list. Owner: ui thread.
#pragma once

#include "ui/pages/objects/object_values.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"

#include <QHash>

namespace yard::ui {

class TypeList final : public Table {
    Q_OBJECT
public:
    explicit TypeList(QWidget* parent = nullptr);

    /// `unclaimed`: of each type the states that no actor looks at.
    void show(const std::vector<ObjectType>& types, const std::map<QString, QStringList>& unclaimed);
    /// The row of a type, or of a state of it, without saying so.
    void choose(const QString& type, const QString& state);

signals:
    /// An empty state: any of the type.
    void chosen(const QString& type, const QString& state);

private:
    qint64 idOf(const QString& type, const QString& state);
    RowsModel* rows_;
    /// Numbers of rows stay as they are while types and states come and go.
    QHash<QString, qint64> ids_;
    QHash<qint64, std::pair<QString, QString>> named_;
    bool choosing_ = false;
};

} // namespace yard::ui
