// A folder of programs that are hooks, for tests, and what comes of a create in words.
#pragma once

#include "core/engine/objects/objects.h"
#include "tests/support/show_strings.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <fmt/format.h>
#include <string>
#include <sys/stat.h>

namespace yard::engine::test {

inline std::string shown(const Result<Objects::Created>& made) {
    return made ? fmt::format("made {}", made->ids.size())
                : std::string(errorName(made.error().kind)) + ": " + made.error().message;
}

/// An executable script of that name in the folder.
inline void addHook(const QTemporaryDir& folder, const std::string& name, const std::string& script) {
    const QString path = folder.filePath(QString::fromStdString(name));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString("#!/bin/sh\n" + script + "\n"));
    file.close();
    QCOMPARE(::chmod(path.toStdString().c_str(), 0755), 0);
}

inline void addFile(const QTemporaryDir& folder, const std::string& name, const std::string& text) {
    QFile file(folder.filePath(QString::fromStdString(name)));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(text));
}

} // namespace yard::engine::test
