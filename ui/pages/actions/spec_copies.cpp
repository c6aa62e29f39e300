#include "ui/pages/actions/spec_copies.h"

#include <memory>
#include <set>
#include <utility>

namespace yard::ui {

namespace {

/// Of an entry of "after" the action that it names by number; 0: none.
qint64 parentIn(const QJsonValue& entry) {
    return entry.isObject() ? entry.toObject().value("lsn").toInteger() : entry.toInteger();
}

QJsonValue copyOfEntry(const QJsonValue& entry, const QString& id) {
    if (!entry.isObject()) return id;
    QJsonObject named = entry.toObject();
    named.remove("lsn");
    named.insert("id", id);
    return named;
}

struct SpecQuestions : std::enable_shared_from_this<SpecQuestions> {
    EngineLink& link;
    QObject* asker;
    std::vector<qint64> lsns;
    std::function<void(Specs specs, const QString& problem)> done;
    Specs specs;

    SpecQuestions(EngineLink& link, QObject* asker, std::vector<qint64> lsns,
                  std::function<void(Specs specs, const QString& problem)> done)
        : link(link)
        , asker(asker)
        , lsns(std::move(lsns))
        , done(std::move(done)) {}

    void next() {
        if (specs.size() == lsns.size()) return done(std::move(specs), {});
        const qint64 lsn = lsns[specs.size()];
        link.send({"GET", QStringLiteral("jobs/%1/spec").arg(lsn), QUrlQuery("element=1"), {}, {}}, asker,
                  [self = shared_from_this(), lsn](const Answer& answer) {
                      if (!answer.ok()) return self->done({}, answer.message);
                      self->specs.insert_or_assign(lsn, answer.json);
                      self->next();
                  });
    }
};

} // namespace

QJsonArray listOfCopies(Specs specs) {
    std::map<QString, int> uses;
    for (const auto& [lsn, spec] : specs) ++uses[spec.value("id").toString()];
    std::map<qint64, QString> ids;
    for (auto& [lsn, spec] : specs) {
        const QString own = spec.value("id").toString();
        const bool isKept = !own.isEmpty() && uses[own] == 1;
        ids.emplace(lsn, isKept ? own : QStringLiteral("copy of %1").arg(lsn));
        if (!isKept) spec.remove("id");
    }
    std::set<qint64> named;
    for (auto& [lsn, spec] : specs) {
        QJsonArray after = spec.value("after").toArray();
        for (qsizetype i = 0; i < after.size(); ++i) {
            const auto parent = ids.find(parentIn(after.at(i)));
            if (parent == ids.end()) continue;
            named.insert(parent->first);
            after.replace(i, copyOfEntry(after.at(i), parent->second));
        }
        if (!after.isEmpty()) spec.insert("after", after);
    }
    QJsonArray list;
    for (auto& [lsn, spec] : specs) {
        if (named.contains(lsn)) spec.insert("id", ids.at(lsn));
        list.append(spec);
    }
    return list;
}

void askSpecs(EngineLink& link, QObject* asker, std::vector<qint64> lsns,
              std::function<void(Specs specs, const QString& problem)> done) {
    std::set<qint64> once(lsns.begin(), lsns.end());
    lsns.assign(once.begin(), once.end());
    if (lsns.size() > static_cast<std::size_t>(kMostCopies)) lsns.resize(static_cast<std::size_t>(kMostCopies));
    std::make_shared<SpecQuestions>(link, asker, std::move(lsns), std::move(done))->next();
}

} // namespace yard::ui
