// A directory of a test's own, with files that are written by their names in it, and what keeps outputs there is.
#pragma once

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/unique_fd.h"
#include "core/lease/scratch.h"

#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>

namespace yard::runners::test {

inline Result<ChunkRef> keepByReading(const OutputFile& file) {
    std::string text(file.size, '\0');
    if (::read(file.fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        return fail(ErrorKind::Io, "short read");
    return ChunkRef{Sha256::of(text), file.size};
}

class InADirectory : public QObject {
protected:
    /// A new directory, empty.
    void begin() {
        dir_ = std::make_unique<QTemporaryDir>();
        root_ = dir_->path().toStdString();
    }
    std::string at(const std::string& name) const { return root_ + '/' + name; }
    void write(const std::string& name, const std::string& text) {
        QVERIFY(makeDirectories(std::filesystem::path(at(name)).parent_path().string()));
        QVERIFY(writeFileAtomically(at(name), text, 0644));
    }
    std::unique_ptr<QTemporaryDir> dir_;
    std::string root_;
};

} // namespace yard::runners::test
