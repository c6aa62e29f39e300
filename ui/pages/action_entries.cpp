#include "ui/pages/action_entries.h"

#include "ui/bridge/shell_engine.h"
#include "ui/widgets/text_view.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QMenu>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr std::size_t kMostWaitedFor = 50;

struct ActionEntries {
    Q_DECLARE_TR_FUNCTIONS(ActionEntries)
};

/// One of them with its detail; several as a list.
void showWhatIsWaitedFor(const Context& context, QObject* owner, qint64 lsn) {
    context.link.send(
        {"GET", QStringLiteral("jobs/%1/why").arg(lsn), {}, {}, {}}, owner, [context, lsn](const Answer& answer) {
            if (!answer.ok()) return context.window.say(answer.message, true);
            const auto found = waitedFor(answer.json, context.state.session().value("engine_id").toString());
            if (found.empty()) {
                context.window.say(ActionEntries::tr("It waits for no other action; see why."));
                return context.navigator.showAction(lsn, "why");
            }
            if (found.size() == 1) return context.navigator.showAction(found.front());
            QStringList numbers;
            for (const qint64 each : found) numbers << QString::number(each);
            context.navigator.show("actions", "lsn:" + numbers.join(','));
        });
}

} // namespace

std::vector<qint64> waitedFor(const QJsonObject& why, const QString& engine) {
    std::vector<qint64> found;
    const auto add = [&](qint64 lsn) {
        if (lsn > 0 && found.size() < kMostWaitedFor && std::ranges::find(found, lsn) == found.end())
            found.push_back(lsn);
    };
    for (const QJsonValue each : why.value("waits").toArray()) {
        const QJsonObject wait = each.toObject();
        if (wait.value("kind") == "dependency")
            add(wait.value(wait.contains("array") ? "array" : "lsn").toInteger());
        const QJsonObject holder = wait.value("holder").toObject();
        if (!holder.contains("engine") || holder.value("engine") == engine) add(holder.value("lsn").toInteger());
        add(wait.value("kept_for").toInteger());
        for (const QJsonValue one : wait.value("holders").toArray()) add(one.toObject().value("lsn").toInteger());
    }
    return found;
}

QString shellLineOf(const QJsonObject& spec) {
    QStringList words;
    for (const QJsonValue word : spec.value("argv").toArray()) words << shellWord(word.toString());
    if (words.isEmpty()) return {};
    QStringList env;
    const QJsonObject variables = spec.value("env").toObject();
    for (auto it = variables.begin(); it != variables.end(); ++it)
        if (!it.value().isNull()) // its value is not kept
            env << shellWord(it.key() + '=' + it.value().toString());
    if (!env.isEmpty()) words = QStringList{"env"} + env + words;
    const QString directory = spec.value("cwd").toString();
    return (directory.isEmpty() ? QString() : "cd " + shellWord(directory) + " && ") + words.join(' ');
}

void addPlaces(QMenu& menu, const Context& context, QObject* owner, const ActionRow& row) {
    const qint64 lsn = row.lsn;
    const auto lead = [&](const QString& title, const QString& filter) {
        menu.addAction(title, [context, filter] { context.navigator.show("actions", filter); });
    };
    menu.addAction(ActionEntries::tr("Show on timeline"),
                   [context, lsn] { context.navigator.showThing("timelines", lsn); })
        ->setEnabled(row.submitting != 0);
    menu.addAction(ActionEntries::tr("Show what it waits for"),
                   [context, owner, lsn] { showWhatIsWaitedFor(context, owner, lsn); })
        ->setEnabled(row.isPending());
    lead(ActionEntries::tr("Show same kind"), row.kindFilter());
    lead(ActionEntries::tr("Show same queue"), QStringLiteral("queue:%1").arg(row.queue));
    if (!row.worker.isEmpty()) lead(ActionEntries::tr("Show same worker"), "worker:" + filterQuoted(row.worker));
}

void addCopyAs(QMenu& menu, const Context& context, QObject* owner, const Target& target, const ActionRow* one) {
    QMenu* entries = menu.addMenu(ActionEntries::tr("Copy as"));
    const auto copy = [&](const QString& title, const QString& text) {
        entries->addAction(title, [context, text] { copyText(context.window, text); });
    };
    const auto later = [&](const QString& title, const Request& request, QString (*read)(const QJsonObject&)) {
        return entries->addAction(title, [context, owner, request, read] {
            context.link.send(request, owner, [context, read](const Answer& answer) {
                if (!answer.ok()) return context.window.say(answer.message, true);
                copyText(context.window, read(answer.json));
            });
        });
    };
    QStringList numbers;
    for (const qint64 lsn : target.lsns) numbers << QString::number(lsn);
    if (!numbers.isEmpty()) copy(ActionEntries::tr("LSN"), numbers.join(' '));
    const Operation show = operations::look(target);
    copy(ActionEntries::tr("yardctl"), context.link.yardctl(show.yardctl));
    copy(ActionEntries::tr("curl"), context.link.curl(show.request));
    if (one == nullptr) return;
    const QString path = QStringLiteral("jobs/%1").arg(one->lsn);
    later(ActionEntries::tr("JSON"), {"GET", path, {}, {}, {}},
          [](const QJsonObject& json) { return jsonText(json); });
    later(ActionEntries::tr("Shell command"), {"GET", path + "/spec", QUrlQuery("element=1"), {}, {}}, &shellLineOf)
        ->setEnabled(one->workerId == "exec");
}

} // namespace yard::ui
