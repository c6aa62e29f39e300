// The pages look as they did: pictures of an engine that was written down (recorded_engine.h), held against those in
// tests/ui/pictures, and the places of words and icons against those written down beside them (page_layout.h).
// tests/README.md says how to make them again.
//
//   tst_ui_pictures            compares
//   tst_ui_pictures --make     makes the pictures of tests/ui/pictures/engine.json
//   tst_ui_pictures --record   writes engine.json, of a real engine after a short evening (evening.h)
//
// The clock of this program stands still at the moment of the recording, its zone is UTC, its language English.
#include "tests/support/waiting.h"
#include "tests/ui/evening.h"
#include "tests/ui/likeness.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/page_layout.h"
#include "tests/ui/real_engine.h"
#include "tests/ui/recorded_engine.h"
#include "ui/pages/objects/objects_page.h"
#include "ui/pages/page.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/main_window.h"
#include "ui/shell/navigation.h"
#include "ui/state/languages.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"
#include "ui/style/type.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFontInfo>
#include <QHash>
#include <QHostInfo>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

using namespace yard;
using namespace yard::ui;

namespace {

std::atomic<qint64> fixedMs{0}; // 0: as it is

/// Half of the window: letters get small, areas stay.
constexpr QSize kWindow{1'440, 900};
constexpr int kPart = 2;
/// What the pages need to have drawn, of what is made again by hand only.
constexpr int kSettleMs = 2'000;

QString fileOf(const QString& name) {
    return QDir(QStringLiteral(YARD_PICTURES)).filePath(name);
}

QImage smaller(const QImage& picture) {
    return picture.scaled(picture.size() / kPart, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
        .convertToFormat(QImage::Format_RGB32);
}

/// The one that is selected on the picture of objects.
constexpr qint64 kObject = 13'391;

/// What is shown on a picture, and how one gets there.
struct Shot {
    QString name;
    std::function<void(MainWindow&, const test::Recording&)> select;
};

qint64 thing(const test::Recording& recording, const char* name) {
    const auto found = recording.things.find(QLatin1String(name));
    return found == recording.things.end() ? 0 : found->second;
}

} // namespace

// Qt and the standard library ask here. Only the time of day stands still: what waits goes by the other clock.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t clock, timespec* time) noexcept {
    const qint64 fixed = fixedMs.load(std::memory_order_relaxed);
    if (clock != CLOCK_REALTIME || fixed == 0) return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
    *time = {.tv_sec = fixed / 1'000, .tv_nsec = fixed % 1'000 * 1'000'000};
    return 0;
}

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
extern "C" __attribute__((visibility("default"))) int gettimeofday(timeval* time, void*) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    *time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1'000};
    return 0;
}

namespace {

/// The first row of the page's table.
void selectFirst(MainWindow& window) {
    auto* table = window.navigation().page()->findChild<Table*>();
    if (table == nullptr) return;
    (void)QTest::qWaitFor([table] { return table->rows()->rowCount() > 0; }, kWaitMs);
    if (table->rows()->rowCount() > 0) table->selectId(table->rows()->idAt(0));
}

std::vector<Shot> shots() {
    using test::Recording;
    const auto page = [](const char* id) {
        return Shot{QString::fromLatin1(id), [id](MainWindow& window, const Recording&) {
                        window.navigation().show(QString::fromLatin1(id));
                    }};
    };
    const auto withFirst = [page](const char* id) {
        Shot shot = page(id);
        shot.select = [show = shot.select](MainWindow& window, const Recording& recording) {
            show(window, recording);
            selectFirst(window);
        };
        return shot;
    };
    return {
        page("dashboard"),
        {"queues",
         [](MainWindow& window, const Recording& recording) {
             window.navigation().showThing("queues", thing(recording, "cook"));
         }},
        {"actions",
         [](MainWindow& window, const Recording& recording) {
             window.navigation().show("actions", "queue:nightly-cook");
             window.navigation().showAction(thing(recording, "failed"), "output");
         }},
        {"graph",
         [](MainWindow& window, const Recording& recording) {
             window.navigation().show("actions", "queue:release-build");
             window.navigation().showAction(thing(recording, "build"), "graph");
         }},
        {"objects",
         [](MainWindow& window, const Recording&) {
             window.navigation().show("objects", "type:snapshot");
             auto* page = qobject_cast<ObjectsPage*>(window.navigation().page());
             (void)QTest::qWaitFor([page] { return page->model()->rowOf(kObject) >= 0; }, kWaitMs);
             page->open(kObject);
         }},
        withFirst("workers"),
        withFirst("pool"),
        page("timelines"),
        {"machines", [](MainWindow& window, const Recording&) { window.navigation().show("machines", "press"); }},
        withFirst("failures"),
        {"settings", [](MainWindow& window, const Recording&) {
             window.navigation().show("settings");
             window.navigation().page()->setFilter("engine");
         }}};
}

/// The window on an engine, as it is for each picture.
class Stage {
public:
    Stage(std::unique_ptr<EngineLink> link, const test::Recording& recording)
        : recording_(recording) {
        QSettings().clear();
        window_ = std::make_unique<MainWindow>();
        window_->engine().set(std::move(link), "embedded");
        window_->resize(kWindow);
        window_->show();
    }
    MainWindow& window() { return *window_; }
    bool isReady() {
        return QTest::qWaitFor(
            [this] {
                return window_->engine().state()->isLive() && !window_->engine().state()->queues().empty() &&
                       !window_->engine().state()->session().isEmpty();
            },
            kWaitMs);
    }
    void select(const Shot& shot) { shot.select(*window_, recording_); }
    QImage picture() {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        return smaller(window_->grab().toImage());
    }
    test::PageLayout layout() {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        return test::PageLayout::of(*window_);
    }

private:
    const test::Recording& recording_;
    std::unique_ptr<MainWindow> window_;
};

/// In a wider font their words wrap and their buttons fold elsewhere. The pictures are in Inter, which ./dev installs.
bool isOfThisFont(const QString& shot) {
    static const QStringList others{"queues", "actions", "graph", "settings"};
    return QFontInfo(typeface(Type::Body)).family().startsWith("Inter") || !others.contains(shot);
}

QString nameOf(Theme::Choice look) {
    return look == Theme::Choice::Dark ? QStringLiteral("dark") : QStringLiteral("light");
}

/// In its 256 most frequent colours: small as a file, and as it was for the eye.
QImage inFewColours(const QImage& picture) {
    QHash<QRgb, int> counts;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) ++counts[picture.pixel(x, y)];
    QList<QRgb> table = counts.keys();
    std::ranges::sort(table, [&](QRgb a, QRgb b) { return counts[a] > counts[b]; });
    if (table.size() > 256) table.resize(256);
    const auto nearestTo = [&](QRgb colour) {
        const auto distance = [colour](QRgb other) {
            return std::abs(qRed(colour) - qRed(other)) + std::abs(qGreen(colour) - qGreen(other)) +
                   std::abs(qBlue(colour) - qBlue(other));
        };
        return static_cast<uint>(std::ranges::min_element(table, {}, distance) - table.begin());
    };
    QHash<QRgb, uint> places;
    for (auto each = counts.keyBegin(); each != counts.keyEnd(); ++each) places[*each] = nearestTo(*each);
    QImage few(picture.size(), QImage::Format_Indexed8);
    few.setColorTable(table);
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) few.setPixel(x, y, places[picture.pixel(x, y)]);
    return few;
}

/// The same in both themes.
QString layoutFile(const QString& shot) {
    return fileOf(shot + ".txt");
}

bool keepLayout(const QString& shot, const test::PageLayout& layout) {
    QFile file(layoutFile(shot));
    return file.open(QIODevice::WriteOnly) && file.write(layout.toText().toUtf8()) > 0;
}

test::PageLayout keptLayout(const QString& shot) {
    QFile file(layoutFile(shot));
    return test::PageLayout::fromText(file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll())
                                                                     : QString());
}

/// Machines that nobody has here, in all their states.
QJsonObject machinesAt(qint64 nowMs) {
    const qint64 now = nowMs * 1'000;
    constexpr qint64 kSecond = 1'000'000;
    const auto machine = [&](int id, const char* name, const char* state, int running, QJsonObject more) {
        QJsonObject json{{"id", id},
                         {"name", name},
                         {"kind", id == 0 ? "local" : "joined"},
                         {"state", state},
                         {"slots", 16},
                         {"running", running},
                         {"waiting", 0},
                         {"cores", 16},
                         {"memory_bytes", qint64{64} << 30},
                         {"version", "0.1"},
                         {"platform", "linux-x86_64"}};
        for (auto it = more.begin(); it != more.end(); ++it) json.insert(it.key(), it.value());
        return json;
    };
    return {{"machines",
             QJsonArray{
                 machine(0, "yard", "ready", 1, {}),
                 machine(1, "anvil", "busy", 16, {{"address", "10.0.0.7"}, {"since", now - 90 * kSecond}}),
                 machine(2, "kiln", "draining", 9, {{"address", "10.0.0.8"}, {"since", now - 600 * kSecond}}),
                 machine(3, "press", "silent", 3,
                         {{"address", "10.0.0.9"}, {"since", now - 12 * kSecond}, {"lost_at", now + 18 * kSecond}}),
                 machine(4, "loom", "refused", 0, {{"reason", "It speaks another protocol."}}),
                 machine(5, "mill", "paused", 0, {{"address", "10.0.0.11"}, {"since", now - 4'000 * kSecond}})}}};
}

QJsonObject typesOfObjects() {
    const auto state = [](const char* kind, bool isInitial, bool isFinal) {
        return QJsonObject{{"kind", kind}, {"initial", isInitial}, {"final", isFinal}};
    };
    const auto move = [](const char* from, const char* to) { return QJsonObject{{"from", from}, {"to", to}}; };
    const QJsonObject text{{"type", "string"}};
    const QJsonObject whole{{"type", "integer"}};
    const QJsonObject snapshot{
        {"name", "snapshot"},
        {"version", "3"},
        {"fields", QJsonObject{{"url", text}, {"title", text}, {"depth", whole}}},
        {"states", QJsonObject{{"queued", state("wait", true, false)},
                               {"started", state("work", false, false)},
                               {"sealed", state("done", false, true)},
                               {"failed", state("bad", false, true)}}},
        {"transitions", QJsonArray{move("queued", "started"), move("started", "sealed"), move("started", "failed"),
                                   move("started", "started"), move("started", "queued")}},
        {"actor", QJsonObject{{"worker", "archiver"}, {"max_actors", 4}, {"max_tick_time_s", 240}}},
        {"max_retries", 5}};
    const QJsonObject photo{{"name", "photo"},
                            {"version", "1"},
                            {"states", QJsonObject{{"imported", state("wait", true, false)},
                                                   {"tagged", state("work", false, false)},
                                                   {"published", state("done", false, true)}}},
                            {"transitions", QJsonArray{move("imported", "tagged"), move("tagged", "published")}}};
    const auto entry = [](const QJsonObject& type, const QJsonObject& counts) {
        return QJsonObject{{"name", type.value("name")}, {"type", type}, {"counts", counts}};
    };
    return {{"types",
             QJsonArray{entry(snapshot, {{"queued", 412}, {"started", 96}, {"sealed", 12'846}, {"failed", 31}}),
                        entry(photo, {{"imported", 118}, {"tagged", 7}, {"published", 2'311}})}}};
}

/// What its actors do, and objects that none claims.
QJsonObject orchestratorAt(qint64 now) {
    constexpr qint64 kSecond = 1'000'000;
    const QJsonArray actors{
        QJsonObject{{"key", "work"}, {"ready", true}, {"object", 13'388}, {"since", now - 130 * kSecond}},
        QJsonObject{{"key", "guest"}, {"ready", true}, {"since", now - 6 * kSecond}}};
    QJsonArray orphans;
    for (int i = 0; i < 7; ++i)
        orphans.append(
            QJsonObject{{"id", 9'000 + i}, {"type", "photo"}, {"status", "tagged"}, {"reason", "no_actor"}});
    return {{"types", QJsonArray{QJsonObject{{"name", "snapshot"}, {"actors", actors}}}},
            {"orphans", orphans},
            {"orphan_count", 7},
            {"stuck", 0}};
}

/// Objects that nobody has here: what is due, what waits, what has ended, and what no actor claims.
void noteObjects(test::Recording& recording) {
    const qint64 now = recording.nowMs * 1'000;
    constexpr qint64 kSecond = 1'000'000;
    const auto object = [&](qint64 id, const char* key, const char* status, int next, QJsonObject more) {
        QJsonObject json{{"id", id},
                         {"type", "snapshot"},
                         {"key", key},
                         {"status", status},
                         {"retries", 0},
                         {"revision", 7},
                         {"created", now - 400 * kSecond},
                         {"modified", now - 40 * kSecond}};
        if (next >= 0) json.insert("retry_at", now + next * kSecond);
        for (auto it = more.begin(); it != more.end(); ++it) json.insert(it.key(), it.value());
        return json;
    };
    const QJsonObject chosen =
        object(kObject, "sdk notes 2024.3", "started", 4,
               {{"retries", 1},
                {"parent", 13'102},
                {"fields",
                 QJsonObject{{"url", "https://sdk.example/notes"}, {"title", "SDK release notes"}, {"depth", 1}}}});
    QJsonObject detail = chosen;
    detail.insert("children", QJsonObject{{"queued", 2}, {"started", 1}, {"sealed", 9}});
    detail.insert(
        "history",
        QJsonArray{QJsonObject{{"t", now - 400 * kSecond}, {"from", ""}, {"to", "queued"}, {"tick_ms", 0}},
                   QJsonObject{{"t", now - 90 * kSecond},
                               {"from", "queued"},
                               {"to", "started"},
                               {"actor", "work"},
                               {"tick_ms", 1'200}}});
    const QJsonArray rows{
        object(13'403, "driver bugs", "queued", 10, {{"parent", 13'391}}),
        object(13'402, "gpu driver 580", "queued", 9, {{"parent", 13'391}}),
        object(13'397, "encoder notes", "started", 5, {{"parent", 13'340}}),
        chosen,
        object(13'388, "usd release log", "started", 240, {{"parent", 13'102}}),
        object(13'377, "harbor survey", "queued", 38, {{"retries", 3}, {"last_error", "no such host"}}),
        object(13'340, "vendor wiki", "failed", -1,
               {{"retries", 5}, {"last_error", "certificate ended on 20 Nov"}}),
        object(13'102, "colour config 2.1", "sealed", -1, {})};
    const auto note = [&](const QString& path, const QJsonObject& json) {
        recording.note({"GET", path}, {200, {}, json, {}, {}});
    };
    note("types", typesOfObjects());
    note("types/snapshot/stays",
         {{"stays", QJsonArray{QJsonObject{{"status", "queued"}, {"usual_s", 8.4}, {"of", 50}},
                               QJsonObject{{"status", "started"}, {"usual_s", 52.6}, {"of", 50}}}}});
    note("objects", {{"objects", rows}});
    note("objects/13391", detail);
    note("orchestrator", orchestratorAt(now));
}

/// What a real engine said, and objects besides.
std::optional<test::Recording> loadRecording() {
    auto recording = test::Recording::load(fileOf("engine.json"));
    if (recording) noteObjects(*recording);
    return recording;
}

int make(const test::Recording& recording, Theme& theme) {
    for (const Shot& shot : shots())
        for (const auto look : {Theme::Choice::Dark, Theme::Choice::Light}) {
            theme.choose(look);
            Stage stage(std::make_unique<test::RecordedLink>(recording), recording);
            if (!stage.isReady()) return std::fputs("the recording has no queues\n", stderr), 1;
            stage.select(shot);
            QTest::qWait(kSettleMs);
            const QString file = fileOf(QStringLiteral("%1-%2.png").arg(shot.name, nameOf(look)));
            if (!inFewColours(stage.picture()).save(file, "PNG", 0) || !keepLayout(shot.name, stage.layout()))
                return std::fputs("a picture cannot be written\n", stderr), 1;
        }
    return 0;
}

int record() {
    test::RealEngine engine;
    engine.setArguments({"--capacity", "6"});
    if (!engine.start()) return std::fputs("the engine did not start\n", stderr), 1;
    AttachedLink link(engine.address(), engine.token());
    constexpr double kScale = 0.02;
    if (!QTest::qWaitFor([&] { return link.state() == LinkState::Connected; }, kWaitMs)) return 1;
    const auto evening = test::spendEvening(link, kScale);
    if (!evening) return std::fputs("the evening did not come to its end\n", stderr), 1;
    test::Recording recording;
    recording.things = {{"cook", evening->cook}, {"build", evening->build}, {"failed", evening->failed}};
    {
        Stage stage(std::make_unique<test::RecordingLink>(engine.address(), engine.token(), recording), recording);
        if (!stage.isReady()) return 1;
        for (const Shot& shot : shots()) {
            stage.select(shot);
            QTest::qWait(kSettleMs);
        }
    }
    recording.nowMs = QDateTime::currentMSecsSinceEpoch();
    recording.note({"GET", "machines", {}, {}, {}}, {200, {}, machinesAt(recording.nowMs), {}, {}});
    const std::map<QString, QString> where{{engine.directory(), "/home/me/.local/share/yardmaster"},
                                           {QString::fromLatin1(engine.token()), "token"},
                                           {QHostInfo::localHostName(), "yard"},
                                           {QStringLiteral(":%1").arg(engine.port()), ":8786"}};
    return recording.save(fileOf("engine.json"), where) ? 0 : 1;
}

} // namespace

class TestPictures : public QObject {
    Q_OBJECT

    test::Recording recording_;
    Theme& theme_;
    QTemporaryDir unlike_;
    bool isUnlike_ = false; ///< one was: for the others the test waits less

public:
    explicit TestPictures(Theme& theme)
        : theme_(theme) {}

private slots:
    void initTestCase() {
        const auto recording = loadRecording();
        QVERIFY(recording);
        recording_ = *recording;
        fixedMs = recording_.nowMs;
        QCOMPARE(QDateTime::currentMSecsSinceEpoch(), recording_.nowMs);
        unlike_.setAutoRemove(false);
    }
    void cleanupTestCase() {
        fixedMs = 0;
        if (QDir(unlike_.path()).isEmpty()) unlike_.remove();
    }

    void aPageLooksAsItDid_data() {
        QTest::addColumn<int>("shot");
        QTest::addColumn<int>("look");
        const std::vector<Shot> all = shots();
        for (int i = 0; i < static_cast<int>(all.size()); ++i)
            for (const auto look : {Theme::Choice::Dark, Theme::Choice::Light})
                QTest::newRow(qPrintable(all[static_cast<std::size_t>(i)].name + ", " + nameOf(look)))
                    << i << static_cast<int>(look);
    }
    void aPageLooksAsItDid() {
        QFETCH(int, shot);
        QFETCH(int, look);
        const Shot wanted = shots()[static_cast<std::size_t>(shot)];
        if (!isOfThisFont(wanted.name))
            QSKIP("Inter is not installed, and in other fonts this page wraps elsewhere");
        const auto choice = static_cast<Theme::Choice>(look);
        const QString file = QStringLiteral("%1-%2.png").arg(wanted.name, nameOf(choice));
        const QImage was(fileOf(file));
        QVERIFY2(!was.isNull(), qPrintable(file));
        theme_.choose(choice);
        Stage stage(std::make_unique<test::RecordedLink>(recording_), recording_);
        QVERIFY(stage.isReady());
        stage.select(wanted);
        test::Unlike found;
        QImage seen;
        const test::PageLayout places = keptLayout(wanted.name);
        QVERIFY2(places.signs().size() > 20, qPrintable(wanted.name));
        QString missing;
        const bool isAlike = QTest::qWaitFor(
            [&] {
                missing = places.missingIn(stage.layout());
                if (!missing.isEmpty()) return false;
                seen = stage.picture();
                found = test::Likeness::compare(was, seen);
                return found.isAlike();
            },
            isUnlike_ ? kWaitMs / 10 : kWaitMs);
        if (isAlike) return;
        isUnlike_ = true;
        if (!missing.isEmpty()) QFAIL(qPrintable(missing));
        seen.save(unlike_.filePath(file));
        QFAIL(qPrintable(QStringLiteral("%1 at %2,%3 %4x%5 (of a picture of half the size): %6")
                             .arg(unlike_.filePath(file))
                             .arg(found.where.x())
                             .arg(found.where.y())
                             .arg(found.where.width())
                             .arg(found.where.height())
                             .arg(found.why)));
    }

    void noTwoPagesAreAlike() {
        const std::vector<Shot> all = shots();
        for (const Shot& one : all)
            for (const Shot& other : all)
                if (one.name != other.name)
                    QVERIFY2(!test::Likeness::compare(QImage(fileOf(one.name + "-dark.png")),
                                                      QImage(fileOf(other.name + "-dark.png")))
                                  .isAlike(),
                             qPrintable(one.name + ' ' + other.name));
    }
};

int main(int argc, char** argv) {
    qputenv("TZ", "UTC");
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QApplication application(argc, argv);
    test::useOwnSettings("pictures");
    Languages::choose("en");
    Languages languages;
    languages.install();
    if (qEnvironmentVariableIsSet("YARD_PICTURES_SYSTEM_FONT")) setSystemFont(true);
    Theme theme(nullptr);
    dressApplication();
    const QByteArray what = argc > 1 ? argv[1] : "";
    if (what == "--record") return record();
    if (what == "--make") {
        const auto recording = loadRecording();
        if (!recording) return std::fputs("there is no engine.json: --record makes it\n", stderr), 1;
        fixedMs = recording->nowMs;
        const int result = make(*recording, theme);
        fixedMs = 0;
        return result;
    }
    TestPictures tests(theme);
    return QTest::qExec(&tests, argc, argv);
}
#include "tst_pictures.moc"
