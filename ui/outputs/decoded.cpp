#include "ui/outputs/decoded.h"

#include <QDeadlineTimer>
#include <QImageReader>

#include <algorithm>
#include <cstring>

namespace yard::ui {

namespace {

/// Bytes that end early once the time is over, so that a decoder that is kept busy by them gives up.
class PatientBytes final : public QIODevice {
public:
    PatientBytes(const QByteArray& bytes, int mostMs)
        : bytes_(bytes)
        , end_(mostMs) {
        open(ReadOnly | Unbuffered);
    }
    qint64 size() const override { return bytes_.size(); }
    bool seek(qint64 to) override {
        if (to < 0 || to > bytes_.size()) return false;
        at_ = to;
        return QIODevice::seek(to);
    }

protected:
    qint64 readData(char* data, qint64 most) override {
        const qint64 count = std::min<qint64>(most, bytes_.size() - at_);
        if (count <= 0) return most == 0 ? 0 : -1;
        if (end_.hasExpired()) return -1;
        std::memcpy(data, bytes_.constData() + at_, static_cast<std::size_t>(count));
        at_ += count;
        return count;
    }
    qint64 writeData(const char*, qint64) override { return -1; }

private:
    const QByteArray& bytes_;
    QDeadlineTimer end_;
    qint64 at_ = 0;
};

bool isTooLarge(const QSize& size) {
    return qint64{size.width()} * size.height() > ImageLimits::kMostPixels;
}

} // namespace

bool hasHash(const ChunkFile& file) {
    const auto isDigit = [](QChar each) { return (each >= '0' && each <= '9') || (each >= 'a' && each <= 'f'); };
    return file.size >= 0 && file.hash.size() == 64 && std::ranges::all_of(file.hash, isDigit);
}

DecodedImage decodedImage(const QByteArray& bytes, const QByteArray& format, int side, int mostMs) {
    using enum DecodedImage::Problem;
    DecodedImage made;
    PatientBytes device(bytes, mostMs);
    QImageReader reader(&device, format);
    reader.setAutoDetectImageFormat(false); // no other decoder looks at it
    reader.setAutoTransform(true);
    made.size = reader.size();
    if (made.size.isValid() && isTooLarge(made.size)) {
        made.problem = TooLarge;
        return made;
    }
    if (!reader.read(&made.image) || made.image.isNull()) {
        made.problem = Broken;
        made.image = {};
        return made;
    }
    made.size = made.image.size();
    const bool fits = std::max(made.size.width(), made.size.height()) <= side;
    made.fitted = fits ? made.image : made.image.scaled(side, side, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    return made;
}

Decoded decoded(const Content& content, const QString& name, const QByteArray& bytes, bool isWhole) {
    Decoded made;
    made.kind = content.kind;
    if (content.kind == ContentKind::Image) {
        made.image = decodedImage(bytes, content.imageFormat, ImageLimits::kFittedSide);
        if (made.image.problem != DecodedImage::Problem::None) made.kind = ContentKind::Hex;
        return made;
    }
    // The beginning was text; what follows need not be.
    if (!isText(bytes, isWhole)) {
        made.kind = ContentKind::Hex;
        return made;
    }
    if (content.kind == ContentKind::Json) {
        made.json = jsonTreeOf(bytes);
        if (made.json.nodes.empty()) made.kind = ContentKind::Text;
    } else if (content.kind == ContentKind::Table) {
        const QString text = QString::fromUtf8(bytes);
        made.table = csvOf(text, separatorOf(name, text), isWhole);
        if (made.table.rows.empty()) made.kind = ContentKind::Text;
    }
    return made;
}

QString hexDump(const QByteArray& bytes, qint64 offset) {
    constexpr qsizetype kBytesOfLine = 16;
    QString text;
    text.reserve((bytes.size() / kBytesOfLine + 1) * 80);
    for (qsizetype at = 0; at < bytes.size(); at += kBytesOfLine) {
        const QByteArray line = bytes.sliced(at, std::min(kBytesOfLine, bytes.size() - at));
        QString hex;
        QString characters;
        for (qsizetype i = 0; i < kBytesOfLine; ++i) {
            if (i == kBytesOfLine / 2) hex += ' ';
            if (i >= line.size()) {
                hex += "   ";
                continue;
            }
            const auto byte = static_cast<unsigned char>(line[i]);
            hex += QStringLiteral("%1 ").arg(byte, 2, 16, QLatin1Char('0'));
            characters += byte >= 0x20 && byte < 0x7f ? QChar(byte) : QChar('.');
        }
        text += QStringLiteral("%1  %2 %3\n").arg(offset + at, 8, 16, QLatin1Char('0')).arg(hex, characters);
    }
    return text;
}

} // namespace yard::ui
