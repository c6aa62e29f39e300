#include "tests/ui/demo_load.h"

#include "tests/support/waiting.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/main_window.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

namespace yard::test {

namespace {

ui::Answer ask(ui::EngineLink& link, const QByteArray& method, const QString& path, const QJsonValue& body = {}) {
    ui::Answer got;
    bool done = false;
    ui::Request request{method, path, {}, {}};
    if (body.isObject()) request.body = QJsonDocument(body.toObject()).toJson(QJsonDocument::Compact);
    if (body.isArray()) request.body = QJsonDocument(body.toArray()).toJson(QJsonDocument::Compact);
    link.send(request, &link, [&](const ui::Answer& answer) {
        got = answer;
        done = true;
    });
    [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return done; }, kWaitMs);
    return got;
}

QJsonObject action(const QString& label, const QString& script, QJsonObject more = {}) {
    more.insert("worker", "exec");
    more.insert("argv", QJsonArray{"sh", "-c", script});
    more.insert("label", label);
    return more;
}

qint64 makeQueue(ui::EngineLink& link, const QString& tag, const QJsonObject& config = {}) {
    return ask(link, "POST", "queues", QJsonObject{{"tag", tag}, {"config", config}})
        .json.value("queue_id")
        .toInteger();
}

const char* const kShader =
    "echo 'shaderc 2024.3 compile --profile sm6.6 --variant V0412 --out outputs/'\n"
    "echo 'reading inputs/foliage_wind.hlsl (18,204 bytes), 2 includes'\n"
    "echo 'include common/wind.hlsli          ok'\necho 'include common/instancing.hlsli    ok'\n"
    "echo 'pass 1 of 3: preprocess         0.41 s'\necho 'pass 2 of 3: parse'\n"
    "echo \"foliage_wind.hlsl(88,17): error X3004: undeclared identifier 'g_WindPhase'\" >&2\n"
    "echo '   float sway = sin(g_WindPhase + pos.x * k_Frequency);'\necho '                    ^~~~~~~~~~'\n"
    "echo 'compilation failed: 1 error, 0 warnings'\nexit 1";

} // namespace

void submitDemo(ui::EngineLink& link) {
    const QJsonObject once{{"max_retries", 0}};
    const QJsonObject first{{"priority", 50}}; // failures are there soon, on any machine
    const qint64 cook = makeQueue(link, "nightly-cook", once);
    const qint64 tests = makeQueue(link, "unit-tests", once);
    const qint64 render = makeQueue(link, "shot-0420-render", {{"max_running", 1}});
    const qint64 maps = makeQueue(link, "lightmaps");
    ask(link, "POST", QStringLiteral("queues/%1/hold").arg(maps));
    QJsonArray cooks;
    for (int i = 0; i < 60; ++i)
        cooks.append(action(QStringLiteral("brick_worn_%1.exr bc7").arg(i), "echo cooked"));
    cooks.append(action("foliage_wind.hlsl sm6.6 V0412", kShader, first));
    for (int i = 0; i < 20; ++i)
        cooks.append(action(QStringLiteral("moss_bank_%1.hlsl sm6.6").arg(i), "sleep 0.2; echo ok"));
    ask(link, "POST", QStringLiteral("queues/%1/jobs").arg(cook), cooks);
    QJsonArray checks;
    for (int i = 0; i < 30; ++i) checks.append(action(QStringLiteral("math/quat_test_%1").arg(i), "true"));
    checks.append(action("net/tls_resume_test",
                         "echo 'tls_resume_test.cpp:214: error: expected session->resumed()' >&2; exit 1", first));
    checks.append(action("render/shadow_cascade_test", "kill -11 $$", first));
    ask(link, "POST", QStringLiteral("queues/%1/jobs").arg(tests), checks);
    QJsonArray frames;
    for (int i = 311; i < 340; ++i)
        frames.append(action(QStringLiteral("frame 0%1").arg(i),
                             "for i in 1 2 3 4 5 6; do echo sample $i of 6; sleep 5; done",
                             {{"priority", i == 311 ? 10 : 0}}));
    ask(link, "POST", QStringLiteral("queues/%1/jobs").arg(render), frames);
    QJsonArray held;
    for (int i = 0; i < 12; ++i) held.append(action(QStringLiteral("lightmap harbor_%1").arg(i), "true"));
    ask(link, "POST", QStringLiteral("queues/%1/jobs").arg(maps), held);
    ask(link, "POST", "jobs", action("cliff_granite_a_8k.exr", "echo 'out of licences' >&2; exit 75"));
    const QJsonObject sandboxed{{"sandbox", true}, {"priority", 50}, {"locks", QJsonArray{"app:atlas"}}};
    ask(link, "POST", QStringLiteral("queues/%1/jobs").arg(tests),
        action("convert harbor_deck.usd",
               "unshare -U true; chroot / true; mkdir -p outputs; ln -s /etc/hostname outputs/host.link; "
               "echo 'convert: cannot enter the namespace' >&2; exit 4",
               sandboxed));
}

qint64 demoAction(ui::MainWindow& window, const QString& filter) {
    ui::Answer answer;
    bool done = false;
    ui::Request request{"GET", "jobs", {}, {}};
    request.query.addQueryItem("q", filter);
    window.engine().state()->link().send(request, &window, [&](const ui::Answer& got) {
        answer = got;
        done = true;
    });
    [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return done; }, kWaitMs);
    return answer.json.value("jobs").toArray().first().toObject().value("lsn").toInteger();
}

} // namespace yard::test
