#include "tests/ui/evening.h"

#include "tests/ui/warm_worker.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

namespace yard::test {

namespace {

constexpr int kTenMinutesMs = 600'000;
constexpr int kAnswerMs = 60'000;
constexpr qsizetype kListOf = 500;

/// The script of an array, where one in thirty fails with one of these lines.
QString failingNowAndThen(const QStringList& lines, const QString& otherwise) {
    QString script =
        "n=$YARD_INDEX\nif [ $((n % 30)) = 7 ]; then case $((n / 30 % " + QString::number(lines.size()) + ")) in\n";
    for (qsizetype i = 0; i < lines.size(); ++i)
        script += QStringLiteral("%1) echo \"%2\" >&2;;\n").arg(i).arg(lines[i]);
    return script + "esac; exit 1; fi\n" + otherwise;
}

const char* const kShader =
    "echo 'shaderc 2024.3 compile --profile sm6.6 --variant V0412 --out outputs/'\n"
    "echo 'reading inputs/foliage_wind.hlsl (18,204 bytes), 2 includes'\n"
    "echo 'include common/wind.hlsli          ok'\necho 'include common/instancing.hlsli    ok'\n"
    "echo 'pass 1 of 3: preprocess         0.41 s'\necho 'pass 2 of 3: parse'\n"
    "echo \"foliage_wind.hlsl(88,17): error X3004: undeclared identifier 'g_WindPhase'\" >&2\n"
    "echo '   float sway = sin(g_WindPhase + pos.x * k_Frequency);'\necho '                    ^~~~~~~~~~'\n"
    "echo 'compilation failed: 1 error, 0 warnings'\nexit 1";

class Engine {
public:
    explicit Engine(ui::EngineLink& link)
        : link_(link) {}

    bool isGood() const { return good_; }
    QJsonObject ask(const QByteArray& method, const QString& path, const QJsonDocument& body = {}) {
        ui::Answer got;
        bool isDone = false;
        ui::Request request{method, path, {}, {}};
        if (!body.isNull()) request.body = body.toJson(QJsonDocument::Compact);
        link_.send(request, &link_, [&](const ui::Answer& answer) {
            got = answer;
            isDone = true;
        });
        if (!QTest::qWaitFor([&] { return isDone; }, kAnswerMs) || got.status / 100 != 2) {
            qWarning("%s %s: %d %s", method.constData(), qPrintable(path), got.status,
                     QJsonDocument(got.json).toJson(QJsonDocument::Compact).constData());
            good_ = false;
        }
        return got.json;
    }
    qint64 queue(const QString& tag, const QJsonObject& config = {}) {
        return ask("POST", "queues", QJsonDocument(QJsonObject{{"tag", tag}, {"config", config}}))
            .value("queue_id")
            .toInteger();
    }
    qint64 submit(qint64 queue, const QJsonObject& action) {
        return ask("POST", QStringLiteral("queues/%1/jobs").arg(queue), QJsonDocument(action))
            .value("lsn")
            .toInteger();
    }
    QJsonObject submit(qint64 queue, const QJsonArray& actions) {
        return ask("POST", QStringLiteral("queues/%1/jobs").arg(queue), QJsonDocument(actions));
    }

private:
    ui::EngineLink& link_;
    bool good_ = true;
};

QJsonObject shell(const QString& label, const QString& script, QJsonObject more = {}) {
    more.insert("worker", "exec");
    more.insert("argv", QJsonArray{"sh", "-c", script});
    more.insert("label", label);
    return more;
}

QJsonObject arrayOf(int count) {
    return {{"array", QJsonObject{{"from", 1}, {"to", count}}}};
}

/// Calls of functions of a warm worker, in lists.
void callWarm(Engine& engine, qint64 queue, const QString& worker, const QString& label, int count) {
    QJsonArray part;
    for (int i = 1; i <= count; ++i) {
        part.append(QJsonObject{{"worker", worker},
                                {"function", "add"},
                                {"label", label.arg(i, 5, 10, QLatin1Char('0'))},
                                {"args", QJsonObject{{"a", i}, {"b", 1}}}});
        if (part.size() < kListOf && i < count) continue;
        engine.submit(queue, part);
        part = {};
    }
}

/// Three groups: two that have worked and one that has too much to do.
void warmWork(Engine& engine, ui::EngineLink& link, double scale) {
    const qint64 thumbs = engine.queue("thumbnails");
    const qint64 scan = engine.queue("usd-scan");
    const QString thumbnailer = registerWarmWorker(link, "thumbnailer", "1.2.0", {{"max_processes", 2}});
    const QString usd = registerWarmWorker(link, "usd-scan", "0.9.4", {{"max_processes", 1}});
    const QString shaders = registerWarmWorker(link, "shaderc-warm", "2024.3", {{"queue", "private"}});
    callWarm(engine, thumbs, thumbnailer, "IMG_%1.cr3", static_cast<int>(30'000 * scale));
    callWarm(engine, scan, usd, "/assets/env/harbor/pier_%1", static_cast<int>(10'000 * scale));
    callWarm(engine, thumbs, shaders, "hair_marschner.hlsl V%1", static_cast<int>(400 * scale));
}

/// The steps of a build: two compile, one of them runs on, and the rest waits.
QJsonArray buildSteps() {
    const auto step = [](const char* id, const QString& script, const QStringList& after) {
        QJsonObject more{{"id", id}, {"priority", 60}};
        if (!after.isEmpty()) more.insert("after", QJsonArray::fromStringList(after));
        return shell(QString::fromLatin1(id), script, more);
    };
    return {step("configure", "echo configured", {}),
            step("compile core", "echo 'compiled 214 files'", {"configure"}),
            step("compile ui", "for i in $(seq 600); do echo \"[$i/600] ui/part_$i.cpp\"; sleep 1; done",
                 {"configure"}),
            step("compile kits", "echo 'compiled 12 files'", {"configure"}),
            step("link", "true", {"compile core", "compile ui", "compile kits"}),
            step("unit tests", "true", {"link"}),
            step("package", "true", {"link"}),
            step("publish", "true", {"unit tests", "package"})};
}

/// What is still going on when the pictures are taken.
void openEnds(Engine& engine, qint64 cook, Evening& evening) {
    const qint64 render = engine.queue("shot-0420-render", {{"max_running", 2}});
    const qint64 maps = engine.queue("lightmaps");
    engine.ask("POST", QStringLiteral("queues/%1/hold").arg(maps));
    engine.submit(maps, shell("lightmap harbor_{index}", "true", arrayOf(48)));
    QJsonObject frames = arrayOf(240);
    frames.insert("priority", 20);
    engine.submit(render,
                  shell("frame {index}", "for i in 1 2 3 4 5 6; do echo sample $i of 6; sleep 5; done", frames));
    const qint64 releases = engine.queue("release-build");
    const QJsonArray steps = engine.submit(releases, buildSteps()).value("lsns").toArray();
    evening.build = steps.at(2).toInteger();
    const QJsonObject locked{{"locks", QJsonArray{"app:atlas"}}, {"priority", 60}};
    engine.submit(cook, shell("pack atlas", "sleep 600", locked));
    for (const char* label : {"pack decals", "pack signs", "pack foliage"})
        engine.submit(cook, shell(QString::fromLatin1(label), "true", locked));
    evening.failed = engine.submit(cook, shell("foliage_wind.hlsl sm6.6 V0412", kShader, {{"priority", 80}}));
}

/// All that ended, of every queue.
qint64 endedOf(Engine& engine) {
    qint64 ended = 0;
    for (const QJsonValue queue : engine.ask("GET", "queues").value("queues").toArray())
        for (const char* state : {"completed", "failed", "abandoned", "cancelled"})
            ended += queue[QLatin1String(state)].toInteger();
    return ended;
}

} // namespace

std::optional<Evening> spendEvening(ui::EngineLink& link, double scale) {
    Engine engine(link);
    Evening evening;
    const QJsonObject once{{"max_retries", 0}};
    evening.cook = engine.queue("nightly-cook", once);
    const qint64 tests = engine.queue("unit-tests", once);
    const qint64 imports = engine.queue("asset-import", once);
    const int cooked = static_cast<int>(8'000 * scale);
    const int tested = static_cast<int>(7'000 * scale);
    const int imported = static_cast<int>(5'000 * scale);
    engine.submit(evening.cook,
                  shell("brick_worn_{index}.exr bc7",
                        failingNowAndThen({"brick_worn_$n.exr: error: width $((n * 8)) is no multiple of 4",
                                           "bc7enc: error: out of licences (seat 12 of 12)"},
                                          "echo cooked"),
                        arrayOf(cooked)));
    engine.submit(tests,
                  shell("math/quat_test_{index}",
                        failingNowAndThen({"quat_test.cpp:$((n % 400)): error: expected unit length, got 0.$n",
                                           "tls_resume_test.cpp:214: error: expected session->resumed()",
                                           "shadow_cascade_test: error: image differs in $n pixels"},
                                          "true"),
                        arrayOf(tested)));
    engine.submit(imports, shell("harbor/prop_{index}.fbx",
                                 failingNowAndThen({"prop_$n.fbx: error: 2 materials without a texture"}, "true"),
                                 arrayOf(imported)));
    warmWork(engine, link, scale);
    openEnds(engine, evening.cook, evening);
    const qint64 expected = cooked + tested + imported + static_cast<int>(30'000 * scale) +
                            static_cast<int>(10'000 * scale) + static_cast<int>(400 * scale);
    const auto isOver = [&] { return !engine.isGood() || (evening.done = endedOf(engine)) >= expected; };
    if (!QTest::qWaitFor(isOver, kTenMinutesMs) || !engine.isGood()) return std::nullopt;
    return evening;
}

} // namespace yard::test
