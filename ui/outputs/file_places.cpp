#include "ui/outputs/file_places.h"

#include <QDir>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr qsizetype kMostFolders = 64;
constexpr qsizetype kMostNameBytes = 255;

bool isGoodPart(const QString& part) {
    const auto isControl = [](QChar each) { return each.unicode() < 0x20 || each.unicode() == 0x7f; };
    return !part.isEmpty() && part != "." && part != ".." && part.toUtf8().size() <= kMostNameBytes &&
           std::ranges::none_of(part, isControl);
}

FilePlace placeOf(const QString& folder, const QString& name, bool makes) {
    using enum FilePlace::Problem;
    FilePlace place;
    const QString relative = safeRelative(name);
    if (relative.isEmpty()) {
        place.problem = BadName;
        return place;
    }
    place.path = folder + '/' + relative;
    const QStringList parts = relative.split('/');
    QString way = folder;
    for (qsizetype i = 0; i + 1 < parts.size(); ++i) {
        way += '/' + parts[i];
        const QFileInfo info(way);
        if (info.isSymLink()) {
            place.problem = Leads;
            return place;
        }
        const bool isFolder = info.exists() ? info.isDir() : !makes || QDir().mkdir(way);
        if (!isFolder) {
            place.problem = NoFolder;
            return place;
        }
    }
    const QFileInfo last(place.path);
    place.exists = last.exists() || last.isSymLink();
    if (last.isSymLink()) place.problem = Leads;
    if (last.isDir()) place.problem = NoFolder;
    return place;
}

} // namespace

QString safeRelative(const QString& name) {
    const QStringList parts = name.split('/');
    return parts.size() <= kMostFolders && std::ranges::all_of(parts, isGoodPart) ? name : QString();
}

QString safeFileName(const QString& name) {
    const QString last = name.section('/', -1);
    return isGoodPart(last) ? last : QStringLiteral("output");
}

FilePlace placeWithin(const QString& folder, const QString& name) {
    return placeOf(folder, name, false);
}

FilePlace makePlaceWithin(const QString& folder, const QString& name) {
    return placeOf(folder, name, true);
}

} // namespace yard::ui
