#include "ui/outputs/content_kind.h"

#include <QImageReader>
#include <QSet>
#include <QStringDecoder>

#include <algorithm>
#include <array>
#include <string_view>

namespace yard::ui {

namespace {

struct ImageMark {
    std::string_view format;
    std::string_view begins;
    std::string_view suffixes; ///< one of these must be the name's; empty: the beginning is enough
};

using namespace std::string_view_literals;

constexpr std::array kImageMarks = {
    ImageMark{"png"sv, "\x89PNG\r\n\x1a\n"sv, ""sv},
    ImageMark{"jpeg"sv, "\xff\xd8\xff"sv, ""sv},
    ImageMark{"gif"sv, "GIF87a"sv, ""sv},
    ImageMark{"gif"sv, "GIF89a"sv, ""sv},
    ImageMark{"tiff"sv, "II*\0"sv, ""sv},
    ImageMark{"tiff"sv, "MM\0*"sv, ""sv},
    ImageMark{"bmp"sv, "BM"sv, "bmp dib"sv},
    ImageMark{"ico"sv, "\0\0\1\0"sv, "ico"sv},
    ImageMark{"pbm"sv, "P1"sv, "pbm pnm"sv},
    ImageMark{"pbm"sv, "P4"sv, "pbm pnm"sv},
    ImageMark{"pgm"sv, "P2"sv, "pgm pnm"sv},
    ImageMark{"pgm"sv, "P5"sv, "pgm pnm"sv},
    ImageMark{"ppm"sv, "P3"sv, "ppm pnm"sv},
    ImageMark{"ppm"sv, "P6"sv, "ppm pnm"sv},
    ImageMark{"xpm"sv, "/* XPM"sv, "xpm"sv},
};

const QSet<QString>& suffixesOfJson() {
    static const QSet<QString> all{"json", "geojson", "ipynb"};
    return all;
}

const QSet<QString>& suffixesOfTables() {
    static const QSet<QString> all{"csv", "tsv", "tab"};
    return all;
}

const QSet<QString>& suffixesOfText() {
    static const QSet<QString> all{"txt", "log", "md",  "rst", "yaml", "yml", "toml", "ini",   "cfg",   "conf",
                                   "xml", "svg", "htm", "css", "html", "py",  "sh",   "c",     "h",     "cpp",
                                   "js",  "ts",  "tex", "sql", "diff", "csl", "rs",   "jsonl", "ndjson"};
    return all;
}

QString suffixOf(const QString& name) {
    const QString last = name.section('/', -1);
    const auto dot = last.lastIndexOf('.');
    return dot <= 0 ? QString() : last.sliced(dot + 1).toLower();
}

bool isOneOf(const QString& suffix, std::string_view suffixes) {
    const auto list = QString::fromLatin1(suffixes.data(), static_cast<qsizetype>(suffixes.size())).split(' ');
    return list.contains(suffix);
}

QByteArray imageFormatOf(const QString& suffix, const QByteArray& head, const QList<QByteArray>& formats) {
    const std::string_view bytes(head.constData(), static_cast<std::size_t>(head.size()));
    if (bytes.starts_with("RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP" && formats.contains("webp"))
        return "webp";
    for (const ImageMark& mark : kImageMarks) {
        if (!bytes.starts_with(mark.begins)) continue;
        if (!mark.suffixes.empty() && !isOneOf(suffix, mark.suffixes)) continue;
        const QByteArray format(mark.format.data(), static_cast<qsizetype>(mark.format.size()));
        if (formats.contains(format)) return format;
    }
    return {};
}

} // namespace

const QList<QByteArray>& imageFormats() {
    static const QList<QByteArray> formats = [] {
        QList<QByteArray> all = QImageReader::supportedImageFormats();
        for (const char* drawing : {"svg", "svgz", "pdf"}) all.removeAll(drawing);
        return all;
    }();
    return formats;
}

bool isText(const QByteArray& bytes, bool isWhole) {
    const auto isControl = [](char byte) {
        const auto code = static_cast<unsigned char>(byte);
        return code < 0x20 && std::string_view("\t\n\r\f\b\x1b").find(byte) == std::string_view::npos;
    };
    if (std::ranges::any_of(bytes, isControl)) return false;
    QStringDecoder decoder(QStringDecoder::Utf8);
    [[maybe_unused]] const QString text = decoder.decode(isWhole ? bytes + '\n' : bytes);
    return !decoder.hasError();
}

Content fileContentOf(const QString& name, const QByteArray& head, bool isWhole, const QList<QByteArray>& formats) {
    if (head.isEmpty()) return {ContentKind::Empty};
    const QString suffix = suffixOf(name);
    if (const QByteArray format = imageFormatOf(suffix, head, formats); !format.isEmpty())
        return {ContentKind::Image, format};
    if (!isText(head, isWhole)) return {ContentKind::Hex};
    if (suffixesOfTables().contains(suffix)) return {ContentKind::Table};
    if (suffixesOfJson().contains(suffix)) return {ContentKind::Json};
    const auto first = std::ranges::find_if_not(head, [](char byte) { return QChar::fromLatin1(byte).isSpace(); });
    const bool opens = first != head.end() && (*first == '{' || *first == '[');
    return {suffix.isEmpty() && opens ? ContentKind::Json : ContentKind::Text};
}

ContentKind kindByName(const QString& name, const QList<QByteArray>& formats) {
    const QString suffix = suffixOf(name);
    if (suffix.isEmpty()) return ContentKind::Hex;
    if (formats.contains(suffix.toLatin1()) || (suffix == "tif" && formats.contains("tiff")))
        return ContentKind::Image;
    if (suffixesOfTables().contains(suffix)) return ContentKind::Table;
    if (suffixesOfJson().contains(suffix)) return ContentKind::Json;
    return suffixesOfText().contains(suffix) ? ContentKind::Text : ContentKind::Hex;
}

QChar separatorOf(const QString& name, const QString& text) {
    const QString suffix = suffixOf(name);
    if (suffix == "tsv" || suffix == "tab") return '\t';
    std::array<std::pair<QChar, int>, 3> counts{{{',', 0}, {';', 0}, {'\t', 0}}};
    bool isQuoted = false;
    for (const QChar each : text) {
        if (each == '"') isQuoted = !isQuoted;
        if (isQuoted) continue;
        if (each == '\n') break;
        for (auto& [separator, count] : counts) count += each == separator ? 1 : 0;
    }
    const auto most = std::ranges::max_element(counts, {}, &std::pair<QChar, int>::second);
    return most->first; // the first of several: a comma where there is none
}

} // namespace yard::ui
