// What is asked of recordings, and answered. Values; any thread.
#pragma once

#include "core/engine/state/views.h"
#include "core/recording/recording_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yard::engine {

/// Files of one engine; those that are written at once; actions that wait to be written to one.
inline constexpr std::size_t kMostRecordings = 1'000;
inline constexpr std::size_t kMostRunningRecordings = 4;
inline constexpr std::size_t kMostWaitingToRecord = 100'000;
inline constexpr std::size_t kMostRecordingName = 100;
inline constexpr std::size_t kMostRecordingNote = 1'000;
inline constexpr std::uint64_t kUsualRecordingBytes = 4ull << 30;
inline constexpr std::uint64_t kMostRecordingBytes = 1ull << 40;
/// A recording ends when the disk has less: what runs needs it more.
inline constexpr std::uint64_t kLeftByRecordings = 256ull << 20;

/// Letters, digits, `.`, `_` and `-`, the first one a letter or digit: it is a file's name.
bool isRecordingName(std::string_view name);

struct RecordingWish {
    std::string name;
    std::string note;
    std::string text;  ///< the filter as it was given
    ListQuery which{}; ///< order, limit and cursor mean nothing here
    recording::Attachments attachments = recording::Attachments::All;
    std::uint64_t maxBytes = kUsualRecordingBytes;
    bool ofThePast = false; ///< what has ended, and is kept; else what ends from now on
};

struct RecordingView {
    std::string name;
    recording::RecordingHead head;
    recording::RecordingCounts counts;
    std::uint64_t bytes = 0;  ///< of the file
    std::int64_t waiting = 0; ///< of one that runs: actions that are not written yet
};

struct RecordingChange {
    std::optional<std::string> name;
    std::optional<std::string> note;
};

} // namespace yard::engine
