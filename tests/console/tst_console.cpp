// The back door over real sockets: who may come, what is heard, and every bad day.
#include "core/console/console.h"

#include "core/base/log.h"
#include "core/base/unique_fd.h"
#include "tests/support/show_strings.h"
#include "tests/support/waiting.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace yard::console {

namespace {

UniqueFd connectTo(const std::string& path) {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::strncpy(std::data(address.sun_path), path.c_str(), sizeof address.sun_path - 1);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fd.reset();
    return fd;
}

class Client {
public:
    explicit Client(const std::string& path)
        : fd_(connectTo(path)) {}

    bool isConnected() const { return static_cast<bool>(fd_); }
    void send(std::string_view text) const { (void)::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL); }
    /// Up to and with `end`, or all there was before the console closed or nothing came for long.
    std::string until(std::string_view end) {
        for (;;) {
            if (const std::size_t at = kept_.find(end); at != std::string::npos) {
                std::string text = kept_.substr(0, at + end.size());
                kept_.erase(0, at + end.size());
                return text;
            }
            std::array<char, 65536> bytes{};
            const ssize_t size = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
            if (size <= 0) return std::exchange(kept_, {});
            kept_.append(bytes.data(), static_cast<std::size_t>(size));
        }
    }
    std::string rest() { return until("\x01 never printed"); }
    /// The answer, without the prompt behind it.
    std::string say(std::string_view line) {
        send(std::string(line) + "\n");
        std::string answer = until(kPrompt);
        answer.resize(answer.size() - std::min(answer.size(), kPrompt.size()));
        return answer;
    }
    std::string greeting() { return until(kPrompt); }
    void close() { fd_.reset(); }

private:
    UniqueFd fd_;
    std::string kept_;
};

/// One who was let in, as soon as there is a place; his greeting is read.
std::optional<Client> comeIn(const std::string& path) {
    std::optional<Client> client;
    const bool came = eventually([&] {
        client.emplace(path);
        return client->greeting().ends_with(kPrompt);
    });
    return came ? std::move(client) : std::nullopt;
}

coro::Task<ApiAnswer> answered(ApiRequest request, std::atomic<int>& asked) {
    asked.fetch_add(1);
    if (request.path == "session") co_return ApiAnswer{.status = 200, .body = R"({"state":"ready"})"};
    co_return ApiAnswer{.status = 404, .body = R"({"error":"not_found","message":"There is no such thing."})"};
}

} // namespace

class TestConsole : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { ::umask(022); } // files that others may write are not read
    void init();
    void cleanup();

    void theSocketIsItsOwnersAlone();
    void aLineIsAnsweredAndThePromptComesBack();
    void programsHearWhereAnAnswerEnds();
    void aReadOnlyConsoleChangesNothing();
    void theEngineIsAsked();
    void anEndlessLineKeepsNobodyWaiting();
    void whatWasHarmedIsMadeAnew();
    void aGigabyteIsCutShort();
    void aConnectionCutInTheMiddleLeavesItsPlace();
    void aClientThatDoesNotReadIsLetGo();
    void theNinthHearsASentence();
    void aSocketFileOfADeadEngineIsReplaced();
    void aFileThatIsNoSocketIsLeftAlone();
    void anotherUserIsRefused();
    void aLineThatIsTooLongEndsTheConsole();
    void commandsOfFilesAreThereAndABadFileStopsNothing();
    void watchingEndsWithTheNextLine();
    void twoLinesInOnePacketAreTwoAnswers();
    void stoppingEndsALineUnderWay();
    void aLongPathIsNoObstacle();

private:
    std::string path() const { return directory_->path().toStdString() + "/backdoor.sock"; }
    ConsoleOptions options() {
        ConsoleOptions options{.socket = path(), .user = ::geteuid()};
        options.greeting = "hello";
        options.ask = [this](ApiRequest request) { return answered(std::move(request), asked_); };
        options.line.time = std::chrono::milliseconds(300);
        return options;
    }
    void start(ConsoleOptions options) {
        auto started = Console::start(std::move(options));
        QVERIFY2(started.has_value(), started ? "" : started.error().message.c_str());
        console_ = std::move(*started);
    }

    std::optional<QTemporaryDir> directory_;
    std::unique_ptr<Console> console_;
    std::atomic<int> asked_{0};
};

void TestConsole::init() {
    directory_.emplace();
    asked_ = 0;
}

void TestConsole::cleanup() {
    console_.reset();
}

void TestConsole::theSocketIsItsOwnersAlone() {
    start(options());
    struct stat what{};
    QCOMPARE(::stat(path().c_str(), &what), 0);
    QVERIFY(S_ISSOCK(what.st_mode));
    QCOMPARE(what.st_mode & 0777, static_cast<mode_t>(0600));
    console_.reset();
    QVERIFY(!std::filesystem::exists(path()));
}

void TestConsole::aLineIsAnsweredAndThePromptComesBack() {
    start(options());
    Client client(path());
    QCOMPARE(client.greeting(), "hello\nyard> ");
    QCOMPARE(client.say("1 + 1"), "2\n");
    QCOMPARE(client.say(""), "");
    QCOMPARE(client.say("x = 5"), "");
    QCOMPARE(client.say("x\r"), "5\n");
    QVERIFY(client.say("for").starts_with("error: "));
    client.send("exit\n");
    QCOMPARE(client.rest(), "");
}

void TestConsole::aReadOnlyConsoleChangesNothing() {
    start(options());
    Client client(path());
    (void)client.until(kPrompt);
    QCOMPARE(client.say("#read-only"), "");
    QVERIFY(client.say("gc").contains("read-only until changes are allowed"));
    QVERIFY(!client.say("queues").contains("read-only"));
    QCOMPARE(client.say("#changes"), "");
    QVERIFY(!client.say("gc").contains("read-only"));
}

void TestConsole::programsHearWhereAnAnswerEnds() {
    start(options());
    Client client(path());
    client.send("#program\nprint('a\\4ok')\nerror('b', 0)\n");
    QVERIFY(client.until("\x04ok\n").ends_with("\x04ok\n"));
    QCOMPARE(client.until("\x04ok\n"), "a?ok\n\x04ok\n");
    QCOMPARE(client.until("\x04"
                          "error\n"),
             "error: b\n\x04"
             "error\n");
}

void TestConsole::theEngineIsAsked() {
    start(options());
    Client client(path());
    client.greeting();
    QCOMPARE(client.say("session"), "state  ready\n");
    QCOMPARE(client.say("action 5"), "error: There is no such thing.\n");
    QCOMPARE(asked_.load(), 2);
}

void TestConsole::anEndlessLineKeepsNobodyWaiting() {
    ConsoleOptions patient = options();
    patient.line.time = std::chrono::seconds(20);
    start(std::move(patient));
    Client first(path());
    first.greeting();
    first.send("while true do end\n");
    Client second(path());
    QCOMPARE(second.greeting(), "hello\nyard> ");
    QCOMPARE(second.say("1 + 1"), "2\n");
}

void TestConsole::whatWasHarmedIsMadeAnew() {
    start(options());
    Client client(path());
    client.greeting();
    client.say("x = 5");
    QCOMPARE(client.say("while true do pcall(function() while true do end end) end"),
             "error: took too long; its variables are gone\n");
    QCOMPARE(client.say("x"), "error: there is nothing named \"x\"; see help\n");
    QCOMPARE(client.say("local s = 'x' while true do s = s .. s end"), // a few steps
             "error: took too much memory; its variables are gone\n");
    QCOMPARE(client.say("1 + 1"), "2\n");
}

void TestConsole::aGigabyteIsCutShort() {
    ConsoleOptions patient = options();
    patient.line.time = std::chrono::seconds(20);
    start(std::move(patient));
    Client client(path());
    client.greeting();
    const std::string said = client.say("local s = string.rep('x', 1000000) for n = 1, 1000 do print(s) end");
    QVERIFY(said.size() < 2u << 20);
    QVERIFY(said.contains("left out"));
    QCOMPARE(client.say("1 + 1"), "2\n");
}

void TestConsole::aConnectionCutInTheMiddleLeavesItsPlace() {
    ConsoleOptions few = options();
    few.connections = 1;
    start(std::move(few));
    for (const char* line : {"while true do end\n", "print(", "print(string.rep('x', 1000000))\n", ""}) {
        auto client = comeIn(path());
        QVERIFY(client);
        client->send(line);
    }
    QVERIFY(comeIn(path()));
}

void TestConsole::aClientThatDoesNotReadIsLetGo() {
    ConsoleOptions hasty = options();
    hasty.connections = 1;
    hasty.writeStall = std::chrono::milliseconds(100);
    start(std::move(hasty));
    const Client client(path());
    client.send("print(string.rep('x', 1000000))\n");
    QVERIFY(comeIn(path()));
}

void TestConsole::theNinthHearsASentence() {
    start(options());
    std::vector<Client> clients;
    for (int n = 0; n < 8; ++n) {
        clients.emplace_back(path());
        QCOMPARE(clients.back().greeting(), "hello\nyard> ");
    }
    Client ninth(path());
    QCOMPARE(ninth.rest(), "8 consoles are open already; close one of them.\n");
    QCOMPARE(clients.front().say("1 + 1"), "2\n");
    clients.pop_back();
    QVERIFY(comeIn(path()));
}

void TestConsole::aSocketFileOfADeadEngineIsReplaced() {
    {
        const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
        std::strncpy(std::data(address.sun_path), path().c_str(), sizeof address.sun_path - 1);
        QCOMPARE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    }
    QVERIFY(std::filesystem::exists(path()));
    start(options());
    QCOMPARE(Client(path()).greeting(), "hello\nyard> ");
}

void TestConsole::aFileThatIsNoSocketIsLeftAlone() {
    std::ofstream(path()) << "mine";
    const auto started = Console::start(options());
    QVERIFY(!started);
    QVERIFY(started.error().message.contains("no socket"));
    QCOMPARE(std::filesystem::file_size(path()), std::uintmax_t(4));
}

void TestConsole::anotherUserIsRefused() {
    ConsoleOptions others = options();
    others.user = ::geteuid() + 1;
    start(std::move(others));
    const std::vector<LogRecord> before = recentLog(0);
    QCOMPARE(Client(path()).rest(), "");
    flushLog();
    const std::vector<LogRecord> said = recentLog(before.empty() ? 0 : before.back().number);
    QVERIFY(std::ranges::any_of(said, [](const LogRecord& line) {
        return line.level == LogLevel::Warning &&
               line.text.contains("was refused: the console is its owner's alone");
    }));
}

void TestConsole::aLineThatIsTooLongEndsTheConsole() {
    start(options());
    Client client(path());
    client.greeting();
    client.send(std::string(70'000, 'x'));
    QCOMPARE(client.rest(), "error: a line has 65536 bytes at most\n");
}

void TestConsole::commandsOfFilesAreThereAndABadFileStopsNothing() {
    ConsoleOptions more = options();
    more.commands = directory_->path().toStdString() + "/console.d";
    std::filesystem::create_directory(more.commands);
    std::ofstream(more.commands + "/a.lua") << "this is no Lua";
    std::ofstream(more.commands + "/b.lua") << "function b() -- Says b.\n print('b') end";
    std::ofstream(more.commands + "/c.lua") << "while true do end";
    start(std::move(more));
    Client client(path());
    const std::string greeting = client.greeting();
    QVERIFY(greeting.contains("console.d/a.lua: console.d/a.lua:1:"));
    QVERIFY(greeting.contains("console.d/c.lua: took too long"));
    QCOMPARE(client.say("1 + 1"), "2\n");
}

void TestConsole::watchingEndsWithTheNextLine() {
    start(options());
    Client client(path());
    client.greeting();
    client.send("n = 0\nwatch 0.2 \"n = n + 1 print(n)\"\n");
    QVERIFY(client.until("3\n").contains("1\n2\n3\n"));
    client.send("\n");
    client.until(kPrompt);
    client.until(kPrompt);
    QVERIFY(client.say("n > 2").contains("true"));
    QVERIFY(client.say("watch 0.2 \"error('x', 0)\"").contains("error: x"));
    QVERIFY(client.say("watch 0 \"1\"").starts_with("error: give it 0.2 to 3600 seconds"));
}

void TestConsole::twoLinesInOnePacketAreTwoAnswers() {
    start(options());
    Client client(path());
    client.greeting();
    client.send("1\n2\n");
    QCOMPARE(client.until(kPrompt), "1\nyard> ");
    QCOMPARE(client.until(kPrompt), "2\nyard> ");
    client.send("3");
    client.close();
}

void TestConsole::stoppingEndsALineUnderWay() {
    ConsoleOptions patient = options();
    patient.line.time = std::chrono::seconds(20);
    start(std::move(patient));
    Client client(path());
    client.greeting();
    client.send("while true do end\n");
    console_.reset();
    QCOMPARE(client.rest(), "");
}

void TestConsole::aLongPathIsNoObstacle() {
    ConsoleOptions deep = options();
    const std::string directory = directory_->path().toStdString() + "/" + std::string(120, 'd');
    std::filesystem::create_directory(directory);
    deep.socket = directory + "/backdoor.sock";
    start(std::move(deep));
    QVERIFY(std::filesystem::exists(directory + "/backdoor.sock"));
}

} // namespace yard::console

QTEST_GUILESS_MAIN(yard::console::TestConsole)
#include "tst_console.moc"
