#include "ui/pages/actions/resubmit.h"

#include "ui/style/format.h"

#include <QCoreApplication>
#include <QJsonArray>

namespace yard::ui {

namespace {

struct Resubmit {
    Q_DECLARE_TR_FUNCTIONS(Resubmit)
};

/// What it was submitted as, `copy`, does not say what was done to it since. The engine cancels what has not begun when
/// it takes the copy.
void takeOver(const ActionRow& now, QJsonObject& copy) {
    if (now.isPending() && now.held != copy.value("hold").toBool()) copy.insert("hold", now.held);
    if (now.isPending() && now.priority != copy.value("priority").toInt()) copy.insert("priority", now.priority);
    if (now.replacedBy == 0) copy.insert("replaces", now.lsn); // one is its successor, another stands beside that
}

/// Whether the engine leaves environment, inputs and stdin out of what it tells a caller of an action of this queue
/// (docs/tokens.md).
bool isKeptFrom(const QJsonObject& token, qint64 queue) {
    const QString rights = token.value("rights").toString();
    return rights == u"read" || (rights == u"submit" && !token.value("queues").toArray().contains(queue));
}

void openForm(const Context& context, const ActionRow& now, QJsonObject action) {
    takeOver(now, action);
    context.navigator.openSubmit(action, now.queue);
}

} // namespace

void editAndResubmit(const Context& context, QObject* asker, const ActionRow& now) {
    const auto onToken = [context, now](const QJsonObject& spec, const Answer& token) {
        // An engine that does not tell has no such tokens.
        if (token.ok() && isKeptFrom(token.json, now.queue))
            context.window.say(
                Resubmit::tr("The token of this window does not see environment, inputs and stdin of "
                             "an action: they are not in this copy."),
                true);
        openForm(context, now, spec);
    };
    const auto onSpec = [context, asker, now, onToken](const Answer& answer) {
        if (!answer.ok()) return context.window.say(answer.message, true);
        const QJsonValue index = answer.json.value("array").toObject().value("from");
        if (index.isDouble())
            context.window.say(Resubmit::tr("Only element %1 of its array is submitted again.")
                                   .arg(Format().number(index.toInteger())));
        context.link.send({"GET", "token", {}, {}, {}}, asker,
                          [onToken, spec = answer.json](const Answer& token) { onToken(spec, token); });
    };
    context.link.send({"GET", QStringLiteral("jobs/%1/spec").arg(now.lsn), QUrlQuery("element=1"), {}, {}}, asker,
                      onSpec);
}

} // namespace yard::ui
