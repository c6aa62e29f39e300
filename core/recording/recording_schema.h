// Private to core/recording: the tables of a recording, and its limits (docs/recordings.md). Constants; any thread.
#pragma once

#include "core/recording/sqlite_file.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace yard::recording {

inline constexpr std::int64_t kApplicationId = 0x59524543; ///< "YREC"
inline constexpr std::int64_t kFormat = 1;
/// Of a frame that is closed because it is full; one action alone may have more.
inline constexpr std::size_t kFrameBytes = 256u << 10;
inline constexpr std::size_t kMostActionBytes = 64u << 20; ///< both texts of one action
inline constexpr std::size_t kPartBytes = 1u << 20;        ///< of a chunk, uncompressed
/// Of the head, and of the name of a machine.
inline constexpr std::size_t kMostNoteBytes = 1'000;
inline constexpr std::size_t kMostEngineBytes = 100;
inline constexpr std::size_t kMostFilterBytes = 4'096;
inline constexpr std::size_t kMostMachineBytes = 256;
inline constexpr std::size_t kMostDescriptorBytes = 16u << 20;

inline constexpr std::array<std::string_view, 6> kTables = {
    "CREATE TABLE recording(note TEXT,engine TEXT,filter TEXT,attachments TEXT,state TEXT,why TEXT,started INTEGER,"
    "ended INTEGER,missed INTEGER,gone INTEGER)",
    "CREATE TABLE workers(id BLOB PRIMARY KEY,descriptor TEXT)",
    "CREATE TABLE frames(id INTEGER PRIMARY KEY,size INTEGER,bytes BLOB)",
    "CREATE TABLE actions(n INTEGER PRIMARY KEY,lsn INTEGER UNIQUE,state TEXT,exit_code INTEGER,worker TEXT,label "
    "TEXT,"
    "machine TEXT,t_new INTEGER,t_pending INTEGER,t_submitting INTEGER,t_running INTEGER,t_exited INTEGER,t_end "
    "INTEGER,"
    "stdout BLOB,stderr BLOB,action_hash BLOB,result_hash BLOB,frame INTEGER,offset INTEGER,action_bytes INTEGER,"
    "result_bytes INTEGER)",
    "CREATE TABLE chunks(id INTEGER PRIMARY KEY,hash BLOB UNIQUE,size INTEGER)",
    "CREATE TABLE parts(chunk INTEGER,n INTEGER,size INTEGER,bytes BLOB,PRIMARY KEY(chunk,n))"};

/// Tables and indexes of a file as text: two files with the same one have the same schema.
Result<std::string> schemaOf(SqliteFile& file);
/// Of a recording as this version makes it.
Result<std::string> expectedSchema();

/// One zstd frame.
std::string compressed(std::string_view bytes);
/// Malformed unless it is one frame of exactly `size` bytes.
Result<std::string> decompressed(std::string_view frame, std::size_t size);

} // namespace yard::recording
