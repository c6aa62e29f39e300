#include "ui/pages/actions/sandbox_facts.h"

#include "core/model/worker.h"
#include "ui/style/format.h"

#include <QCoreApplication>
#include <QJsonArray>

#include <algorithm>
#include <cstring>

namespace yard::ui {

namespace {

struct Sandbox {
    Q_DECLARE_TR_FUNCTIONS(Sandbox)
};

constexpr qint64 kMiB = 1 << 20;
constexpr qint64 kFactor = 2; ///< a limit that was too small is granted so many times

/// As the engine takes it where a descriptor is silent.
qint64 usualLimit(QLatin1String name) {
    constexpr WorkerLimits kUsual;
    if (name == QLatin1String("processes")) return kUsual.processes;
    if (name == QLatin1String("open_files")) return kUsual.openFiles;
    if (name == QLatin1String("file_bytes")) return kUsual.fileBytes;
    if (name == QLatin1String("output_bytes")) return kUsual.outputBytes;
    return kUsual.outputFiles;
}

/// Within what the settings allow; 0: no limit.
qint64 limitOf(const SandboxInput& in, QLatin1String name) {
    const qint64 asked = in.descriptor.value("limits").toObject().value(name).toInteger(usualLimit(name));
    const qint64 most = in.settings.value(QLatin1String("max_") + name).toInteger();
    return most > 0 && (asked == 0 || asked > most) ? most : asked;
}

/// In MiB; 0: no limit.
qint64 memoryOf(const SandboxInput& in) {
    const qint64 own = in.isExec() ? in.spec.value("resources").toObject().value("memory_mb").toInteger()
                                   : in.descriptor.value("memory_mb").toInteger();
    const qint64 usual = in.settings.value("default_memory_mb").toInteger();
    if (own > 0 || usual > 0) return own > 0 ? own : usual;
    // As the engine bounds who asks for none.
    const qint64 machine = in.session.value("machine").toObject().value("memory_bytes").toInteger() / kMiB;
    return machine * in.settings.value("guard_hold_percent").toInteger(100) / 100;
}

bool isSandboxed(const SandboxInput& in) {
    return in.isExec() ? in.spec.value("sandbox").toBool()
                       : in.session.value("sandbox").toObject().value("workers").toBool();
}

bool networkIsAllowed(const SandboxInput& in) {
    return in.settings.value("sandbox_network").toString() == "asked";
}

QString sizeOr(qint64 bytes, const QString& none) {
    return bytes > 0 ? Format().size(bytes) : none;
}

QString networkWord(const SandboxInput& in) {
    const bool asks = in.descriptor.value("network").toBool();
    if (asks && networkIsAllowed(in)) return Sandbox::tr("the machine's");
    if (asks) return Sandbox::tr("asked for, not granted");
    return Sandbox::tr("none");
}

Fact withoutSandbox(const SandboxInput& in) {
    if (in.isExec())
        return {Sandbox::tr("sandbox"), Sandbox::tr("none: an exec has one when it says \"sandbox\": true")};
    return {Sandbox::tr("sandbox"), Sandbox::tr("none: the engine was started without"), Fact::Tone::Alert};
}

/// Ready to be changed: as it was posted, without what the engine adds.
QJsonObject descriptorOf(const SandboxInput& in) {
    QJsonObject descriptor = in.descriptor;
    descriptor.remove("id");
    return descriptor;
}

QString newVersionEffect(const SandboxInput& in, const QString& what) {
    return Sandbox::tr(
               "%1 is registered again with %2; actions that call it by its name use that one from then on.")
        .arg(in.descriptor.value("name").toString(), what);
}

Grant networkGrant(const SandboxInput& in) {
    Grant grant{Grant::Kind::Network, Sandbox::tr("Allow the network"), {}, {}, {}, {}};
    QStringList effects;
    if (!networkIsAllowed(in)) {
        grant.settings = {{"sandbox_network", "asked"}};
        effects << Sandbox::tr("Every worker whose descriptor asks for the network gets it (sandbox_network).");
    }
    if (!in.descriptor.value("network").toBool()) {
        grant.descriptor = descriptorOf(in);
        grant.descriptor.insert("network", true);
        effects << newVersionEffect(in, QStringLiteral("\"network\": true"));
    }
    if (effects.isEmpty()) effects << Sandbox::tr("It is allowed by now; the action only has to run again.");
    grant.effect = effects.join(' ');
    return grant;
}

Grant memoryGrant(const SandboxInput& in) {
    const qint64 more = memoryOf(in) * kFactor;
    Grant grant{
        Grant::Kind::Memory, Sandbox::tr("Allow %1 of memory").arg(Format().size(more * kMiB)), {}, {}, {}, {}};
    if (in.isExec()) {
        grant.action = in.spec;
        QJsonObject resources = in.spec.value("resources").toObject();
        resources.insert("memory_mb", more);
        grant.action.insert("resources", resources);
        grant.effect = Sandbox::tr("The action is submitted again with a limit twice as high.");
    } else {
        grant.descriptor = descriptorOf(in);
        grant.descriptor.insert("memory_mb", more);
        grant.effect = newVersionEffect(in, QStringLiteral("\"memory_mb\": %1").arg(more));
    }
    return grant;
}

std::optional<Grant> outputsGrant(const SandboxInput& in) {
    if (in.isExec()) return std::nullopt; // has the usual limits, whatever it says
    Grant grant{Grant::Kind::Outputs, Sandbox::tr("Allow twice the outputs"), {}, {}, descriptorOf(in), {}};
    QJsonObject limits = in.descriptor.value("limits").toObject();
    QStringList words;
    for (const char* name : {"output_files", "output_bytes", "file_bytes"})
        if (const qint64 now = limitOf(in, QLatin1String(name)); now > 0) {
            limits.insert(QLatin1String(name), now * kFactor);
            words << QStringLiteral("\"%1\": %2").arg(QLatin1String(name)).arg(now * kFactor);
        }
    if (words.isEmpty()) return std::nullopt;
    grant.descriptor.insert("limits", limits);
    grant.effect = newVersionEffect(in, words.join(", "));
    return grant;
}

Grant withoutGrant(const SandboxInput& in) {
    Grant grant{Grant::Kind::NoSandbox, Sandbox::tr("Run it without a sandbox"), {}, {}, {}, in.spec};
    grant.action.insert("sandbox", false);
    grant.effect =
        Sandbox::tr("The action is submitted again with the rights of the engine's user: it can read and "
                    "write whatever that user can, the engine's token included.");
    return grant;
}

} // namespace

std::vector<Fact> limitsInForce(const SandboxInput& in) {
    if (in.action.isEmpty() || (in.isExec() && in.spec.isEmpty())) return {};
    if (!isSandboxed(in)) return {withoutSandbox(in)};
    const Format format;
    const QString none = Sandbox::tr("no limit");
    const auto counted = [&](const char* name) {
        const qint64 most = limitOf(in, QLatin1String(name));
        return most > 0 ? format.number(most) : none;
    };
    const qint64 memory = memoryOf(in) * kMiB;
    const qint64 tmp = in.settings.value("sandbox_tmp_mb").toInteger() * kMiB;
    std::vector<Fact> facts = {
        {Sandbox::tr("sandbox"), Sandbox::tr("files, processes, users of its own")},
        {Sandbox::tr("network"), networkWord(in)},
        {Sandbox::tr("memory"), sizeOr(memory, none)},
        {Sandbox::tr("processes"), counted("processes")},
        {Sandbox::tr("open files"), counted("open_files")},
        {Sandbox::tr("largest file"), sizeOr(limitOf(in, QLatin1String("file_bytes")), none)},
        {Sandbox::tr("output files"), counted("output_files")},
        {Sandbox::tr("outputs"), sizeOr(limitOf(in, QLatin1String("output_bytes")), none)},
        {Sandbox::tr("/tmp"), sizeOr(memory > 0 ? std::min(memory, tmp) : tmp, Format::unknown())}};
    if (const QString cwd = in.spec.value("cwd").toString(); !cwd.isEmpty())
        facts.push_back({Sandbox::tr("reads"), cwd});
    return facts;
}

std::optional<Grant::Kind> grantKindOf(const QJsonObject& denial, const SandboxInput& in) {
    const QString what = denial.value("what").toString();
    if (what == "link" || what == "special" || !isSandboxed(in)) return std::nullopt;
    if (in.isExec()) return Grant::Kind::NoSandbox;
    if (what == "connect" && !in.descriptor.isEmpty()) return Grant::Kind::Network;
    return std::nullopt;
}

QString remedyFor(const QJsonObject& denial, const SandboxInput& in) {
    const QString what = denial.value("what").toString();
    if (what == "link") return Sandbox::tr("links are not kept; copy the file");
    if (what == "special") return Sandbox::tr("only files are kept as outputs");
    switch (grantKindOf(denial, in).value_or(Grant::Kind::Outputs)) {
    case Grant::Kind::Network: return Sandbox::tr("the network can be allowed");
    case Grant::Kind::NoSandbox: return Sandbox::tr("allowed without a sandbox only");
    default: return Sandbox::tr("no worker is allowed this");
    }
}

std::vector<Grant> grantsFor(const SandboxInput& in) {
    std::vector<Grant> grants;
    if (!isSandboxed(in) || in.spec.isEmpty() || (!in.isExec() && in.descriptor.isEmpty())) return grants;
    const QString reason = in.action.value("reason").toString();
    if (reason == "memory" && memoryOf(in) > 0) grants.push_back(memoryGrant(in));
    if (reason == "result_too_large")
        if (auto grant = outputsGrant(in)) grants.push_back(std::move(*grant));
    const auto denies = [&](Grant::Kind kind) {
        return std::ranges::any_of(in.action.value("denied").toArray(), [&](const QJsonValue& each) {
            return grantKindOf(each.toObject(), in) == kind;
        });
    };
    if (denies(Grant::Kind::Network)) grants.push_back(networkGrant(in));
    if (denies(Grant::Kind::NoSandbox)) grants.push_back(withoutGrant(in));
    return grants;
}

QString nameOfError(int number) {
    const char* name = number > 0 ? ::strerrorname_np(number) : nullptr;
    return name != nullptr ? QString::fromLatin1(name) : QLocale().toString(number);
}

} // namespace yard::ui
