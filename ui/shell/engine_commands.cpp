#include "ui/shell/engine_commands.h"

#include "ui/shell/command_registry.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/navigation.h"
#include "ui/state/example_run.h"
#include "ui/state/tonight.h"

#include <QApplication>
#include <QClipboard>
#include <QJsonArray>

namespace yard::ui {

EngineCommands::EngineCommands(CommandRegistry& registry, EngineAttachment& engine, Navigation& navigation,
                               WindowServices& services, QWidget& window)
    : QObject(&window)
    , registry_(registry)
    , engine_(engine)
    , navigation_(navigation)
    , services_(services)
    , drainMenu_(new QMenu(&window)) {
    registry_.add({"undo", tr("Undo"), QKeySequence("Ctrl+Z")}, [this] { undo(); });
    registry_.addForEngine({"newest-failure", tr("Newest failure"), QKeySequence("Ctrl+Shift+F")},
                           [this] { showNewestFailure(); });
    registry_.add({"copy-yardctl", tr("Copy as yardctl"), QKeySequence("Ctrl+Shift+C")},
                  [this] { copyOperation(false); });
    registry_.add({"copy-curl", tr("Copy as curl"), QKeySequence("Ctrl+Alt+C")}, [this] { copyOperation(true); });
    registry_.addForEngine(
        {"pause", tr("Pause: hold every queue")}, [this] { pause(true); },
        [] { return operations::holdAll().yardctl; });
    registry_.addForEngine(
        {"resume", tr("Resume: release every queue")}, [this] { pause(false); },
        [] { return operations::releaseAll().yardctl; });
    QAction* rerun = registry_.addForEngine(
        {"rerun-tonight", tr("Rerun all failures of tonight")}, [this] { rerunTonight(); },
        [] { return operations::reschedule(Target::matching(tonightFilter())).yardctl; });
    rerun->setProperty("alias", QStringLiteral("rerun reschedule failures tonight"));
    addExample();
    addDrains();
}

void EngineCommands::addExample() {
    const auto tell = [this](const QString& sentence, bool bad) { services_.say(sentence, bad); };
    registry_.addForEngine(
        {"example.load", tr("Look at an example")},
        [this, tell] {
            if (engine_.link() != nullptr) ExampleRun::load(*engine_.link(), this, tell);
        },
        [] { return QStringLiteral("yardctl example load"); });
    registry_.addForEngine(
        {"example.remove", tr("Remove the example")},
        [this, tell] {
            if (engine_.link() != nullptr) ExampleRun::remove(*engine_.link(), this, tell);
        },
        [] { return QStringLiteral("yardctl example remove"); });
}

void EngineCommands::addDrains() {
    addDrain({"session.drain", tr("Drain: no new work, the rest runs to its end")}, &operations::drainSession,
             {tr("Drain the engine?"),
              tr("It takes no new work from then on; what was submitted runs to its end. Only a restart of the "
                 "engine takes new work again."),
              tr("Drain")});
    addDrain({"session.pause", tr("Stop starting: nothing new, nothing starts")}, &operations::pauseSession,
             {tr("Pause the session?"),
              tr("Nothing is taken and nothing starts from then on; what runs finishes. Only a restart of the "
                 "engine ends it. Pause in the bar holds the queues, and can be released."),
              tr("Pause the session")});
    drainMenu_->addSeparator();
    addDrain({"session.abandon", tr("Abandon…")}, &operations::abandonSession,
             {tr("Abandon everything?"),
              tr("All that runs is ended and all that waits is marked abandoned. It can be rescheduled one by one; "
                 "this cannot be undone."),
              tr("Abandon everything")});
    addDrain({"session.sunset", tr("Sunset…")}, &operations::sunsetSession,
             {tr("End the engine?"), tr("What runs is ended and goes back to pending; the engine's process ends."),
              tr("End the engine")});
}

void EngineCommands::addDrain(const CommandSpec& spec, Operation (*operation)(), const Question& question) {
    const auto act = [this, operation, question] {
        if (engine_.commands() == nullptr) return;
        if (services_.ask(question.question, question.lost, question.verb, tr("Leave it")))
            engine_.commands()->run(operation());
    };
    drainMenu_->addAction(registry_.addForEngine(spec, act, [operation] { return operation().yardctl; }));
}

void EngineCommands::pause(bool hold) {
    if (engine_.commands() == nullptr) return;
    engine_.commands()->run(hold ? operations::holdAll() : operations::releaseAll());
}

/// What waits to be sent goes first; then what the page can take back.
void EngineCommands::undo() {
    Commands* commands = engine_.commands();
    const bool waits = commands != nullptr && commands->waiting() != nullptr;
    if (Page* page = navigation_.page(); !waits && page != nullptr && page->undo()) return;
    if (commands != nullptr) commands->undo();
}

void EngineCommands::copyOperation(bool curl) {
    const Page* page = navigation_.page();
    if (page == nullptr) return;
    const Operation operation = page->asOperation();
    const EngineLink& link = *engine_.link();
    const QString line = curl ? link.curl(operation.request) : link.yardctl(operation.yardctl);
    if (operation.request.path.isEmpty() || line.isEmpty())
        return services_.say(curl ? tr("Nothing here to copy as curl.")
                                  : tr("yardctl has no command for this; copy it as curl."));
    QApplication::clipboard()->setText(line);
    services_.say(tr("Copied: %1").arg(line));
}

void EngineCommands::showNewestFailure() {
    if (engine_.link() == nullptr) return;
    Request request{"GET", "jobs", {}, {}};
    request.query.addQueryItem("state", "failed");
    request.query.addQueryItem("sort", "-finished"); // an old one may have been tried again
    request.query.addQueryItem("limit", "1");
    sendList(*engine_.link(), request, this, [this](const Answer& answer) {
        const QJsonArray jobs = answer.json.value("jobs").toArray();
        if (!answer.ok()) return services_.say(answer.message, true);
        if (jobs.isEmpty()) return services_.say(tr("Nothing has failed."));
        navigation_.showAction(jobs.first().toObject().value("lsn").toInteger(), "output");
    });
}

/// Always with time to take it back: it is one press.
void EngineCommands::rerunTonight() {
    if (engine_.commands() == nullptr) return;
    ManyChange change = reschedulingOf(Target::matching(tonightFilter()));
    change.undoableFrom = 1;
    change.none = tr("Nothing has failed since %1.").arg(tonightSince());
    engine_.commands()->change(change);
}

} // namespace yard::ui
