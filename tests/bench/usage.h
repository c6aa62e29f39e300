// What processes and their threads have used: on a machine that others use too, ratios of CPU time say more than
// ratios of rates.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace yard::bench {

/// CPU seconds of this process, its reaped children, and (pid != 0) of a child that lives with what it has reaped.
double cpuSeconds(int pid = 0);

struct ThreadUse {
    double seconds = 0; ///< on a CPU
    long sleeps = 0;    ///< voluntary switches: it went to sleep
};
/// CPU seconds of another process, without its children.
double processSeconds(int pid);
/// How often the threads of another process have gone to sleep.
long sleeps(int pid);
/// By name, threads of one name summed, of this process and (pid != 0) of another one.
std::map<std::string, ThreadUse> threadUse(int pid = 0);
/// "engine 12.1 us 0.14 sleeps, …" per action, what used most first.
std::string describe(const std::map<std::string, ThreadUse>& before, const std::map<std::string, ThreadUse>& after,
                     long actions);

/// The first child of `parent` (0: this process) that is called so; 0: none.
int childNamed(const std::string& name, int parent = 0);

/// Of `pid` (0: this process), bytes.
long residentBytes(int pid = 0);

double median(std::vector<double> values);
/// "median 0.871, least 0.850, most 0.890".
std::string spread(const std::vector<double>& values);

/// A directory under TMPDIR, gone with this.
class ScratchDirectory {
public:
    explicit ScratchDirectory(const std::string& name);
    ~ScratchDirectory();
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

} // namespace yard::bench
