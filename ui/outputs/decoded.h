// Bytes of a file made ready to be shown, by its kind. Values; made on a helper thread (decoded() may take a second),
// used on the ui thread. What cannot be decoded is shown as something simpler, and says why.
#pragma once

#include "ui/outputs/content_kind.h"
#include "ui/outputs/csv_table.h"
#include "ui/outputs/json_tree.h"

#include <QImage>

namespace yard::ui {

/// A file that an action left or takes: a chunk with a name.
struct ChunkFile {
    QString name; ///< as the action calls it: a path within a directory, from the network
    QString hash;
    qint64 size = 0;
    qint64 lsn = 0; ///< the action that left it; 0: none did
    bool operator==(const ChunkFile&) const = default;
};

/// Whether the hash is one, and the size: what comes from the network is not to become a part of an address otherwise.
bool hasHash(const ChunkFile& file);

struct ImageLimits {
    static constexpr qint64 kMostPixels = 32 << 20; ///< 128 MiB with four bytes each, as Qt's own limit
    static constexpr int kMostMs = 10'000;          ///< an image that takes longer is given up
    static constexpr int kFittedSide = 2'048;
};

struct DecodedImage {
    enum class Problem : std::uint8_t { None, TooLarge, Broken };
    Problem problem = Problem::None;
    QImage image;  ///< empty with a problem
    QImage fitted; ///< the same with at most `side` pixels on each side
    QSize size;    ///< as the file says, of one that is too large, too
};
/// `side`: of `fitted`. Only the decoder of `format` sees the bytes, and for `mostMs` at most.
DecodedImage decodedImage(const QByteArray& bytes, const QByteArray& format, int side,
                          int mostMs = ImageLimits::kMostMs);

struct Decoded {
    ContentKind kind = ContentKind::Empty; ///< what it turned out to be
    DecodedImage image;
    JsonTree json;
    CsvTable table;
};
/// `bytes`: all of the file, or with `isWhole` false its beginning.
Decoded decoded(const Content& content, const QString& name, const QByteArray& bytes, bool isWhole);

/// Lines of 16 bytes: offset, bytes, characters. `offset`: of the first byte.
QString hexDump(const QByteArray& bytes, qint64 offset);

} // namespace yard::ui
