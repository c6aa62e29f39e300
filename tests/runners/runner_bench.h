// A local runner on a data directory of its own, driven by poll, with what it reported; and the checks that every
// test ends with: no process, descriptor, zombie or thread is left.
#pragma once

#include "core/base/unique_fd.h"
#include "core/runners/local_runner.h"
#include "tests/support/waiting.h"

#include <QTemporaryDir>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace yard::runners::test {

/// The program with the roles (child.cpp).
std::string childProgram();

/// A FIFO through which processes say their name and pid.
class Fifo {
public:
    explicit Fifo(const std::string& path);
    ~Fifo();
    Fifo(const Fifo&) = delete;
    Fifo& operator=(const Fifo&) = delete;
    /// How many there are: their descriptors are the test's.
    static inline int alive = 0;
    const std::string& path() const { return path_; }
    /// The next line's word and pid, waiting up to kWaitMs; pid 0 when none comes.
    struct Line {
        std::string word;
        int pid = 0;
    };
    Line next();
    /// Opens the gate for one process that reads.
    void open();

private:
    std::string path_;
    UniqueFd fd_;
    std::string text_;
};

class RunnerBench {
public:
    explicit RunnerBench(unsigned slots = 2, std::function<void(LauncherConfig&)> change = {});
    ~RunnerBench();

    LocalRunner& runner() { return *runner_; }
    std::string path(const std::string& name) const {
        return dir_.filePath(QString::fromStdString(name)).toStdString();
    }
    const LauncherConfig& config() const { return config_; }
    /// A lease for a role of child.cpp.
    Lease lease(std::int64_t lsn, std::vector<std::string> role);
    void submit(std::int64_t lsn, std::vector<std::string> role) { submit(lease(lsn, std::move(role))); }
    void submit(Lease lease);

    /// Drives the runner until `done`, at most kWaitMs; false when it did not come to that.
    bool until(const std::function<bool()>& done);
    /// Drives until the attempt's Ended is there.
    const Ended* ended(std::int64_t lsn);
    bool isReturned(std::int64_t lsn) const;
    const Started* started(std::int64_t lsn) const;
    template<class T>
    std::vector<T> all(std::int64_t lsn) const {
        std::vector<T> found;
        for (const Update& update : seen)
            if (update.id.lsn.value == lsn)
                if (const auto* what = std::get_if<T>(&update.what)) found.push_back(*what);
        return found;
    }
    /// Shuts down and destroys the runner; true when nothing at all is left of it.
    bool close(Duration grace = Duration(2'000'000));

    std::vector<Update> seen;
    std::function<void(std::vector<Update>&)> onUpdates;
    bool acknowledges = true; ///< frees slot entries as an engine would

private:
    QTemporaryDir dir_;
    LauncherConfig config_;
    std::unique_ptr<LocalRunner> runner_;
    int fdsBefore_ = 0;
    int threadsBefore_ = 0;
};

int openDescriptors();
int threadCount();
/// Living processes with this token in their environment.
std::vector<int> ownedProcesses(const std::string& token);
/// No such process, or a zombie.
bool isGone(int pid);
std::string textOf(const StreamResult& stream);
/// What `print N` writes.
std::string pattern(std::size_t bytes);

} // namespace yard::runners::test

/// main() of a test class: it is the launcher when it is started as one.
#define YARD_RUNNER_TEST_MAIN(Class)                                                                               \
    int main(int argc, char** argv) {                                                                              \
        if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;                         \
        QCoreApplication app(argc, argv);                                                                          \
        Class test;                                                                                                \
        return QTest::qExec(&test, argc, argv);                                                                    \
    }
