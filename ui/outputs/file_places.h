// Where a file with a name from the network may be written: inside of a folder, and nowhere else. Blocks for a few
// calls of the file system. Values; ui thread.
#pragma once

#include <QString>
#include <cstdint>

namespace yard::ui {

/// The name as a path below any folder; empty: it is none. Refused are what leads elsewhere ("..", a path from the
/// root), what is no name of a file, control characters, and more than 64 folders.
QString safeRelative(const QString& name);

/// The last part of the name, as a file of its own; "output" if it has none that can be one.
QString safeFileName(const QString& name);

struct FilePlace {
    enum class Problem : std::uint8_t {
        None,
        BadName, ///< see safeRelative()
        Leads,   ///< a link is in the way: it could lead out of the folder
        NoFolder ///< a folder cannot be made, or a file is in its place
    };
    Problem problem = Problem::None;
    QString path;        ///< of the file, also where there is a problem but BadName
    bool exists = false; ///< something is there now
};
/// Makes no folders, so NoFolder is told only where a file is in the way.
FilePlace placeWithin(const QString& folder, const QString& name);
/// The same, and makes the folders that it needs.
FilePlace makePlaceWithin(const QString& folder, const QString& name);

} // namespace yard::ui
