#include "ui/pages/actions/resubmit.h"

#include "ui/style/format.h"

#include <QCoreApplication>

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

} // namespace

void editAndResubmit(const Context& context, QObject* asker, const ActionRow& now) {
    context.link.send({"GET", QStringLiteral("jobs/%1/spec").arg(now.lsn), QUrlQuery("element=1"), {}, {}}, asker,
                      [context, now](const Answer& answer) {
                          if (!answer.ok()) return context.window.say(answer.message, true);
                          const QJsonValue index = answer.json.value("array").toObject().value("from");
                          if (index.isDouble())
                              context.window.say(Resubmit::tr("Only element %1 of its array is submitted again.")
                                                     .arg(Format().number(index.toInteger())));
                          QJsonObject action = answer.json;
                          takeOver(now, action);
                          context.navigator.openSubmit(action, now.queue);
                      });
}

} // namespace yard::ui
