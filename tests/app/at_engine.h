// How yardctl is called at an engine of a test: the words that name its data directory, without a terminal and with
// one.
#pragma once

#include "tests/app/ctl_process.h"
#include "tests/app/terminal_process.h"
#include "tests/torture/program.h"

#include <string>
#include <vector>

namespace yard::test {

inline QStringList at(const torture::Place& place, const QStringList& words) {
    return QStringList{"--data-dir", QString::fromStdString(place.data())} + words;
}

/// Runs yardctl without a terminal, to its end.
inline Ended ctl(const torture::Place& place, const QStringList& words) {
    return CtlProcess(at(place, words)).end();
}

/// What a TerminalProcess is started with to run yardctl.
inline std::vector<std::string> words(const torture::Place& place, const std::vector<std::string>& more) {
    std::vector<std::string> all = {YARDCTL_PATH, "--data-dir", place.data()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

} // namespace yard::test
