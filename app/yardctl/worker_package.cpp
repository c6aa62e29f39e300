#include "app/yardctl/worker_package.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "core/base/files.h"
#include "core/model/action_spec.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

namespace yard::ctl {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDescriptorName = "worker.json";
constexpr std::size_t kMaxDescriptor = 64u << 20;

/// Fills in one worker's descriptor. Paths are relative to `directory_`.
class Filler {
public:
    Filler(std::string directory, json::object descriptor)
        : directory_(std::move(directory))
        , descriptor_(std::move(descriptor)) {}

    Outcome<WorkerPackage> fill() {
        if (!descriptor_.contains("platform")) descriptor_["platform"] = thisPlatform();
        if (!descriptor_.contains("files"))
            if (auto found = findFiles(); !found) return std::unexpected(found.error());
        json::value& files = descriptor_["files"];
        if (!files.is_array()) return failed("\"files\" of the descriptor is not a list");
        for (json::value& entry : files.get_array())
            if (auto done = fillEntry(entry); !done) return std::unexpected(done.error());
        auto parsed = parseWorker(compactJson(descriptor_));
        if (!parsed) return failedWith(parsed.error());
        return WorkerPackage{std::move(*parsed), std::move(source_)};
    }

private:
    /// Every regular file below the directory but those whose name, or directory's name, begins with a dot; sorted,
    /// so that the same files make the same id everywhere.
    Outcome<void> findFiles() {
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
                return failed(fmt::format("{} is a link; a worker's files are plain ones, list them in \"files\"",
                                          it->path().string()));
            const std::string path = it->path().lexically_relative(directory_).generic_string();
            if (it->is_regular_file() && path != kDescriptorName) paths.push_back(path);
        }
        if (ec) return failed(fmt::format("cannot read {}: {}", directory_, ec.message()));
        if (paths.empty()) return failed(fmt::format("there are no files in {} but its descriptor", directory_));
        std::ranges::sort(paths);
        json::array files;
        for (const std::string& path : paths) files.push_back(json::object{{"path", path}});
        descriptor_["files"] = std::move(files);
        return {};
    }

    Outcome<void> fillEntry(json::value& entry) {
        if (entry.is_string()) entry = json::object{{"path", entry}};
        if (!entry.is_object()) return failed("\"files\" of the descriptor holds something that is no file");
        json::object& file = entry.get_object();
        const std::string path(textOf(file, "path"));
        if (!isSafeRelativePath(path))
            return failed(
                fmt::format("the path '{}' in \"files\" leaves the worker's directory or is none; give it "
                            "relative to the descriptor, without '..'",
                            printable(path)));
        const std::string onDisk = directory_ + "/" + path;
        auto hash = source_.add(onDisk);
        if (!hash) return std::unexpected(hash.error());
        if (auto same = agree(file, path, *hash); !same) return same;
        file["hash"] = hash->hash.hex();
        file["size"] = hash->size;
        if (!file.contains("mode")) file["mode"] = modeOf(onDisk, path);
        return {};
    }

    static Outcome<void> agree(const json::object& file, const std::string& path, const FileHash& real) {
        const std::string_view hash = textOf(file, "hash");
        const auto size = integerOf(file, "size");
        if (!hash.empty() && hash != real.hash.hex())
            return failed(
                fmt::format("{} is not the file its hash in the descriptor says; correct the hash or leave "
                            "it out",
                            path));
        if (size && static_cast<std::uint64_t>(*size) != real.size)
            return failed(
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
    ChunkSource source_;
};

} // namespace

Outcome<WorkerPackage> readWorkerPackage(const std::string& path) {
    std::error_code ec;
    const bool isDirectory = fs::is_directory(path, ec);
    const fs::path descriptor = isDirectory ? fs::path(path) / kDescriptorName : fs::path(path);
    auto text = readFile(descriptor.string(), kMaxDescriptor);
    if (!text) return failedWith(text.error());
    boost::system::error_code jsonError;
    json::value value = json::parse(*text, jsonError);
    if (jsonError || !value.is_object())
        return failed(fmt::format("{} is not a JSON object{}", descriptor.string(),
                                  jsonError ? fmt::format(" ({})", jsonError.message()) : ""));
    const fs::path directory = descriptor.parent_path();
    return Filler(directory.empty() ? "." : directory.string(), std::move(value.get_object())).fill();
}

} // namespace yard::ctl
