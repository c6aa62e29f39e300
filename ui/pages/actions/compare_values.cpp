#include "ui/pages/actions/compare_values.h"

#include "ui/log/line_diff.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>

namespace yard::ui {

namespace {

constexpr qsizetype kBeforeDifference = 8;

struct CompareValues {
    Q_DECLARE_TR_FUNCTIONS(CompareValues)
};

QString comparedText(const QJsonValue& value) {
    if (value.isObject()) return QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
    if (value.isArray()) return QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact));
    return value.toVariant().toString();
}

QStringList keysOfBoth(const QJsonObject& left, const QJsonObject& right) {
    QStringList keys = left.keys();
    for (const QString& key : right.keys())
        if (!left.contains(key)) keys << key;
    return keys;
}

} // namespace

std::vector<ComparedValue> comparedValues(const QJsonObject& left, const QJsonObject& right) {
    static const QStringList kOthers{"worker", "replaces", "array"}; // who they are, and which of an array
    std::vector<ComparedValue> values;
    for (const QString& key : keysOfBoth(left, right)) {
        if (kOthers.contains(key)) continue;
        const QJsonValue mine = left.value(key);
        const QJsonValue theirs = right.value(key);
        const auto hasMembers = [](const QJsonValue& value) { return value.isObject() || value.isUndefined(); };
        if (!hasMembers(mine) || !hasMembers(theirs)) {
            values.push_back({key, comparedText(mine), comparedText(theirs)});
            continue;
        }
        for (const QString& name : keysOfBoth(mine.toObject(), theirs.toObject()))
            values.push_back({key == "inputs" ? CompareValues::tr("input %1").arg(name) : key + ' ' + name,
                              comparedText(mine.toObject().value(name)),
                              comparedText(theirs.toObject().value(name))});
    }
    return values;
}

std::pair<QString, QString> aroundDifference(const QString& left, const QString& right) {
    if (left == right) return {left, right};
    qsizetype from = differenceOf(left, right).from - kBeforeDifference;
    if (from <= 1) return {left, right}; // an ellipsis would take as much room
    if (left[from].isLowSurrogate()) --from;
    return {u'…' + left.mid(from), u'…' + right.mid(from)};
}

} // namespace yard::ui
