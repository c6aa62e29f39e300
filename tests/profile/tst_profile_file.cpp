// Profiles as bytes, good and hostile.
#include "core/profile/profile_file.h"

#include "tests/profile/sample.h"
#include "tests/support/show_strings.h"

#include <QTest>
#include <fmt/format.h>
#include <random>

using namespace yard;
using namespace yard::profile;

class TestProfileFile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsWrittenIsRead();
    void whatIsNoProfileIsRefused();
    void anotherVersionIsNamed();
    void aFileOfTheFirstVersionIsRead();
    void aFileOfTheSecondVersionHasCalls();
    void whatIsCountedIsKept();
    void eachCutIsRefused();
    void whatIsNotThereCannotBeNamed_data();
    void whatIsNotThereCannotBeNamed();
    void namesCannotSteerATerminal();
    void aPathHasItsDepth();
    void listsHaveTheirBounds();
    void longTextsAreCut();
    void damagedBytesNeverBreakTheReader();
};

void TestProfileFile::whatIsWrittenIsRead() {
    const auto read = decode(encode(test::sampleProfile()));
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QVERIFY(*read == test::sampleProfile());
    QVERIFY(decode(encode({})).value() == Profile{});
}

void TestProfileFile::whatIsNoProfileIsRefused() {
    for (const std::string_view bytes : {"", "YPROF", "something else altogether"}) {
        const auto read = decode(bytes);
        QVERIFY(!read && read.error().message.contains("no profile"));
    }
}

void TestProfileFile::anotherVersionIsNamed() {
    std::string bytes = encode(test::sampleProfile());
    for (const char version : {'\0', '\4'}) {
        bytes[8] = version;
        const auto read = decode(bytes);
        QVERIFY(!read);
        QCOMPARE(read.error().message,
                 fmt::format("this profile is of version {}, and versions 1 to 3 are read here", int{version}));
    }
}

/// One function, a thread, and one turn of it, as the first version wrote them.
void TestProfileFile::aFileOfTheFirstVersionIsRead() {
    const std::string bytes = std::string("YPROF\r\n\x1a") +
                              std::string("\x01\x05\x09\x01l", 5) +                             // version to loop
                              std::string("\x01\x01t\x00\x00", 5) +                             // functions
                              std::string("\x01\x00\x00\x03\x07\x01\x02\x03\x04\x05\x06", 11) + // nodes
                              std::string("\x01\x00\x02\x04\x00\x00", 6);                       // turns
    const auto read = decode(bytes);
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(read->loop, "l");
    QCOMPARE(read->functions.at(0).name, "t");
    const Cost& self = read->nodes.at(0).self;
    QVERIFY(self.calls == 3 && self.wallNanos == 7 && self.majorFaults == 6 && self.allocatedBytes == 0);
    QCOMPARE(read->slices.at(0).ranMicros, std::uint32_t(4));
}

/// The same as the second version wrote it: with allocated bytes, without what is counted.
void TestProfileFile::aFileOfTheSecondVersionHasCalls() {
    const std::string bytes = std::string("YPROF\r\n\x1a") +
                              std::string("\x02\x05\x09\x01l", 5) + // version to loop
                              std::string("\x01\x01t\x00\x00", 5) + // functions
                              std::string("\x01\x00\x00\x03\x07\x01\x02\x03\x04\x05\x06\x08", 12) + // nodes
                              std::string("\x01\x00\x02\x04\x00\x00", 6);                           // turns
    const auto read = decode(bytes);
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QVERIFY(read->counted == Counted::Calls);
    QCOMPARE(read->nodes.at(0).self.allocatedBytes, std::uint64_t(8));
}

void TestProfileFile::whatIsCountedIsKept() {
    Profile profile = test::sampleProfile();
    profile.counted = Counted::Samples;
    std::string bytes = encode(profile);
    QVERIFY(decode(bytes).value() == profile);
    // The number behind the loop's name: there are two kinds.
    const std::size_t at = bytes.find("engine") + std::string_view("engine").size();
    QCOMPARE(bytes.at(at), '\1');
    bytes[at] = '\2';
    QVERIFY(!decode(bytes));
}

void TestProfileFile::eachCutIsRefused() {
    const std::string bytes = encode(test::sampleProfile());
    for (std::size_t size = 8; size < bytes.size(); ++size)
        QVERIFY(!decode(std::string_view(bytes).substr(0, size)));
    QVERIFY(!decode(bytes + '\0'));
}

void TestProfileFile::whatIsNotThereCannotBeNamed_data() {
    QTest::addColumn<int>("what");
    QTest::newRow("a function") << 0;
    QTest::newRow("a parent that comes later") << 1;
    QTest::newRow("itself as parent") << 2;
    QTest::newRow("a node of a turn") << 3;
    QTest::newRow("a cost without bound") << 4;
}

void TestProfileFile::whatIsNotThereCannotBeNamed() {
    QFETCH(int, what);
    Profile profile = test::sampleProfile();
    if (what == 0) profile.nodes[0].function = 4;
    if (what == 1) profile.nodes[1].parent = 3;
    if (what == 2) profile.nodes[1].parent = 1;
    if (what == 3) profile.slices[0].node = 5;
    if (what == 4) profile.nodes[0].self.wallNanos = ~std::uint64_t(0);
    const auto read = decode(encode(profile));
    QVERIFY(!read && read.error().message.contains("damaged"));
}

void TestProfileFile::namesCannotSteerATerminal() {
    Profile profile = test::sampleProfile();
    profile.functions[0].name = "a\x1b[2Jb\n";
    QCOMPARE(decode(encode(profile)).value().functions[0].name, "a?[2Jb?");
}

void TestProfileFile::aPathHasItsDepth() {
    Profile profile = test::sampleProfile();
    profile.slices.clear();
    profile.nodes.assign(1, {.function = 0, .parent = kNoParent, .self = {}});
    while (profile.nodes.size() < kDeepest)
        profile.nodes.push_back(
            {.function = 1, .parent = static_cast<std::uint32_t>(profile.nodes.size() - 1), .self = {}});
    QVERIFY(decode(encode(profile)));
    profile.nodes.push_back({.function = 1, .parent = kDeepest - 1, .self = {}});
    QVERIFY(!decode(encode(profile)));
}

void TestProfileFile::listsHaveTheirBounds() {
    Profile profile = test::sampleProfile();
    profile.functions.resize(kMostFunctions);
    profile.nodes.resize(kMostNodes, {.function = 0, .parent = kNoParent, .self = {}});
    profile.slices.resize(kMostSlices);
    QVERIFY(decode(encode(profile)));
    Profile larger = profile;
    larger.functions.emplace_back();
    QVERIFY(!decode(encode(larger)));
    larger = profile;
    larger.nodes.push_back({.function = 0, .parent = kNoParent, .self = {}});
    QVERIFY(!decode(encode(larger)));
    larger = profile;
    larger.slices.emplace_back();
    QVERIFY(!decode(encode(larger)));
}

void TestProfileFile::longTextsAreCut() {
    Profile profile = test::sampleProfile();
    profile.functions[0].name = std::string(kLongestText - 1, 'a') + "\u00e9";
    profile.functions[1].name = std::string(kLongestText, 'b');
    const Profile read = decode(encode(profile)).value();
    QCOMPARE(read.functions[0].name, std::string(kLongestText - 1, 'a'));
    QCOMPARE(read.functions[1].name, profile.functions[1].name);
    // A file of others may have more.
    std::string bytes = encode(profile);
    const std::size_t at = bytes.find(profile.functions[1].name);
    QCOMPARE(bytes.substr(at - 2, 2), std::string("\x80\x20")); // its length
    bytes[at - 2] = '\x81';
    bytes.insert(at, 1, 'b');
    QVERIFY(!decode(bytes));
}

void TestProfileFile::damagedBytesNeverBreakTheReader() {
    std::mt19937 random(7);
    const std::string good = encode(test::sampleProfile());
    for (int round = 0; round < 20'000; ++round) {
        std::string bytes = good;
        for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes)
            bytes[8 + random() % (bytes.size() - 8)] = static_cast<char>(random());
        if (const auto read = decode(bytes)) QVERIFY(totals(*read).size() == read->nodes.size());
    }
}

QTEST_GUILESS_MAIN(TestProfileFile)
#include "tst_profile_file.moc"
