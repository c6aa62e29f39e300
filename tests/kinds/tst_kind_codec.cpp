// A kind as bytes: the same again, and whatever else the bytes are refused.
#include "core/kinds/kind_codec.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

using namespace yard;
using namespace yard::kinds;

namespace {

Kind richKind() {
    Kind kind("w:f");
    std::mt19937_64 random(1);
    for (int i = 0; i < 700; ++i) {
        const std::string version = std::to_string(i / 300);
        Run run{
            .kind = "w:f", .version = version, .machine = "here", .end = 1'700'000'000'000'000 + i * 3'600'000'000};
        run.lsn = Lsn{i + 1};
        run.duration = (i < 300 ? 1.0 : 2.0) + static_cast<double>(random() % 100) / 1e3;
        run.memory = 5e7;
        run.wait = 0.0;
        run.output = static_cast<double>(i);
        run.work = static_cast<std::uint64_t>(i % 7);
        if (i % 10 == 9) {
            run.reason = Reason::ExitCode;
            run.line = "it failed";
        }
        if (kind.add(run)) (void)kind.look();
    }
    return kind;
}

} // namespace

class TestKindCodec : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatWasWrittenIsReadAgain() {
        const Kind kind = richKind();
        const std::string bytes = encodeKind(kind);
        const auto again = decodeKind("w:f", bytes);
        QVERIFY(again.has_value());
        QCOMPARE(encodeKind(*again), bytes);
        QCOMPARE(again->total().runs, std::uint64_t{700});
        QCOMPARE(again->changes().size(), kind.changes().size());
        QVERIFY(again->regression());
        QCOMPARE(again->regression()->version, std::string("1"));
        QVERIFY(again->flakiness().isFlaky());
        QCOMPARE(again->days().size(), kind.days().size());
    }
    void aKindTakesSomeTenKilobytes() {
        const std::size_t size = encodeKind(richKind()).size();
        QVERIFY2(size < 20'000, qPrintable(QString::number(size)));
    }
    void anEmptyKindIsReadAgain() { QVERIFY(decodeKind("k", encodeKind(Kind("k")))); }
    void everyCutIsRefused() {
        const std::string bytes = encodeKind(richKind());
        for (std::size_t size = 0; size < bytes.size(); size += size < 500 ? 1 : 97)
            QVERIFY(!decodeKind("w:f", std::string_view(bytes).substr(0, size)));
        QVERIFY(!decodeKind("w:f", bytes + '\0'));
    }
    void anotherFormatIsRefused() {
        std::string bytes = encodeKind(Kind("k"));
        bytes.front() = 3;
        QVERIFY(!decodeKind("k", bytes));
        bytes = encodeKind(Kind("k"));
        ++bytes[1]; // it knows a reason that is not known here
        QVERIFY(!decodeKind("k", bytes));
    }
    void theFirstFormatWithItsSixteenReasonsIsReadToo() {
        std::string bytes = encodeKind(Kind("k")); // its format, its reasons, then zeros
        bytes.front() = 1;
        bytes.erase(1, 1);
        bytes.erase(4, kReasons - 16); // behind the time of the last run and two counts
        QVERIFY(decodeKind("k", bytes));
    }
    void garbledBytesAreRefusedOrReadAndStayBounded() {
        const std::string bytes = encodeKind(richKind());
        std::mt19937_64 random(2);
        for (int round = 0; round < 2'000; ++round) {
            std::string garbled = bytes;
            for (int i = 0; i < 3; ++i) garbled[random() % garbled.size()] = static_cast<char>(random());
            auto kind = decodeKind("w:f", garbled);
            if (!kind) continue;
            Run run{.kind = "w:f", .version = "9", .machine = "x", .end = 1'800'000'000'000'000};
            run.duration = 1.0;
            for (int i = 0; i < 20; ++i) (void)kind->add(run);
            (void)kind->look();
            (void)kind->flakiness();
            (void)kind->since(0);
            QVERIFY(kind->days().size() <= Kind::kMaxDays);
        }
    }
};

QTEST_APPLESS_MAIN(TestKindCodec)
#include "tst_kind_codec.moc"
