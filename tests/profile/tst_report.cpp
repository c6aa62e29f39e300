// A profile as others read it.
#include "core/profile/report.h"

#include "tests/profile/sample.h"
#include "tests/support/show_strings.h"

#include <QTest>
#include <algorithm>
#include <boost/json.hpp>

using namespace yard;
using namespace yard::profile;

class TestReport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rowsAreOverAllPlaces();
    void theTableIsOfTheMostCostly();
    void samplesAreNotToldAsCalls();
    void collapsedStacksAreLines();
    void speedscopeHasSamplesAndTurns();
    void pprofHasSamplesPlacesAndNames();
    void thePageHasItsDataAndNothingFromElsewhere();
    void aNameCannotLeaveTheData();
};

void TestReport::rowsAreOverAllPlaces() {
    const std::vector<Row> rows = rowsOf(test::sampleProfile());
    QCOMPARE(rows.size(), std::size_t(4));
    QCOMPARE(rows[0].name, "janitor");
    QCOMPARE(rows[1].name, "yard::http::read");
    QCOMPARE(rows[1].place, "core/http/read.cpp:7");
    QCOMPARE(rows[1].self.wallNanos, std::uint64_t(12'000'000));
    QCOMPARE(rows[1].self.calls, std::uint64_t(7));
    QCOMPARE(rows[1].totalNanos, std::uint64_t(12'000'000)); // what is within itself counts once
    QCOMPARE(rows[2].name, "yard::http::serve");
    QCOMPARE(rows[2].totalNanos, std::uint64_t(14'000'000));
    QCOMPARE(ranNanos(test::sampleProfile()), std::uint64_t(31'000'000));
}

void TestReport::theTableIsOfTheMostCostly() {
    const std::string text = textTable(test::sampleProfile(), 2);
    QVERIFY2(text.starts_with("loop engine, 0.100 s, of them 0.031 s on the processor (31.0 %)\n"), text.c_str());
    QVERIFY2(text.contains("\n  51.6     16.000     16.000          1      8.0      0.0  thread janitor\n"),
             text.c_str());
    QVERIFY2(
        text.contains(
            "  38.7     12.000     12.000          7      6.0      0.0  yard::http::read  core/http/read.cpp:7\n"),
        text.c_str());
    QVERIFY2(text.ends_with("and 2 more\n"), text.c_str());
    QVERIFY(textTable({}, 5).contains("(0.0 %)"));
}

/// The fields of a message of protocol buffers: number and bytes, or number and value.
static std::vector<std::pair<std::uint64_t, std::string>> fieldsOf(std::string_view bytes) {
    std::vector<std::pair<std::uint64_t, std::string>> fields;
    const auto varint = [&bytes] {
        std::uint64_t value = 0;
        for (int shift = 0; !bytes.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(bytes.front());
            bytes.remove_prefix(1);
            value |= std::uint64_t(byte & 0x7fu) << shift;
            if (byte < 0x80) break;
        }
        return value;
    };
    while (!bytes.empty()) {
        const std::uint64_t tag = varint();
        const std::uint64_t value = varint();
        if ((tag & 7u) == 0) {
            fields.emplace_back(tag >> 3, std::to_string(value));
        } else {
            fields.emplace_back(tag >> 3, bytes.substr(0, value));
            bytes.remove_prefix(value);
        }
    }
    return fields;
}

void TestReport::samplesAreNotToldAsCalls() {
    Profile profile = test::sampleProfile();
    QVERIFY(textTable(profile, 5).contains(" CALLS "));
    profile.counted = Counted::Samples;
    profile.loop = "action 12";
    profile.functions[2] = {.name = "read", .file = "/usr/lib/libc.so.6", .line = 0};
    const std::string text = textTable(profile, 5);
    QVERIFY2(text.starts_with("action 12, 0.100 s, "), text.c_str());
    QVERIFY2(text.contains(" SAMPLES ") && !text.contains("CALLS"), text.c_str());
    QVERIFY2(text.contains("  program janitor\n"), text.c_str());
    QVERIFY2(text.contains("  read  /usr/lib/libc.so.6\n"), text.c_str());
    const std::string page = htmlPage(profile);
    QVERIFY(page.contains("<h1>Profile of action 12</h1>"));
    QVERIFY(page.contains(R"("counted":"samples","root":"program")"));
    QVERIFY(!page.contains("Turns of the threads"));
    const auto hasText = [](const Profile& of, std::string_view word) {
        for (const auto& [field, value] : fieldsOf(pprof(of)))
            if (field == 6 && value == word) return true;
        return false;
    };
    QVERIFY(hasText(profile, "samples") && !hasText(profile, "calls"));
    QVERIFY(hasText(test::sampleProfile(), "calls") && !hasText(test::sampleProfile(), "samples"));
}

void TestReport::collapsedStacksAreLines() {
    Profile profile = test::sampleProfile();
    profile.functions[0].name = "a;b\nc";
    QCOMPARE(collapsedStacks(profile), "a:b c 1000\n"
                                       "a:b c;yard::http::serve 2000\n"
                                       "a:b c;yard::http::serve;yard::http::read 4000\n"
                                       "a:b c;yard::http::serve;yard::http::read;yard::http::read 8000\n"
                                       "janitor 16000\n");
}

void TestReport::speedscopeHasSamplesAndTurns() {
    const boost::json::object root = boost::json::parse(speedscope(test::sampleProfile())).as_object();
    QCOMPARE(root.at("shared").as_object().at("frames").as_array().size(), std::size_t(4));
    const boost::json::object& sampled = root.at("profiles").as_array().at(0).as_object();
    QCOMPARE(boost::json::serialize(sampled.at("samples")), "[[0],[0,1],[0,1,2],[0,1,2,2],[3]]");
    QCOMPARE(boost::json::serialize(sampled.at("weights")), "[1000000,2000000,4000000,8000000,16000000]");
    QCOMPARE(sampled.at("endValue").as_int64(), std::int64_t(31'000'000));
    const boost::json::object& turns = root.at("profiles").as_array().at(1).as_object();
    QCOMPARE(boost::json::serialize(turns.at("events").as_array().at(1)), R"({"type":"C","frame":0,"at":15010})");
}

void TestReport::pprofHasSamplesPlacesAndNames() {
    std::vector<std::string> texts;
    std::vector<std::string> samples;
    int places = 0;
    int functions = 0;
    for (const auto& [field, value] : fieldsOf(pprof(test::sampleProfile()))) {
        if (field == 2) samples.push_back(value);
        if (field == 4) ++places;
        if (field == 5) ++functions;
        if (field == 6) texts.push_back(value);
        if (field == 10) QCOMPARE(value, "100000000");
    }
    QCOMPARE(samples.size(), std::size_t(5));
    QCOMPARE(places, 4);
    QCOMPARE(functions, 4);
    QCOMPARE(texts.at(0), "");
    QVERIFY(std::ranges::count(texts, "yard::http::serve") == 1 && std::ranges::count(texts, "nanoseconds") == 1);
    // The innermost of the fourth comes first: read, read, serve, the thread.
    QCOMPARE(fieldsOf(samples[3]).at(0).second, std::string("\x03\x03\x02\x01", 4));
}

void TestReport::thePageHasItsDataAndNothingFromElsewhere() {
    const std::string page = htmlPage(test::sampleProfile());
    QVERIFY(page.contains("yard::http::read"));
    QVERIFY(page.contains("2 before them are left out"));
    for (const std::string_view elsewhere : {"http://", "https://", " src=", "<link", "@import"})
        QVERIFY2(!page.contains(elsewhere), std::string(elsewhere).c_str());
}

void TestReport::aNameCannotLeaveTheData() {
    Profile profile = test::sampleProfile();
    profile.functions[0].name = "</script><script>alert(1)</script>";
    profile.loop = "<b>&";
    const std::string page = htmlPage(profile);
    QVERIFY(!page.contains("</script><script>alert") && !page.contains("<b>"));
    QVERIFY(page.contains("&lt;b>&amp;"));
}

QTEST_GUILESS_MAIN(TestReport)
#include "tst_report.moc"
