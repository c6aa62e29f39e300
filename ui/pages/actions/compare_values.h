// What two actions were submitted as, value by value. Values; any thread.
#pragma once

#include <QJsonObject>
#include <QString>
#include <utility>
#include <vector>

namespace yard::ui {

struct ComparedValue {
    QString what; ///< "argv", "env HOME", "input photo.jpg"
    QString left; ///< empty: it has none
    QString right;
};

/// Everything that either of them has, but for who they are; of objects each member by itself.
std::vector<ComparedValue> comparedValues(const QJsonObject& left, const QJsonObject& right);

/// Long texts begin shortly before the place where they differ, so that what is cut at the right hides no difference.
std::pair<QString, QString> aroundDifference(const QString& left, const QString& right);

} // namespace yard::ui
