#include "app/yardmaster/backing_up.h"

#include "core/base/clock.h"
#include "core/json/json_writer.h"
#include "core/store/backup.h"

#include <cstdio>
#include <fmt/format.h>

namespace yard::app {

namespace {

int refuseBackup(const std::string& sentence) {
    std::fputs(fmt::format("yardmaster: {}\n", sentence).c_str(), stderr);
    return 1;
}

/// The line for yardctl, and what is not as it should be.
int tellBackup(const store::BackupCounts& counts, const std::string& directory) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("directory", directory);
    writer.member("chunks", counts.chunks);
    writer.member("files", counts.files);
    writer.member("copied", counts.copied);
    writer.member("bytes", counts.bytes);
    writer.member("missing", counts.missing);
    writer.member("damaged", counts.damagedCount);
    writer.key("damaged_names");
    writer.openArray();
    for (const std::string& name : counts.damaged) writer.string(name);
    writer.closeArray();
    writer.closeObject();
    std::fputs((text + "\n").c_str(), stdout);
    std::fflush(stdout);
    if (counts.damagedCount == 1)
        return refuseBackup(
            fmt::format("one chunk is damaged and was left out ({}); all else is there", counts.damaged.front()));
    if (counts.damagedCount > 0)
        return refuseBackup(
            fmt::format("{} chunks are damaged and were left out (the first: {}); all else is there",
                        counts.damagedCount, counts.damaged.front()));
    if (counts.missing == 1)
        return refuseBackup("one chunk that an action names was missing already; all else is there");
    if (counts.missing > 0)
        return refuseBackup(
            fmt::format("{} chunks that actions name were missing already; all else is there", counts.missing));
    return 0;
}

} // namespace

int backUp(const std::string& dataDir, const std::string& directory) {
    const auto taken = store::takeBackup(dataDir, directory, YARD_VERSION, wallNow(), {});
    if (!taken) return refuseBackup(taken.error().message);
    return tellBackup(*taken, directory);
}

int restoreFrom(const std::string& directory, const std::string& dataDir) {
    const auto restored = store::restoreBackup(directory, dataDir, {});
    if (!restored) return refuseBackup(restored.error().message);
    return tellBackup(*restored, dataDir);
}

} // namespace yard::app
