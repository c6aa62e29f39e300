#include "core/pool/restart_files.h"

namespace yard::pool {

RestartFiles::Advice RestartFiles::look(const RestartSigns& signs) {
    Advice advice;
    const bool touched = signs.restartAt && signs.restartAt != restartAt_;
    const bool begins = signs.always && !always_;
    advice.restart = looked_ && (touched || begins);
    advice.always = signs.always;
    looked_ = true;
    restartAt_ = signs.restartAt;
    always_ = signs.always;
    return advice;
}

std::string restartDirectory(std::string_view workerDir, std::string_view restartDir) {
    if (restartDir.starts_with('/')) return std::string(restartDir);
    std::string path(workerDir);
    path += '/';
    path += restartDir.empty() ? "tmp" : restartDir;
    return path;
}

} // namespace yard::pool
