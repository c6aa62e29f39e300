// Numbers, texts and counts as bytes: what is read is what was written, and what others send is never believed.
#include "core/base/byte_parts.h"

#include "core/base/varint.h"

#include <QTest>

#include <cstdint>
#include <limits>
#include <string>

using yard::ByteReader;
using yard::ByteWriter;

namespace {

enum class Fruit : std::uint8_t { Apple = 1, Pear, Plum };

std::string written(const auto& write) {
    std::string bytes;
    ByteWriter out(bytes);
    write(out);
    return bytes;
}

class TestByteParts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbersAreLittleEndian() {
        const std::string bytes = written([](ByteWriter& out) {
            out.number(std::uint32_t{0x01020304});
            out.number(Fruit::Pear);
        });
        QCOMPARE(bytes, std::string("\x04\x03\x02\x01\x02"));
    }
    void whatIsReadIsWhatWasWritten() {
        const std::string bytes = written([](ByteWriter& out) {
            out.number(std::numeric_limits<std::int64_t>::min());
            out.number(0.25);
            out.text("plum jam");
            out.number(std::uint8_t{1});
            out.number(Fruit::Plum);
            out.bytes("xyz");
        });
        ByteReader in(bytes);
        QCOMPARE(in.number<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
        QCOMPARE(in.number<double>(), 0.25);
        QCOMPARE(in.text(8), std::string("plum jam"));
        QVERIFY(in.flag());
        QVERIFY(in.choice(Fruit::Apple, Fruit::Plum) == Fruit::Plum);
        QVERIFY(in.isGood() && !in.isDone());
        QVERIFY(in.some(3) == "xyz");
        QVERIFY(in.isDone());
    }
    void whatIsNotThereReadsAsNothingFromThenOn() {
        const std::string bytes = written([](ByteWriter& out) {
            out.number(std::uint8_t{7});
            out.number(std::uint8_t{8});
        });
        ByteReader in(bytes);
        QCOMPARE(in.number<std::uint32_t>(), 0u);
        QVERIFY(!in.isGood());
        QCOMPARE(in.number<std::uint8_t>(), std::uint8_t{0});
        QCOMPARE(in.text(100), std::string());
        QCOMPARE(in.count(100, 1), std::size_t{0});
        QVERIFY(in.some(1).empty() && !in.isDone());
    }
    void aTextOverItsLimitIsRefused() {
        const std::string bytes = written([](ByteWriter& out) { out.text("four"); });
        ByteReader enough(bytes);
        QCOMPARE(enough.text(4), std::string("four"));
        QVERIFY(enough.isDone());
        ByteReader tooFew(bytes);
        QCOMPARE(tooFew.text(3), std::string());
        QVERIFY(!tooFew.isGood());
    }
    void aTextThatIsLongerThanItsBytesIsRefused() {
        ByteReader in("\xff\xff\xff\xff");
        QCOMPARE(in.text(std::numeric_limits<std::size_t>::max()), std::string());
        QVERIFY(!in.isGood());
    }
    void aListIsNeverLongerThanItsLimitOrWhatCame() {
        const std::string bytes = written([](ByteWriter& out) {
            out.number(std::uint32_t{3});
            for (int i = 0; i < 3; ++i) out.number(std::uint64_t{1});
        });
        QCOMPARE(ByteReader(bytes).count(3, 8), std::size_t{3});
        ByteReader overLimit(bytes);
        QCOMPARE(overLimit.count(2, 8), std::size_t{0});
        QVERIFY(!overLimit.isGood());
        ByteReader tooLarge(bytes);
        QCOMPARE(tooLarge.count(3, 9), std::size_t{0});
        QVERIFY(!tooLarge.isGood());
    }
    void aFlagIsZeroOrOne() {
        QVERIFY(!ByteReader(std::string_view("\0", 1)).flag());
        ByteReader in("\x02");
        QVERIFY(!in.flag());
        QVERIFY(!in.isGood());
    }
    void aChoiceOutsideItsValuesIsRefused() {
        for (const std::string_view bytes : {std::string_view("\0", 1), std::string_view("\x04")}) {
            ByteReader in(bytes);
            QVERIFY(in.choice(Fruit::Apple, Fruit::Plum) == Fruit::Apple);
            QVERIFY(!in.isGood());
        }
    }
    void aNumberTakesAsManyBytesAsItNeeds() {
        constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
        std::string bytes;
        for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{0x7f}, std::uint64_t{0x80}, kLargest})
            yard::appendVarint(bytes, value);
        QCOMPARE(bytes.size(), std::size_t{1 + 1 + 2 + 10});
        std::string_view left = bytes;
        for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{0x7f}, std::uint64_t{0x80}, kLargest})
            QVERIFY(yard::takeVarint(left) == value);
        QVERIFY(left.empty() && !yard::takeVarint(left));
        std::string_view cutOff = "\x80";
        QVERIFY(!yard::takeVarint(cutOff));
        std::string_view tooLarge = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02";
        QVERIFY(!yard::takeVarint(tooLarge));
    }
};

} // namespace

QTEST_APPLESS_MAIN(TestByteParts)
#include "tst_byte_parts.moc"
