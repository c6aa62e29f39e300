// A whole engine on a machine that its cloud takes away: a metadata service at the real address, in a network of the
// test's own.
#include "core/engine/reading/overview.h"
#include "core/launcher/launcher.h"
#include "tests/cloud/own_network.h"
#include "tests/engine/engine_test.h"

#include <QtTest>

#include <array>
#include <atomic>
#include <cerrno>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

using namespace yard;
using namespace yard::engine;
using namespace yard::test;

namespace {

constexpr const char* kAddress = "169.254.169.254";

/// AWS's service, on a thread of its own: one question after another.
class Metadata {
public:
    Metadata() {
        const int on = 1;
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_port = htons(80);
        if (::inet_pton(AF_INET, kAddress, &place.sin_addr) != 1 ||
            ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 ||
            ::listen(socket_.get(), 64) != 0)
            qFatal("the service does not listen: %d", errno);
        thread_ = std::thread([this] { serve(); });
    }
    ~Metadata() {
        ::shutdown(socket_.get(), SHUT_RDWR); // accept() returns
        thread_.join();
    }
    Metadata(const Metadata&) = delete;
    Metadata& operator=(const Metadata&) = delete;

    void says(const std::string& path, const std::string& body) {
        const std::lock_guard lock(mutex_);
        bodies_[path] = body;
    }
    int asked() const { return asked_; }

private:
    void serve() {
        while (true) {
            const UniqueFd connection(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (!connection) return;
            std::string head;
            std::array<char, 2048> buffer{};
            while (!head.contains("\r\n\r\n")) {
                const ssize_t bytes = ::read(connection.get(), buffer.data(), buffer.size());
                if (bytes <= 0) break;
                head.append(buffer.data(), static_cast<std::size_t>(bytes));
            }
            ++asked_;
            const std::size_t begin = head.find(' ') + 1;
            const std::string answer = answerTo(head.substr(begin, head.find(' ', begin) - begin));
            if (::write(connection.get(), answer.data(), answer.size()) < 0) continue; // it is gone
        }
    }
    std::string answerTo(const std::string& path) {
        const std::lock_guard lock(mutex_);
        const auto at = bodies_.find(path);
        const std::string body = at == bodies_.end() ? std::string() : at->second;
        return fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n\r\n{}", at == bodies_.end() ? 404 : 200,
                           body.size(), body);
    }

    UniqueFd socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    std::mutex mutex_;
    std::map<std::string, std::string> bodies_{{"/latest/api/token", "TOKEN1"},
                                               {"/latest/meta-data/instance-id", "i-01"},
                                               {"/latest/meta-data/instance-type", "c5.large"},
                                               {"/latest/meta-data/placement/region", "eu-west-1"},
                                               {"/latest/meta-data/instance-life-cycle", "spot"}};
    std::atomic<int> asked_{0};
    std::thread thread_;
};

bool hasOwnNetwork = false;

} // namespace

class TestCloudNotice : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        if (!hasOwnNetwork) QSKIP("this machine allows no network namespace");
    }
    void aNoticeEndsWhatRunsAndAbandonsTheSession() {
        Metadata metadata;
        EngineTest engine(2, [](Options& options) {
            options.mayProbeCloud = true;
            options.set = {"cloud_probe=on"};
        });
        const auto session = [&engine] { return engine.run(engine->ask(&Overview::session)); };
        QTRY_VERIFY_WITH_TIMEOUT(session().cloud.has_value(), kWaitMs);
        QCOMPARE(session().cloud->instance, std::string("i-01"));
        QCOMPARE(session().state, SessionState::Ready);
        const Lsn lsn = engine.sh("sleep 600");
        metadata.says("/latest/meta-data/spot/instance-action",
                      R"({"action":"terminate","time":"2017-09-18T08:22:00Z"})");
        QTRY_COMPARE_WITH_TIMEOUT(session().state, SessionState::Abandoned, kWaitMs);
        QCOMPARE(session().cloud->notice->what, std::string("terminate"));
        QCOMPARE(engine.wait(lsn).state, ActionState::Abandoned);
    }
    void anEngineWithAWindowAsksNobody() {
        Metadata metadata;
        {
            EngineTest engine(2, [](Options& options) { options.set = {"cloud_probe=on"}; });
            QVERIFY(!engine.run(engine->ask(&Overview::session)).cloud);
        }
        QCOMPARE(metadata.asked(), 0);
    }
};

// The namespace has to be entered before any thread is there.
int main(int argc, char** argv) {
    if (const auto launched = yard::runners::runLauncherIfAsked(argc, argv)) return *launched;
    hasOwnNetwork = cloud::test::enterOwnNetwork(kAddress);
    QCoreApplication application(argc, argv);
    TestCloudNotice test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_cloud_notice.moc"
