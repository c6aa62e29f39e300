// Private to core/store: compressed chunk files. "YZC1", four zero bytes, the uncompressed size (8 bytes,
// little-endian), one zstd frame. Both directions stream in constant memory. One thread at a time each.
#pragma once

#include "core/base/error.h"
#include "core/base/unique_fd.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace yard::store {

inline constexpr std::size_t kProbeSize = 128u << 10;
inline constexpr std::uint64_t kMaxCompressed = 64u << 20; ///< larger ones are kept raw
inline constexpr std::size_t kHeaderSize = 16;

/// True when compression takes at least a tenth off the sample.
bool isWorthCompressing(std::string_view sample);

/// Writes one compressed chunk to a descriptor at its current position, which must be 0.
class Compressor {
public:
    static Result<Compressor> start(int fd);
    Result<void> write(std::string_view bytes);
    /// Ends the frame and writes the size into the header.
    Result<void> finish();

private:
    struct Free {
        void operator()(ZSTD_CCtx_s* context) const;
    };
    Result<void> drive(std::string_view bytes, bool end);
    int fd_ = -1;
    std::uint64_t size_ = 0;
    std::unique_ptr<ZSTD_CCtx_s, Free> context_;
    std::vector<char> out_;
};

/// Reads one compressed chunk from a file it owns.
class Decompressor {
public:
    /// Io when the header is not one.
    static Result<Decompressor> start(UniqueFd file);
    std::uint64_t size() const { return size_; }
    /// Up to buffer.size() bytes; 0 at the end. Io when the frame is damaged or ends early.
    Result<std::size_t> read(std::span<char> buffer);
    Result<void> rewind();

private:
    struct Free {
        void operator()(ZSTD_DCtx_s* context) const;
    };
    UniqueFd file_;
    std::uint64_t size_ = 0;
    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
    std::vector<char> in_;
    std::size_t inAt_ = 0;
    std::size_t inEnd_ = 0;
    bool ended_ = false;
};

} // namespace yard::store
