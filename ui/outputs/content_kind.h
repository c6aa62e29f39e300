// What the bytes of a file are, as far as they can be shown: decided by their beginning and by the name. Values;
// any thread. The bytes are hostile: nothing here decodes more than text, and only as much as it is given.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <cstdint>

namespace yard::ui {

enum class ContentKind : std::uint8_t {
    Empty,
    Image,
    Json,
    Table, ///< values with separators
    Text,  ///< UTF-8
    Hex    ///< anything else
};

struct Content {
    ContentKind kind = ContentKind::Empty;
    QByteArray imageFormat = {}; ///< of an image: Qt's name of its format
    bool operator==(const Content&) const = default;
};

/// `head`: the first bytes, `isWhole`: there are no others. `imageFormats`: those that can be decoded. What begins
/// as an image is one whatever its name says, but for formats whose beginning says too little.
Content fileContentOf(const QString& name, const QByteArray& head, bool isWhole,
                      const QList<QByteArray>& imageFormats);

/// As far as the name alone tells; Hex: it tells nothing.
ContentKind kindByName(const QString& name, const QList<QByteArray>& imageFormats);

/// Qt's formats of pixels. Drawings (SVG) are no part of them: reading one may read other files, so they are text.
const QList<QByteArray>& imageFormats();

/// UTF-8 without control characters but those of text and terminals. A character that is cut off at the end is fine
/// unless that is all there is.
bool isText(const QByteArray& bytes, bool isWhole);

/// What separates the values: a tab by the name, else what the first line has most of; a comma if it has none.
QChar separatorOf(const QString& name, const QString& text);

} // namespace yard::ui
