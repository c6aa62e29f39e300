#include "core/model/worker_package.h"

#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/json/json_writer.h"
#include "core/model/action_spec.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace yard {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t kPiece = 256u << 10;

std::unexpected<Error> refused(std::string message) {
    return fail(ErrorKind::Invalid, std::move(message));
}

/// For sentences: quoted, control characters escaped.
std::string shown(std::string_view text) {
    std::string out;
    appendJsonString(out, text);
    return out;
}

std::string_view textOf(const json::object& object, std::string_view member) {
    const json::value* value = object.if_contains(member);
    return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

std::optional<std::int64_t> integerOf(const json::object& object, std::string_view member) {
    const json::value* value = object.if_contains(member);
    if (value == nullptr || !value->is_number()) return std::nullopt;
    boost::system::error_code error;
    const auto number = value->to_number<std::int64_t>(error);
    return error ? std::nullopt : std::optional(number);
}

/// Fills in one worker's descriptor. Paths are relative to `directory_`.
class Filler {
public:
    Filler(std::string directory, json::object descriptor)
        : directory_(std::move(directory))
        , descriptor_(std::move(descriptor)) {}

    Result<WorkerPackage> fill() {
        if (!descriptor_.contains("platform")) descriptor_["platform"] = thisPlatform();
        if (!descriptor_.contains("files"))
            if (auto found = findFiles(); !found) return std::unexpected(found.error());
        json::value& files = descriptor_["files"];
        if (!files.is_array()) return refused("\"files\" of the descriptor is not a list");
        for (json::value& entry : files.get_array())
            if (auto done = fillEntry(entry); !done) return std::unexpected(done.error());
        auto parsed = parseWorker(json::serialize(descriptor_));
        if (!parsed) return std::unexpected(parsed.error());
        return WorkerPackage{std::move(*parsed), std::move(packed_)};
    }

private:
    /// Every regular file below the directory but those whose name, or directory's name, begins with a dot; sorted,
    /// so that the same files make the same id everywhere.
    Result<void> findFiles() {
        std::vector<std::string> paths;
        std::error_code ec;
        fs::recursive_directory_iterator it(directory_, ec);
        for (; !ec && it != fs::recursive_directory_iterator(); it.increment(ec)) {
            const std::string name = it->path().filename().string();
            if (name.starts_with('.')) {
                if (it->is_directory()) it.disable_recursion_pending();
                continue;
            }
            if (it->is_symlink())
                return refused(fmt::format("{} is a link; a worker's files are plain ones, list them in \"files\"",
                                           it->path().string()));
            const std::string path = it->path().lexically_relative(directory_).generic_string();
            if (it->is_regular_file() && path != kDescriptorName) paths.push_back(path);
        }
        if (ec) return refused(fmt::format("cannot read {}: {}", directory_, ec.message()));
        if (paths.empty()) return refused(fmt::format("there are no files in {} but its descriptor", directory_));
        std::ranges::sort(paths);
        json::array files;
        for (const std::string& path : paths) files.push_back(json::object{{"path", path}});
        descriptor_["files"] = std::move(files);
        return {};
    }

    Result<void> fillEntry(json::value& entry) {
        if (entry.is_string()) entry = json::object{{"path", entry}};
        if (!entry.is_object()) return refused("\"files\" of the descriptor holds something that is no file");
        json::object& file = entry.get_object();
        const std::string path(textOf(file, "path"));
        if (!isSafeRelativePath(path))
            return refused(fmt::format("the path {} in \"files\" leaves the worker's directory or is none; give it "
                                       "relative to the descriptor, without '..'",
                                       shown(path)));
        const std::string onDisk = directory_ + "/" + path;
        auto hash = hashFile(onDisk);
        if (!hash) return std::unexpected(hash.error());
        packed_.push_back({onDisk, *hash});
        if (auto same = agree(file, path, *hash); !same) return same;
        file["hash"] = hash->hash.hex();
        file["size"] = hash->size;
        if (!file.contains("mode")) file["mode"] = modeOf(onDisk, path);
        return {};
    }

    static Result<void> agree(const json::object& file, const std::string& path, const FileHash& real) {
        const std::string_view hash = textOf(file, "hash");
        const auto size = integerOf(file, "size");
        if (!hash.empty() && hash != real.hash.hex())
            return refused(
                fmt::format("{} is not the file its hash in the descriptor says; correct the hash or leave "
                            "it out",
                            path));
        if (size && static_cast<std::uint64_t>(*size) != real.size)
            return refused(
                fmt::format("{} has {} bytes, not the {} of the descriptor; correct the size or leave it out", path,
                            real.size, *size));
        return {};
    }

    /// 0755 or 0644 only: the umask of whoever checked the files out is no part of a worker.
    std::string modeOf(const std::string& onDisk, const std::string& path) const {
        struct stat info{};
        const bool runs = ::stat(onDisk.c_str(), &info) == 0 && (info.st_mode & S_IXUSR) != 0;
        return runs || path == textOf(descriptor_, "executable") ? "0755" : "0644";
    }

    const std::string directory_;
    json::object descriptor_;
    std::vector<PackedFile> packed_;
};

} // namespace

Result<FileHash> hashFile(const std::string& path) {
    // Non-blocking, so that a fifo is refused rather than waited for.
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) return failErrno(fmt::format("cannot open {}", path), errno);
    struct stat info{};
    if (::fstat(fd.get(), &info) != 0) return failErrno(fmt::format("cannot read {}", path), errno);
    if (!S_ISREG(info.st_mode)) return fail(ErrorKind::Invalid, fmt::format("{} is not a regular file", path));
    FileHash out;
    Sha256 hasher;
    std::vector<char> piece(kPiece);
    while (true) {
        const ssize_t n = ::read(fd.get(), piece.data(), piece.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failErrno(fmt::format("cannot read {}", path), errno);
        if (n == 0) break;
        hasher.update(std::string_view(piece.data(), static_cast<std::size_t>(n)));
        out.size += static_cast<std::uint64_t>(n);
    }
    out.hash = hasher.finish();
    return out;
}

Result<WorkerPackage> packWorker(std::string_view descriptor, const std::string& directory) {
    boost::system::error_code error;
    json::value value = json::parse(descriptor, error);
    if (error || !value.is_object())
        return refused(fmt::format("the descriptor is not a JSON object{}",
                                   error ? fmt::format(" ({})", error.message()) : ""));
    return Filler(directory, std::move(value.get_object())).fill();
}

Result<WorkerPackage> readWorkerPackage(const std::string& path) {
    std::error_code ec;
    const bool isDirectory = fs::is_directory(path, ec);
    const fs::path descriptor = isDirectory ? fs::path(path) / kDescriptorName : fs::path(path);
    auto text = readFile(descriptor.string(), kMaxDescriptorBytes);
    if (!text) return std::unexpected(text.error());
    boost::system::error_code jsonError;
    json::value value = json::parse(*text, jsonError);
    if (jsonError || !value.is_object())
        return refused(fmt::format("{} is not a JSON object{}", descriptor.string(),
                                   jsonError ? fmt::format(" ({})", jsonError.message()) : ""));
    const fs::path directory = descriptor.parent_path();
    return Filler(directory.empty() ? "." : directory.string(), std::move(value.get_object())).fill();
}

} // namespace yard
