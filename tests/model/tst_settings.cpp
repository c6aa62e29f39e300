// Settings: what may be given, how it is printed, and that docs/settings.md and the texts for translators say the same
// as the table. With YARD_WRITE_PAPERS set both are written instead (./dev papers).
#include "core/model/settings.h"
#include "tests/model/papers.h"
#include "tests/support/show_strings.h"

#include <QObject>
#include <QTest>
#include <algorithm>
#include <fmt/format.h>

using namespace yard;

namespace {

/// As the table of the document has it.
std::string documented(const SettingInfo& setting) {
    std::string value;
    JsonWriter writer(value);
    writeSetting(writer, setting, Settings{});
    if (setting.isFamily()) value = "as found";
    if (value.starts_with('"')) value = value.substr(1, value.size() - 2);
    return fmt::format("| `{}` |{} | {} | {} | {} | {} |", setting.name,
                       setting.unit.empty() ? "" : fmt::format(" {}", setting.unit), rangeOf(setting), value,
                       setting.applies == Applies::AtOnce ? "at once" : "at start", setting.help);
}

std::string documentedTable() {
    std::string rows;
    for (const SettingInfo& setting : settingsTable()) rows += documented(setting) + "\n";
    return rows;
}

/// What the window shows of settings, once each: titles, units, help.
std::string textsForTranslators() {
    std::vector<std::string> texts;
    const auto add = [&](std::string text) {
        if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
    };
    for (const SettingInfo& setting : settingsTable())
        if (!setting.isFamily()) add(titleOf(setting));
    for (const SettingInfo& setting : settingsTable()) add(std::string(setting.unit));
    for (const SettingInfo& setting : settingsTable()) add(std::string(setting.help));
    return textsToTranslate("kSettingTexts", "EngineSetting", texts);
}

/// What is said of a setting that there is not.
QByteArray unknownSetting(const char* name) {
    QByteArray names;
    for (const SettingInfo& setting : settingsTable())
        names += (names.isEmpty() ? "" : ", ") + QByteArray(setting.name.data(), qsizetype(setting.name.size()));
    return QByteArray("There is no setting \"") + name + "\"; there are " + names + ".";
}

} // namespace

class SettingsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void givenSettingsArePrintedAndReadBack();
    void nullGoesBackToTheDefault();
    void namesOfAResourceAreAsManyAsThereAre();
    void whatIsWrongIsRefusedByName_data();
    void whatIsWrongIsRefusedByName();
    void aSettingIsGivenAsText_data();
    void aSettingIsGivenAsText();
    void theDocumentSaysWhatTheTableSays();
    void textsForTranslatorsAreThoseOfTheTable();
    void theTitleOfASettingIsItsNameWithoutItsUnit();
};

void SettingsTest::givenSettingsArePrintedAndReadBack() {
    QCOMPARE(toJson(GivenSettings{}), std::string("{\n}\n"));
    const auto given = applySettings({}, R"({"grace_s":0.5,"durability":"power","capacity":3})");
    QVERIFY(given);
    QCOMPARE(toJson(*given),
             std::string("{\n  \"capacity\": 3,\n  \"durability\": \"power\",\n  \"grace_s\": 0.5\n}\n"));
    const auto again = applySettings({}, toJson(*given));
    QVERIFY(again && again->values == given->values && again->given == given->given);
    QCOMPARE(given->values.grace, Duration(500'000));
    QCOMPARE(given->values.deadline, Settings{}.deadline);
}

void SettingsTest::nullGoesBackToTheDefault() {
    const auto given = applySettings({}, R"({"grace_s":5,"log_level":"debug","resources.gpus":2})");
    const auto back = applySettings(*given, R"({"grace_s":null,"resources.gpus":null})");
    QVERIFY(back);
    QCOMPARE(back->values.grace, Settings{}.grace);
    QCOMPARE(toJson(*back), std::string("{\n  \"log_level\": \"debug\"\n}\n"));
}

void SettingsTest::namesOfAResourceAreAsManyAsThereAre() {
    const auto given = applySettings({}, R"({"resources.port":["08-10","x"],"resources.licence.x":2})");
    QVERIFY(given);
    QCOMPARE(given->values.resources, (std::map<std::string, double>{{"licence.x", 2}, {"port", 4}}));
    const std::map<std::string, std::vector<std::string>> pieces = namedPieces(given->values);
    QCOMPARE(pieces, (std::map<std::string, std::vector<std::string>>{{"port", {"08", "09", "10", "x"}}}));
    const auto again = applySettings({}, toJson(*given));
    QVERIFY(again && again->values == given->values);
    const SettingInfo& family = *std::ranges::find_if(settingsTable(), &SettingInfo::isFamily);
    const auto others = applySettings(*given, R"({"resources.port":["1-4"]})");
    QCOMPARE(differing(family, given->values, others->values), std::vector<std::string>{"resources.port"});
    const auto amount = applySettings(*given, R"({"resources.port":4})");
    QVERIFY(amount->values.resourceNames.empty());
    QVERIFY(applySettings(*given, R"({"resources.port":null})")->values.resourceNames.empty());
}

void SettingsTest::whatIsWrongIsRefusedByName_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char* json, const char* message) {
        QTest::newRow(json) << QByteArray(json) << QByteArray(message);
    };
    row(R"({"colour":1})", unknownSetting("colour").constData());
    row(R"({"grace_s":61})", "Give \"grace_s\" as seconds from 0 to 60.");
    row(R"({"grace_s":-1})", "Give \"grace_s\" as seconds from 0 to 60.");
    row(R"({"grace_s":"2"})", "Give \"grace_s\" as seconds from 0 to 60.");
    row(R"({"grace_s":[2]})", "Give \"grace_s\" as seconds from 0 to 60.");
    row(R"({"capacity":1.5})", "Give \"capacity\" as a whole number from 0 to 4096.");
    row(R"({"capacity":true})", "Give \"capacity\" as a whole number from 0 to 4096.");
    row(R"({"durability":"both"})", "Give \"durability\" as process or power.");
    row(R"({"log_level":3})", "Give \"log_level\" as debug, info, warning or error.");
    row(R"({"env_never_kept":7})", "Give \"env_never_kept\" as a line of at most 1024 bytes.");
    row(R"({"env_never_kept":"a\nb"})", "Give \"env_never_kept\" as a line of at most 1024 bytes.");
    const char* names = "Give \"resources.gpus\" as an amount from 0 to 1000000000, or as at most 4096 names, all "
                        "different: [\"5000-5015\", \"6000\"].";
    row(R"({"resources.gpus":-1})", names);
    row(R"({"resources.gpus":[]})", names);
    row(R"({"resources.gpus":["a","a"]})", names);
    row(R"({"resources.gpus":["a,b"]})", names);
    row(R"({"resources.gpus":[1]})", names);
    row(R"({"resources.gpus":["1-5000"]})", names);
    row(R"({"resources.gpus":["5-1"]})", names);
    row(R"({"resources.gpus":""})", names);
    row(R"({"resources.a.b":["1"],"resources.a-b":["2"]})",
        "The resources a-b and a.b would be one variable of actions, YARD_RESOURCE_A_B: give one of them another "
        "name.");
    row(R"({"resources.GPUS":["1"]})", "The resources gpus and GPUS would be one variable of actions, "
                                       "YARD_RESOURCE_GPUS: give one of them another name.");
    row(R"({"resources.cores":4})", "The number of cores is the setting \"capacity\".");
    row(R"({"resources.":4})", "\"\" cannot be the name of a resource: a letter, then letters, digits, \".\", "
                               "\"_\" or \"-\", at most 64.");
    row("[]", "Give settings as a JSON object of names and values.");
    row("{", "");
    QTest::newRow("too large") << QByteArray("{}").append(70'000, ' ')
                               << QByteArray("Settings are a few lines of JSON, not more.");
}

void SettingsTest::whatIsWrongIsRefusedByName() {
    QFETCH(QByteArray, json);
    QFETCH(QByteArray, message);
    const auto refused = applySettings({}, json.toStdString());
    QVERIFY(!refused);
    if (message.isEmpty())
        QCOMPARE(int(refused.error().kind), int(ErrorKind::Malformed));
    else
        QCOMPARE(QByteArray::fromStdString(refused.error().message), message);
}

void SettingsTest::aSettingIsGivenAsText_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("printed");
    const auto row = [](const char* text, const char* printed) {
        QTest::newRow(text) << QByteArray(text) << QByteArray(printed);
    };
    row("grace_s=0.25", "{\n  \"grace_s\": 0.25\n}\n");
    row("capacity=8", "{\n  \"capacity\": 8\n}\n");
    row("resources.licence.x=2", "{\n  \"resources.licence.x\": 2\n}\n");
    row("resources.port=5000-5003,6000", "{\n  \"resources.port\": [\"5000-5003\",\"6000\"]\n}\n");
    row("resources.port=[\"5000-5003\", \"6000\"]", "{\n  \"resources.port\": [\"5000-5003\",\"6000\"]\n}\n");
    const std::string names =
        "Give \"resources.port\" as an amount from 0 to 1000000000, or as at most 4096 names, "
        "all different: [\"5000-5015\", \"6000\"].";
    row("resources.port=[]", names.c_str());
    row("resources.port=[5000]", names.c_str());
    row("resources.port=[\"5000\"", names.c_str());
    row("resources.display=:1", "{\n  \"resources.display\": [\":1\"]\n}\n");
    row("log_level=error", "{\n  \"log_level\": \"error\"\n}\n");
    row("env_never_kept=*KEY* 7", "{\n  \"env_never_kept\": \"*KEY* 7\"\n}\n");
    row("env_never_kept=", "{\n  \"env_never_kept\": \"\"\n}\n");
    row("grace_s", "Give a setting as NAME=VALUE, not \"grace_s\".");
    row("grace_s=", "Give \"grace_s\" as seconds from 0 to 60.");
    row("grace_s=2s", "Give \"grace_s\" as seconds from 0 to 60.");
    row("grace_s=nan", "Give \"grace_s\" as seconds from 0 to 60.");
    row("grace_s=inf", "Give \"grace_s\" as seconds from 0 to 60.");
    row("capacity=1e2", "Give \"capacity\" as a whole number from 0 to 4096.");
    row("colour=1", unknownSetting("colour").constData());
}

void SettingsTest::aSettingIsGivenAsText() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, printed);
    const auto given = applySetting({}, text.toStdString());
    QCOMPARE(QByteArray::fromStdString(given ? toJson(*given) : given.error().message), printed);
}

void SettingsTest::theDocumentSaysWhatTheTableSays() {
    checkPart("docs/settings.md", "|---|---|---|---|---|---|\n", "\nWhat is kept", documentedTable());
}

void SettingsTest::textsForTranslatorsAreThoseOfTheTable() {
    checkPart("ui/pages/settings/setting_texts.h", "// clang-format off\n", "// clang-format on\n",
              textsForTranslators());
}

void SettingsTest::theTitleOfASettingIsItsNameWithoutItsUnit() {
    const auto title = [](std::string_view name) {
        return titleOf(*std::ranges::find(settingsTable(), name, &SettingInfo::name));
    };
    QCOMPARE(title("capacity"), std::string("Capacity"));
    QCOMPARE(title("grace_s"), std::string("Grace"));
    QCOMPARE(title("keep_disk_percent"), std::string("Keep disk"));
    QCOMPARE(title("sandbox_tmp_mb"), std::string("Sandbox tmp"));
    QCOMPARE(title("stream_bytes"), std::string("Stream bytes"));
}

QTEST_APPLESS_MAIN(SettingsTest)
#include "tst_settings.moc"
