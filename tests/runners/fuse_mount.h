// A file system in user space of which the test is the other half: one directory in which every name is a
// directory, or, where it begins with "program", a script. It answers at once, or takes requests and holds them
// until it is told to answer: who waits for one is in the kernel where no signal reaches it.
#pragma once

#include "core/base/unique_fd.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace yard::test {

class FuseMount {
public:
    /// `script` is what the programs are. Mounts, which only a mount namespace of one's own may do.
    FuseMount(std::string directory, std::string script);
    ~FuseMount();
    FuseMount(const FuseMount&) = delete;
    FuseMount& operator=(const FuseMount&) = delete;

    bool isThere() const { return isThere_; }
    const std::string& path() const { return directory_; }
    /// Waits until `count` requests are held, up to 20 s.
    bool holds(std::size_t count = 1);
    std::size_t held();
    /// From now on it answers, what it holds first.
    void answer();
    /// From now on it holds.
    void hold();

private:
    void serve();
    void take(std::vector<char> request);
    void reply(const std::vector<char>& request);
    void send(std::uint64_t unique, int err, const void* body = nullptr, std::size_t size = 0);

    const std::string directory_;
    const std::string script_;
    UniqueFd fuse_;
    UniqueFd stop_; ///< eventfd
    bool isThere_ = false;
    std::mutex mutex_; // guards down to the next blank line
    std::condition_variable changed_;
    bool answers_ = false;
    std::vector<std::vector<char>> held_;

    std::thread thread_;
};

} // namespace yard::test
