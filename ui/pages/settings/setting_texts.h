// What the engine says of its settings, in English: names, units and help, so that they can be translated. Written from
// the engine's table by ./dev papers; a test holds them against it.
#pragma once

#include <QCoreApplication>
#include <QString>

namespace yard::ui {

// clang-format off
inline constexpr const char* kSettingTexts[] = {
    QT_TRANSLATE_NOOP("EngineSetting", "Capacity"),
    QT_TRANSLATE_NOOP("EngineSetting", "Durability"),
    QT_TRANSLATE_NOOP("EngineSetting", "Grace"),
    QT_TRANSLATE_NOOP("EngineSetting", "Deadline"),
    QT_TRANSLATE_NOOP("EngineSetting", "Keep days"),
    QT_TRANSLATE_NOOP("EngineSetting", "Keep actions"),
    QT_TRANSLATE_NOOP("EngineSetting", "Keep disk"),
    QT_TRANSLATE_NOOP("EngineSetting", "Chunk grace"),
    QT_TRANSLATE_NOOP("EngineSetting", "Cleanup every"),
    QT_TRANSLATE_NOOP("EngineSetting", "Guard hold"),
    QT_TRANSLATE_NOOP("EngineSetting", "Guard stop"),
    QT_TRANSLATE_NOOP("EngineSetting", "Hung"),
    QT_TRANSLATE_NOOP("EngineSetting", "Max pending"),
    QT_TRANSLATE_NOOP("EngineSetting", "Reserve"),
    QT_TRANSLATE_NOOP("EngineSetting", "Max terminals"),
    QT_TRANSLATE_NOOP("EngineSetting", "Pool max"),
    QT_TRANSLATE_NOOP("EngineSetting", "Pool max per group"),
    QT_TRANSLATE_NOOP("EngineSetting", "Pool max idle"),
    QT_TRANSLATE_NOOP("EngineSetting", "Stream bytes"),
    QT_TRANSLATE_NOOP("EngineSetting", "Sandbox network"),
    QT_TRANSLATE_NOOP("EngineSetting", "Sandbox tmp"),
    QT_TRANSLATE_NOOP("EngineSetting", "Default memory"),
    QT_TRANSLATE_NOOP("EngineSetting", "Max processes"),
    QT_TRANSLATE_NOOP("EngineSetting", "Max open files"),
    QT_TRANSLATE_NOOP("EngineSetting", "Max output bytes"),
    QT_TRANSLATE_NOOP("EngineSetting", "Env never kept"),
    QT_TRANSLATE_NOOP("EngineSetting", "Log level"),
    QT_TRANSLATE_NOOP("EngineSetting", "Guest cores"),
    QT_TRANSLATE_NOOP("EngineSetting", "Guest memory"),
    QT_TRANSLATE_NOOP("EngineSetting", "Guest store"),
    QT_TRANSLATE_NOOP("EngineSetting", "Guest unsandboxed"),
    QT_TRANSLATE_NOOP("EngineSetting", "Cloud probe"),
    QT_TRANSLATE_NOOP("EngineSetting", "On termination"),
    QT_TRANSLATE_NOOP("EngineSetting", "Lease"),
    QT_TRANSLATE_NOOP("EngineSetting", "Webhook allow"),
    QT_TRANSLATE_NOOP("EngineSetting", "slots"),
    QT_TRANSLATE_NOOP("EngineSetting", "s"),
    QT_TRANSLATE_NOOP("EngineSetting", "days"),
    QT_TRANSLATE_NOOP("EngineSetting", "actions"),
    QT_TRANSLATE_NOOP("EngineSetting", "%"),
    QT_TRANSLATE_NOOP("EngineSetting", "terminals"),
    QT_TRANSLATE_NOOP("EngineSetting", "processes"),
    QT_TRANSLATE_NOOP("EngineSetting", "bytes"),
    QT_TRANSLATE_NOOP("EngineSetting", "MiB"),
    QT_TRANSLATE_NOOP("EngineSetting", "files"),
    QT_TRANSLATE_NOOP("EngineSetting", "Cores that actions have between them; 0 is the number of processors."),
    QT_TRANSLATE_NOOP("EngineSetting", "How much of a resource there is, instead of what was found: memory_mb (in MiB), gpus, or a name of your own such as licence.x. Of what is told apart its names: 5000-5015,6000."),
    QT_TRANSLATE_NOOP("EngineSetting", "What accepted work survives: the death of the process, or a power cut as well (slower: it syncs every group, chunk and directory)."),
    QT_TRANSLATE_NOOP("EngineSetting", "Between SIGTERM and SIGKILL when an action is ended; for actions that start after the change, and never more than 2 when the engine itself ends."),
    QT_TRANSLATE_NOOP("EngineSetting", "How long an attempt may take when neither action, queue nor worker say; for attempts that start after the change."),
    QT_TRANSLATE_NOOP("EngineSetting", "How long finished actions are kept; 0 is without limit."),
    QT_TRANSLATE_NOOP("EngineSetting", "How many finished actions are kept, the newest; 0 is any number."),
    QT_TRANSLATE_NOOP("EngineSetting", "How much of its file system the data directory may take before the oldest finished actions go; 0 is any share."),
    QT_TRANSLATE_NOOP("EngineSetting", "How long a chunk that nothing refers to is kept after it was last put or asked for."),
    QT_TRANSLATE_NOOP("EngineSetting", "After how long the engine clears up again what is not kept, while something happens."),
    QT_TRANSLATE_NOOP("EngineSetting", "No action starts while at least this share of the machine's memory is in use; 0 is never."),
    QT_TRANSLATE_NOOP("EngineSetting", "While at least this share of the machine's memory is in use, the action furthest over the memory it asked for is stopped, to run again later; 0 is never."),
    QT_TRANSLATE_NOOP("EngineSetting", "After how long without output and processor time a running action is said to hang; 0 is never."),
    QT_TRANSLATE_NOOP("EngineSetting", "How many actions may be pending: what would be more is refused with 429, a list or an array whole."),
    QT_TRANSLATE_NOOP("EngineSetting", "Cores and memory that become free are kept for a large action for at most this long, then smaller actions pass it; 0 keeps nothing."),
    QT_TRANSLATE_NOOP("EngineSetting", "How many actions may have a terminal at once; others that want one wait. 0: no action gets one."),
    QT_TRANSLATE_NOOP("EngineSetting", "How many warm processes there may be; 0 is twice the capacity, or 4. Never more than twice the capacity, or 16 where that is less."),
    QT_TRANSLATE_NOOP("EngineSetting", "How many of them one worker may have that does not say itself; 0 is all."),
    QT_TRANSLATE_NOOP("EngineSetting", "After how long without work a warm process ends; 0 is never."),
    QT_TRANSLATE_NOOP("EngineSetting", "How much of stdout and of stderr is kept of an attempt: of a longer one the first half and the last half; for attempts that start after the change."),
    QT_TRANSLATE_NOOP("EngineSetting", "Whether sandboxed workers whose descriptor asks for the network get it; for what starts after the change."),
    QT_TRANSLATE_NOOP("EngineSetting", "The size of the private /tmp of a sandbox, which is memory; never more than the memory of its action."),
    QT_TRANSLATE_NOOP("EngineSetting", "The limit of memory in a sandbox for workers that ask for none; 0 is the machine's memory up to guard_hold_percent."),
    QT_TRANSLATE_NOOP("EngineSetting", "The most that limits.processes of a worker may be; one that asks for more gets this. For what starts after the change."),
    QT_TRANSLATE_NOOP("EngineSetting", "The most that limits.open_files of a worker may be, for each of its processes; one that asks for more gets this. For what starts after the change."),
    QT_TRANSLATE_NOOP("EngineSetting", "The most that limits.output_bytes of a worker may be; one that asks for more, or for no limit, gets this. For what starts after the change."),
    QT_TRANSLATE_NOOP("EngineSetting", "Variables in env of an action whose values are never kept nor shown, as patterns with * between spaces; a retry after a restart lacks them. For what is submitted after the change."),
    QT_TRANSLATE_NOOP("EngineSetting", "The least important lines that are written to stderr."),
    QT_TRANSLATE_NOOP("EngineSetting", "Cores that actions of other engines may have here between them (--join); 0 is all of the capacity. For what comes after the change."),
    QT_TRANSLATE_NOOP("EngineSetting", "Memory that actions of other engines may have here between them; 0 is all of it. For what comes after the change."),
    QT_TRANSLATE_NOOP("EngineSetting", "How much of inputs that other engines sent is kept here for the next time: the longest unused go first."),
    QT_TRANSLATE_NOOP("EngineSetting", "Whether commands of other engines may run here without a sandbox: only for engines of your own."),
    QT_TRANSLATE_NOOP("EngineSetting", "Whether a headless engine asks the metadata services of AWS, Azure and Google which machine this is, and whether it is about to be taken away."),
    QT_TRANSLATE_NOOP("EngineSetting", "What the engine does when its cloud takes the machine away: abandon the session, drain it, or nothing; needs cloud_probe."),
    QT_TRANSLATE_NOOP("EngineSetting", "How long a machine that works for this engine may be silent: it ends what it has of this engine then, and 10 s later that runs elsewhere."),
    QT_TRANSLATE_NOOP("EngineSetting", "Hosts, or networks such as 10.0.0.0/8, to which the webhook of an alert may redirect beside its own host, between spaces."),
};
// clang-format on

/// As it is where there is no translation of it: an engine may be newer than this window.
inline QString settingText(const QString& english) {
    return QCoreApplication::translate("EngineSetting", english.toUtf8().constData());
}

} // namespace yard::ui
