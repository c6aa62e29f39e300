// The file of engines that a person trusts: what is read, replaced and refused.
#include "core/base/files.h"
#include "core/model/known_engines.h"
#include "tests/support/show_strings.h"

#include <QTemporaryDir>
#include <QTest>
#include <fmt/format.h>
#include <string>

using namespace yard;

class TestKnownEngines : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsRememberedIsKnown();
    void linesThatSayNothingAreLeftOut();
    void thereIsALimit();
    void whatCannotBeReadOrWrittenIsSaid();
    void itIsInTheUsersConfiguration();

private:
    std::string path(const std::string& name) const { return dir_.path().toStdString() + "/" + name; }
    QTemporaryDir dir_;
};

namespace {

const std::string kOne(64, '1');
const std::string kTwo(64, '2');

} // namespace

void TestKnownEngines::whatIsRememberedIsKnown() {
    const std::string file = path("a/b/known");
    QCOMPARE(knownFingerprint(file, "desk:1").value_or("?"), std::string());
    QVERIFY(rememberFingerprint(file, "desk:1", kOne).has_value());
    QVERIFY(rememberFingerprint(file, "[::1]:2", kOne).has_value());
    QCOMPARE(knownFingerprint(file, "desk:1").value_or("?"), kOne);
    QCOMPARE(knownFingerprint(file, "desk:2").value_or("?"), std::string());
    QVERIFY(rememberFingerprint(file, "desk:1", kTwo).has_value());
    QCOMPARE(knownFingerprint(file, "desk:1").value_or("?"), kTwo);
    QCOMPARE(readFile(file).value_or(""), "[::1]:2 " + kOne + "\ndesk:1 " + kTwo + "\n");
}

void TestKnownEngines::linesThatSayNothingAreLeftOut() {
    const std::string file = path("odd");
    const std::string text =
        "# engines\n\ndesk:1\n desk:2 " + kOne + "\ndesk:3 short\ndesk:4 " + kOne + "\ndesk:5 " + kTwo;
    QVERIFY(writeFileAtomically(file, text, 0600).has_value());
    QCOMPARE(knownFingerprint(file, "desk:3").value_or("?"), std::string());
    QCOMPARE(knownFingerprint(file, "desk:4").value_or("?"), kOne);
    QCOMPARE(knownFingerprint(file, "desk:5").value_or("?"), kTwo);
    QVERIFY(rememberFingerprint(file, "new:1", kOne).has_value());
    QCOMPARE(readFile(file).value_or(""), "desk:4 " + kOne + "\ndesk:5 " + kTwo + "\nnew:1 " + kOne + "\n");
}

void TestKnownEngines::thereIsALimit() {
    std::string text;
    for (std::size_t i = 0; i < kMostKnownEngines; ++i) text += fmt::format("desk:{} {}\n", i, kOne);
    const std::string file = path("full");
    QVERIFY(writeFileAtomically(file, text, 0600).has_value());
    QVERIFY(rememberFingerprint(file, "desk:7", kTwo).has_value()); // in place of its line
    QCOMPARE(rememberFingerprint(file, "more:1", kOne).error().kind, ErrorKind::AtLimit);
}

void TestKnownEngines::whatCannotBeReadOrWrittenIsSaid() {
    QVERIFY(makeDirectories(path("directory")).has_value());
    QVERIFY(!knownFingerprint(path("directory"), "desk:1").has_value());
    QVERIFY(!rememberFingerprint(path("directory"), "desk:1", kOne).has_value());
    QVERIFY(writeFileAtomically(path("file"), "x", 0600).has_value());
    QVERIFY(!rememberFingerprint(path("file/known"), "desk:1", kOne).has_value());
}

void TestKnownEngines::itIsInTheUsersConfiguration() {
    qputenv("XDG_CONFIG_HOME", "/somewhere");
    QCOMPARE(knownEnginesFile(), std::string("/somewhere/yardmaster/known_engines"));
    qputenv("XDG_CONFIG_HOME", "relative");
    qputenv("HOME", "/home/anna");
    QCOMPARE(knownEnginesFile(), std::string("/home/anna/.config/yardmaster/known_engines"));
}

QTEST_GUILESS_MAIN(TestKnownEngines)
#include "tst_known_engines.moc"
