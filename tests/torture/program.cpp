#include "tests/torture/program.h"

#include "core/base/clock.h"
#include "core/base/files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace yard::torture {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMark = "YARD_TORTURE_PLACE";

std::string procFile(int pid, const char* name) {
    const UniqueFd fd(::open(fmt::format("/proc/{}/{}", pid, name).c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t n; fd && (n = ::read(fd.get(), buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(n));
    return text;
}

std::vector<int> allPids() {
    std::vector<int> pids;
    DIR* proc = ::opendir("/proc");
    while (const dirent* entry = proc ? ::readdir(proc) : nullptr)
        if (const int pid = std::atoi(entry->d_name); pid > 0) pids.push_back(pid);
    if (proc) ::closedir(proc);
    return pids;
}

int parentOf(int pid) {
    const std::string stat = procFile(pid, "stat");
    const auto end = stat.rfind(')');
    return end == std::string::npos || end + 4 >= stat.size() ? 0 : std::atoi(stat.c_str() + end + 4);
}

// Qt Test ends a function after five minutes; the long forms take longer, and ctest has limits of its own.
[[gnu::constructor]] void bePatient() {
    ::setenv("QTEST_FUNCTION_TIMEOUT", "7200000", 0);
}

} // namespace

Place::Place(std::string where)
    : path_(where.empty() ? dir_.path().toStdString() : std::move(where)) {
    std::error_code error;
    fs::create_directories(work(), error);
    fs::copy_file("/bin/sleep", nap(), fs::copy_options::overwrite_existing, error);
    if (error) qFatal("%s cannot be made: %s", nap().c_str(), error.message().c_str());
}

std::string Place::path(std::string_view name) const {
    return name.empty() ? path_ : fmt::format("{}/{}", path_, name);
}

std::string Place::errors() const {
    std::string all;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(path_, error))
        if (entry.path().filename().string().starts_with("stderr.")) all += fileText(entry.path().string());
    return all;
}

std::vector<int> processesOf(const Place& place, int except) {
    std::vector<int> found;
    const std::string mark = place.path();
    for (const int pid : allPids()) {
        if (pid == except || pid == ::getpid()) continue;
        if (procFile(pid, "environ").find(mark) != std::string::npos ||
            procFile(pid, "cmdline").find(mark) != std::string::npos)
            found.push_back(pid);
    }
    return found;
}

std::string describe(const std::vector<int>& pids) {
    std::string text;
    for (const int pid : pids) {
        std::string words = procFile(pid, "cmdline");
        std::ranges::replace(words, '\0', ' ');
        text += fmt::format("{} ({}), ", pid, words);
    }
    return text;
}

std::string fileText(const std::string& path) {
    return readFile(path, std::size_t{256} << 20).value_or(std::string());
}

int numberFrom(const char* variable, int usual) {
    bool ok = false;
    const int wanted = qEnvironmentVariableIntValue(variable, &ok);
    return ok && wanted > 0 ? wanted : usual;
}

void writeText(const std::string& path, std::string_view text) {
    if (auto written = writeFileAtomically(path, text, 0600); !written)
        qFatal("%s", written.error().message.c_str());
}

std::string jsonText(std::string_view text) {
    return boost::json::serialize(boost::json::string(text));
}

std::string shJson(const Place& place, std::string_view script, std::string_view more) {
    return fmt::format(R"({{"worker":"exec","argv":["/bin/sh","-c",{}],"cwd":{}{}}})", jsonText(script),
                       jsonText(place.work()), more);
}

// --- callers

boost::json::object Answer::json() const {
    boost::system::error_code error;
    const auto value = boost::json::parse(body, error);
    return !error && value.is_object() ? value.as_object() : boost::json::object{{"not json", body}};
}

std::int64_t Answer::number(std::string_view member) const {
    const auto object = json();
    const auto* value = object.if_contains(member);
    return value && value->is_int64() ? value->as_int64() : -1;
}

std::string Answer::text(std::string_view member) const {
    const auto object = json();
    const auto* value = object.if_contains(member);
    return value && value->is_string() ? std::string(value->as_string()) : std::string();
}

Caller::Caller(std::uint16_t port, std::string token)
    : port_(port)
    , token_(std::move(token)) {}

std::string Caller::request(std::string_view method, std::string_view target, std::string_view body,
                            std::string_view fields) const {
    std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n{}", method,
                                   target, token_, fields);
    if (!body.empty() || method != "GET") text += fmt::format("Content-Length: {}\r\n", body.size());
    if (!body.empty() && !fields.contains("Content-Type:")) text += "Content-Type: application/json\r\n";
    return text + "\r\n" + std::string(body);
}

Answer Caller::call(std::string_view method, std::string_view target, std::string_view body,
                    std::string_view fields) {
    if (!client_) client_.emplace(port_);
    client_->setLimitMs(60'000);
    if (!client_->isConnected() || !client_->send(request(method, target, body, fields))) {
        client_.reset();
        return {};
    }
    http::RawAnswer raw = client_->receive(method == "HEAD");
    if (raw.status == 0 || http::RawAnswer(raw).field("Connection") == "close") client_.reset();
    return {raw.status, std::move(raw.body)};
}

Answer Caller::result(std::int64_t lsn, int limitSeconds) {
    return get(fmt::format("/compute/jobs/{}?wait={}", lsn, std::min(limitSeconds, 50)));
}

// --- the program

Yardmaster::Yardmaster(const Place& place, Options options)
    : dataDir_(options.dataDir.empty() ? place.data() : options.dataDir) {
    static int number = 0;
    errorFile_ = place.path(fmt::format("stderr.{:04}", ++number));
    std::vector<std::string> words = std::move(options.wrapper);
    for (const char* word : {YARDMASTER_PATH, "--headless", "--no-sandbox", "--data-dir"}) words.emplace_back(word);
    words.push_back(dataDir_);
    words.insert(words.end(), {"--listen", options.listen});
    words.insert(words.end(), options.arguments.begin(), options.arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::string mark = fmt::format("{}={}", kMark, place.path());
    std::vector<char*> envp;
    for (char** entry = environ; *entry; ++entry) envp.push_back(*entry);
    envp.insert(envp.end(), {mark.data(), nullptr});

    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) qFatal("no pipe");
    out_.reset(ends[0]);
    const UniqueFd writing(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, writing.get(), 1);
    ::posix_spawn_file_actions_addopen(&actions, 2, errorFile_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int error = ::posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), envp.data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) qFatal("%s does not start: %s", argv[0], std::strerror(error));
}

Yardmaster::~Yardmaster() {
    if (!exit_) kill();
}

bool Yardmaster::isServing(int limitMs) {
    const MonoTime until = MonoClock::now() + std::chrono::milliseconds(limitMs);
    constexpr std::string_view kWords = "listening on http"; // or https
    while (port_ == 0) {
        pollfd wait{out_.get(), POLLIN, 0};
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - MonoClock::now()).count();
        if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) return false;
        std::array<char, 256> buffer;
        const ssize_t n = ::read(out_.get(), buffer.data(), buffer.size());
        if (n <= 0) return false;
        said_.append(buffer.data(), static_cast<std::size_t>(n));
        const std::string line = said_.substr(0, said_.find('\n'));
        if (line.size() == said_.size()) continue;
        if (!line.starts_with(kWords)) qFatal("the first line is: %s", said_.c_str());
        std::from_chars(line.data() + line.rfind(':') + 1, line.data() + line.size(), port_);
    }
    return true;
}

Caller Yardmaster::caller() const {
    std::string token = fileText(dataDir_ + "/token");
    while (token.ends_with('\n')) token.pop_back();
    return {port_, std::move(token)};
}

int Yardmaster::launcherPid() const {
    for (const int pid : allPids())
        if (parentOf(pid) == pid_ && procFile(pid, "cmdline").starts_with("yard-launcher")) return pid;
    return 0;
}

void Yardmaster::signal(int number) const {
    if (!exit_) ::kill(pid_, number);
}

void Yardmaster::kill() {
    signal(SIGKILL);
    (void)exitCode();
}

int Yardmaster::exitCode(int limitMs) {
    (void)eventually(
        [&] {
            int status = 0;
            if (!exit_ && ::waitpid(pid_, &status, WNOHANG) == pid_)
                exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            return exit_.has_value();
        },
        limitMs);
    return exit_.value_or(-1);
}

int Yardmaster::stop() {
    signal(SIGTERM);
    return exitCode();
}

std::string Yardmaster::errors() const {
    return fileText(errorFile_);
}

std::string Yardmaster::failure() {
    const int code = exitCode();
    return fmt::format("{} {}", code, errors());
}

} // namespace yard::torture
