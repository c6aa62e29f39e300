#include "core/recording/recording_schema.h"

#include <fmt/format.h>
#include <zstd.h>

namespace yard::recording {

Result<std::string> schemaOf(SqliteFile& file) {
    constexpr std::int64_t kMostEntries = 32;
    auto count = file.number("SELECT count(*) FROM sqlite_master");
    if (!count) return std::unexpected(count.error());
    if (*count > kMostEntries) return fail(ErrorKind::Malformed, "This is no recording: it has other tables.");
    auto query = file.prepare("SELECT type,name,tbl_name,coalesce(sql,'') FROM sqlite_master ORDER BY name");
    if (!query) return std::unexpected(query.error());
    std::string text;
    int code = query->step();
    for (; code == SQLITE_ROW; code = query->step())
        text += fmt::format("{} {} {} {}\n", query->text(0), query->text(1), query->text(2), query->text(3));
    if (auto done = file.outcome(code); !done) return std::unexpected(done.error());
    return text;
}

Result<std::string> expectedSchema() {
    auto file = SqliteFile::open(":memory:", SqliteFile::How::Create);
    if (!file) return std::unexpected(file.error());
    for (const std::string_view table : kTables)
        if (auto made = file->execute(std::string(table)); !made) return std::unexpected(made.error());
    return schemaOf(*file);
}

std::string compressed(std::string_view bytes) {
    constexpr int kLevel = 1; // beside work that goes on: half a gigabyte a second
    std::string out(ZSTD_compressBound(bytes.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kLevel));
    return out;
}

Result<std::string> decompressed(std::string_view frame, std::size_t size) {
    const auto damaged = [] { return fail(ErrorKind::Malformed, "A part of the recording is damaged."); };
    // What a frame says of itself is looked at before anything is made room for.
    if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != size) return damaged();
    if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) return damaged();
    std::string out(size, '\0');
    const std::size_t got = ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size());
    if (ZSTD_isError(got) != 0 || got != size) return damaged();
    return out;
}

} // namespace yard::recording
