#include "tests/bench/usage.h"

#include "core/base/files.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>

namespace yard::bench {

namespace {

std::string textOf(const std::string& path) {
    auto text = readFile(path);
    return text ? *text : std::string();
}

/// The value behind "name:" in a file of /proc.
long field(const std::string& text, const std::string& name) {
    const auto at = text.find(name);
    return at == std::string::npos ? 0 : std::atol(text.c_str() + at + name.size());
}

std::string procOf(int pid) {
    return pid == 0 ? "/proc/self" : fmt::format("/proc/{}", pid);
}

void addThreads(const std::string& process, std::map<std::string, ThreadUse>& sum) {
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator(process + "/task", gone)) {
        const std::string path = entry.path().string();
        std::string name = textOf(path + "/comm");
        while (!name.empty() && name.back() == '\n') name.pop_back();
        ThreadUse& use = sum[name];
        use.seconds += std::atof(textOf(path + "/schedstat").c_str()) / 1e9;
        use.sleeps += field(textOf(path + "/status"), "\nvoluntary_ctxt_switches:");
    }
}

} // namespace

double cpuSeconds(int pid) {
    double sum = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage u{};
        ::getrusage(who, &u);
        sum += static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
               static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
    }
    if (pid == 0) return sum;
    const std::string text = textOf(procOf(pid) + "/stat");
    if (text.empty()) return sum;
    long ticks[4] = {};
    std::sscanf(text.c_str() + text.rfind(')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld %ld %ld",
                &ticks[0], &ticks[1], &ticks[2], &ticks[3]);
    return sum + static_cast<double>(ticks[0] + ticks[1] + ticks[2] + ticks[3]) /
                     static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double processSeconds(int pid) {
    std::map<std::string, ThreadUse> threads;
    addThreads(procOf(pid), threads);
    double sum = 0;
    for (const auto& [name, use] : threads) sum += use.seconds;
    return sum;
}

long sleeps(int pid) {
    std::map<std::string, ThreadUse> threads;
    addThreads(procOf(pid), threads);
    long sum = 0;
    for (const auto& [name, use] : threads) sum += use.sleeps;
    return sum;
}

std::map<std::string, ThreadUse> threadUse(int pid) {
    std::map<std::string, ThreadUse> sum;
    addThreads(procOf(0), sum);
    if (pid != 0) addThreads(procOf(pid), sum);
    return sum;
}

std::string describe(const std::map<std::string, ThreadUse>& before, const std::map<std::string, ThreadUse>& after,
                     long actions) {
    struct Line {
        std::string name;
        double micros;
        double sleeps;
    };
    std::vector<Line> lines;
    for (const auto& [name, use] : after) {
        const auto at = before.find(name);
        const ThreadUse was = at == before.end() ? ThreadUse{} : at->second;
        const double each = 1.0 / static_cast<double>(actions);
        lines.push_back(
            {name, (use.seconds - was.seconds) * 1e6 * each, static_cast<double>(use.sleeps - was.sleeps) * each});
    }
    std::ranges::sort(lines, std::greater{}, &Line::micros);
    std::string text;
    for (const Line& line : lines)
        if (line.micros >= 0.05)
            text += fmt::format("{}{} {:.1f} us {:.2f} sleeps", text.empty() ? "" : ", ", line.name, line.micros,
                                line.sleeps);
    return text;
}

int childNamed(const std::string& name, int parent) {
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator(procOf(parent) + "/task", gone)) {
        const std::string pids = textOf(entry.path().string() + "/children");
        for (std::size_t at = 0; at < pids.size();) {
            const int pid = std::atoi(pids.c_str() + at);
            if (pid > 0 && textOf(procOf(pid) + "/comm").starts_with(name)) return pid;
            at = std::min(pids.find(' ', at), pids.size() - 1) + 1;
        }
    }
    return 0;
}

long residentBytes(int pid) {
    return field(textOf(procOf(pid) + "/status"), "\nVmRSS:") * 1024;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

std::string spread(const std::vector<double>& values) {
    return fmt::format("median {:.3f}, least {:.3f}, most {:.3f}", median(values), std::ranges::min(values),
                       std::ranges::max(values));
}

ScratchDirectory::ScratchDirectory(const std::string& name) {
    const char* where = std::getenv("TMPDIR");
    path_ = fmt::format("{}/{}.XXXXXX", where ? where : "/tmp", name);
    if (!::mkdtemp(path_.data())) throw std::runtime_error("no directory can be made: " + path_);
}

ScratchDirectory::~ScratchDirectory() {
    static_cast<void>(removeTree(path_));
}

} // namespace yard::bench
