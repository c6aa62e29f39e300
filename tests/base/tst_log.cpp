// The log: what a line looks like, that nobody waits for its reader, and that losses are told.
#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/unique_fd.h"

#include <QRegularExpression>
#include <QTest>
#include <array>
#include <fcntl.h>
#include <future>
#include <thread>
#include <unistd.h>

using namespace yard;

namespace {

/// stderr goes into a pipe for as long as this lives.
class CapturedStderr {
public:
    CapturedStderr()
        : old_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) qFatal("pipe2 failed");
        reader_.reset(ends[0]);
        ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[1]);
    }
    ~CapturedStderr() { giveBack(); }
    CapturedStderr(const CapturedStderr&) = delete;
    CapturedStderr& operator=(const CapturedStderr&) = delete;

    /// Everything until stderr is given back; the caller has flushed the log.
    QByteArray all() {
        giveBack();
        QByteArray text;
        std::array<char, 65536> buffer{};
        for (ssize_t n; (n = ::read(reader_.get(), buffer.data(), buffer.size())) > 0;)
            text.append(buffer.data(), int(n));
        return text;
    }
    int reader() const { return reader_.get(); }

private:
    void giveBack() {
        if (!old_) return;
        ::dup2(old_.get(), STDERR_FILENO);
        old_.reset();
    }
    UniqueFd old_;
    UniqueFd reader_;
};

QList<QByteArray> linesOf(const QByteArray& text) {
    auto lines = text.split('\n');
    lines.removeLast();
    return lines;
}

/// How many lines a "lines lost" line tells of, 0 for any other.
int lossToldBy(const QByteArray& line) {
    static const QRegularExpression pattern("warning log: (\\d+) lines lost");
    const auto match = pattern.match(QString::fromUtf8(line));
    return match.hasMatch() ? match.captured(1).toInt() : 0;
}

} // namespace

class TestLog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup() {
        flushLog();
        setLogLevel(LogLevel::Info);
    }

    void aLineSaysWhenHowBadWhoAndWhat() {
        CapturedStderr captured;
        logWarning("store", "group of {} failed", 7);
        flushLog();
        const QString line = QString::fromUtf8(captured.all());
        static const QRegularExpression pattern(
            "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z warning store: group of 7 failed\n$");
        QVERIFY2(pattern.match(line).hasMatch(), qPrintable(line));
        const auto time = QDateTime::fromString(line.left(24), Qt::ISODateWithMs);
        QVERIFY(std::abs(time.msecsTo(QDateTime::currentDateTimeUtc())) < 60'000);
    }

    void linesBelowTheLevelAreNotWritten() {
        CapturedStderr captured;
        setLogLevel(LogLevel::Warning);
        QVERIFY(!logEnabled(LogLevel::Info, "a"));
        logDebug("a", "no");
        logInfo("a", "no");
        logLine(LogLevel::Info, "a", "no");
        logWarning("a", "yes");
        setLogLevel(LogLevel::Debug);
        logDebug("a", "yes");
        logError("a", "yes");
        flushLog();
        const auto lines = linesOf(captured.all());
        QCOMPARE(lines.size(), 3);
        QVERIFY(lines[0].contains(" warning a: yes") && lines[1].contains(" debug a: yes") &&
                lines[2].contains(" error a: yes"));
    }

    void anAreaHasALevelOfItsOwnUntilItFollowsTheOthersAgain() {
        CapturedStderr captured;
        setLogLevel(LogLevel::Warning);
        QVERIFY(setAreaLogLevel("http", LogLevel::Debug));
        QVERIFY(setAreaLogLevel("store", LogLevel::Error));
        logDebug("http", "yes");
        logWarning("store", "no");
        logInfo("engine", "no");
        QVERIFY(areaLogLevel("http") == LogLevel::Debug);
        QVERIFY(setAreaLogLevel("http", std::nullopt) && setAreaLogLevel("store", std::nullopt));
        QVERIFY(!areaLogLevel("http"));
        logInfo("http", "no");
        logWarning("store", "yes");
        QVERIFY(!setAreaLogLevel("nowhere", LogLevel::Debug));
        QVERIFY(!areaLogLevel("nowhere"));
        flushLog();
        const auto lines = linesOf(captured.all());
        QCOMPARE(lines.size(), 2);
        QVERIFY(lines[0].endsWith(" debug http: yes") && lines[1].endsWith(" warning store: yes"));
    }

    void theLatestLinesAreKept() {
        CapturedStderr captured;
        const std::vector<LogRecord> before = recentLog(0);
        const std::uint64_t last = before.empty() ? 0 : before.back().number;
        for (std::size_t n = 0; n < kRecentLines + 5; ++n) logInfo("a", "line {}", n);
        logWarning("b", "last\n{}", std::string(10'000, 'x'));
        flushLog();
        const std::vector<LogRecord> all = recentLog(last);
        QCOMPARE(all.size(), kRecentLines);
        QCOMPARE(all.front().text, "a: line 6");
        QCOMPARE(all.front().number, last + 7);
        QVERIFY(all.back().text.starts_with("b: last\\nxxx") && all.back().text.size() < 2'000);
        QVERIFY(all.back().level == LogLevel::Warning && all.back().time > 0);
        QCOMPARE(recentLog(all.back().number - 1).size(), std::size_t(1));
        QVERIFY(recentLog(all.back().number).empty());
    }

    void levelsAreReadByName() {
        LogLevel level = LogLevel::Info;
        for (const char* word : {"debug", "info", "warning", "error"}) QVERIFY(parseLogLevel(word, level));
        QVERIFY(level == LogLevel::Error);
        for (const char* word : {"", "Debug", "warn", "errors"}) QVERIFY(!parseLogLevel(word, level));
        QVERIFY(level == LogLevel::Error);
    }

    void aMessageCannotForgeALineOrDriveATerminal() {
        CapturedStderr captured;
        logInfo("http", "{}", std::string("a\n2026-01-01T00:00:00.000Z error http: b\x1b[2J\r\x7f\0é", 49));
        flushLog();
        const auto lines = linesOf(captured.all());
        QCOMPARE(lines.size(), 1);
        QVERIFY2(lines[0].contains("a\\n2026"), lines[0].constData());
        QVERIFY2(lines[0].endsWith("b\\x1b[2J\\x0d\\x7f\\x00\xc3\xa9"), lines[0].constData());
    }

    void anEndlessMessageIsCut() {
        CapturedStderr captured;
        logInfo("a", "{}", std::string(100'000, 'x'));
        flushLog();
        const QByteArray text = captured.all();
        QVERIFY(text.size() < 5000);
        QVERIFY2(text.endsWith("bytes more)\n"), text.right(40).constData());
    }

    void everyThreadsLinesArriveInItsOrder() {
        constexpr int kThreads = 8;
        constexpr int kLines = 500;
        CapturedStderr captured;
        QByteArray text;
        {
            std::vector<std::jthread> writers;
            for (int t = 0; t < kThreads; ++t)
                writers.emplace_back([t] {
                    for (int i = 0; i < kLines; ++i) logInfo("t", "{} {}", t, i);
                });
            std::jthread reader([&] {
                std::array<char, 65536> buffer{};
                while (text.count('\n') < kThreads * kLines) {
                    const ssize_t n = ::read(captured.reader(), buffer.data(), buffer.size());
                    if (n <= 0) return;
                    text.append(buffer.data(), int(n));
                }
            });
        }
        std::array<int, kThreads> next{};
        for (const QByteArray& line : linesOf(text)) {
            const auto words = line.split(' ');
            QCOMPARE(words.size(), 5);
            QCOMPARE(words[4].toInt(), next[words[3].toUInt()]++);
        }
        for (const int count : next) QCOMPARE(count, kLines);
    }

    void nobodyWaitsForAReaderThatDoesNotReadAndTheLossIsTold() {
        constexpr int kLines = 30'000;
        CapturedStderr captured;
        for (int i = 0; i < kLines; ++i)
            logInfo("flood", "line {}", i); // the pipe holds about 1,500: this would hang
        QByteArray text;
        std::promise<void> reads; // flushing would not wait for it for long
        std::jthread reader([&] {
            std::array<char, 65536> buffer{};
            for (ssize_t n; (n = ::read(captured.reader(), buffer.data(), buffer.size())) > 0;) {
                if (text.isEmpty()) reads.set_value();
                text.append(buffer.data(), int(n));
                if (text.endsWith("after\n")) return;
            }
        });
        reads.get_future().wait();
        flushLog();
        logInfo("flood", "after");
        flushLog();
        reader.join();
        int lost = 0;
        int told = 0;
        int kept = 0;
        for (const QByteArray& line : linesOf(text)) {
            if (const int n = lossToldBy(line))
                lost += n, ++told;
            else if (line.contains("flood: line"))
                ++kept;
        }
        QVERIFY(told > 0);
        QCOMPARE(kept + lost, kLines);
        QVERIFY2(kept >= 8192, qPrintable(QString::number(kept)));
    }

    void flushingGivesUpOnAReaderThatNeverComes() {
        CapturedStderr captured;
        const std::string wide(1000, 'w');
        for (int i = 0; i < 200; ++i) logInfo("stuck", "{}", wide);
        const MonoTime before = MonoClock::now();
        flushLog();
        const auto took = MonoClock::now() - before;
        QVERIFY2(took < std::chrono::seconds(20), "flush must not hold up the end of the process");
    }

    void aClosedStderrIsNoReasonToFail() {
        CapturedStderr captured;
        ::close(STDERR_FILENO);
        logInfo("a", "into the void");
        flushLog();
        flushLog();
    }
};

QTEST_APPLESS_MAIN(TestLog)
#include "tst_log.moc"
