#include "core/store/chunk_codec.h"

#include "core/base/files.h"

#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace yard::store {

static constexpr char kMagic[8] = {'Y', 'Z', 'C', '1', 0, 0, 0, 0};
static constexpr int kLevel = 1; // the disk, not the ratio, is what we must keep up with

bool isWorthCompressing(std::string_view sample) {
    if (sample.empty()) return false;
    std::vector<char> out(ZSTD_compressBound(sample.size()));
    const std::size_t size = ZSTD_compress(out.data(), out.size(), sample.data(), sample.size(), kLevel);
    return !ZSTD_isError(size) && size < sample.size() - sample.size() / 10;
}

void Compressor::Free::operator()(ZSTD_CCtx_s* context) const {
    ZSTD_freeCCtx(context);
}
void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const {
    ZSTD_freeDCtx(context);
}

Result<Compressor> Compressor::start(int fd) {
    Compressor compressor;
    compressor.fd_ = fd;
    compressor.context_.reset(ZSTD_createCCtx());
    if (!compressor.context_) return fail(ErrorKind::Internal, "no memory for compression");
    ZSTD_CCtx_setParameter(compressor.context_.get(), ZSTD_c_compressionLevel, kLevel);
    compressor.out_.resize(ZSTD_CStreamOutSize());
    const std::string header(kHeaderSize, '\0');
    if (auto written = writeAll(fd, header); !written) return std::unexpected(std::move(written.error()));
    return compressor;
}

Result<void> Compressor::drive(std::string_view bytes, bool end) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (;;) {
        ZSTD_outBuffer out{out_.data(), out_.size(), 0};
        const std::size_t left =
            ZSTD_compressStream2(context_.get(), &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) return fail(ErrorKind::Internal, std::string("zstd: ") + ZSTD_getErrorName(left));
        if (auto written = writeAll(fd_, {out_.data(), out.pos}); !written) return written;
        if (end ? left == 0 : in.pos == in.size) return {};
    }
}

Result<void> Compressor::write(std::string_view bytes) {
    size_ += bytes.size();
    return drive(bytes, false);
}

Result<void> Compressor::finish() {
    if (auto ended = drive({}, true); !ended) return ended;
    char header[kHeaderSize];
    std::memcpy(header, kMagic, sizeof kMagic);
    std::memcpy(header + sizeof kMagic, &size_, sizeof size_);
    if (pwrite(fd_, header, sizeof header, 0) != static_cast<ssize_t>(sizeof header))
        return failErrno("write the header of a chunk", errno);
    return {};
}

Result<Decompressor> Decompressor::start(UniqueFd file) {
    Decompressor decompressor;
    decompressor.file_ = std::move(file);
    decompressor.context_.reset(ZSTD_createDCtx());
    if (!decompressor.context_) return fail(ErrorKind::Internal, "no memory for decompression");
    // A hostile or damaged frame must not ask for gigabytes of window.
    ZSTD_DCtx_setParameter(decompressor.context_.get(), ZSTD_d_windowLogMax, 23);
    decompressor.in_.resize(ZSTD_DStreamInSize());
    if (auto begun = decompressor.rewind(); !begun) return std::unexpected(std::move(begun.error()));
    return decompressor;
}

Result<void> Decompressor::rewind() {
    char header[kHeaderSize];
    if (pread(file_.get(), header, sizeof header, 0) != static_cast<ssize_t>(sizeof header) ||
        std::memcmp(header, kMagic, sizeof kMagic) != 0)
        return fail(ErrorKind::Io, "a compressed chunk has no header: the file is damaged");
    std::memcpy(&size_, header + sizeof kMagic, sizeof size_);
    if (lseek(file_.get(), kHeaderSize, SEEK_SET) < 0) return failErrno("lseek a chunk", errno);
    ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
    inAt_ = inEnd_ = 0;
    ended_ = false;
    return {};
}

Result<std::size_t> Decompressor::read(std::span<char> buffer) {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    while (out.pos < out.size && !ended_) {
        if (inAt_ == inEnd_) {
            const ssize_t got = ::read(file_.get(), in_.data(), in_.size());
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return failErrno("read a chunk", errno);
            if (got == 0) return fail(ErrorKind::Io, "a compressed chunk ends early: the file is damaged");
            inAt_ = 0;
            inEnd_ = static_cast<std::size_t>(got);
        }
        ZSTD_inBuffer in{in_.data(), inEnd_, inAt_};
        const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &in);
        inAt_ = in.pos;
        if (ZSTD_isError(left))
            return fail(ErrorKind::Io, std::string("a compressed chunk is damaged: ") + ZSTD_getErrorName(left));
        ended_ = left == 0;
    }
    return out.pos;
}

} // namespace yard::store
