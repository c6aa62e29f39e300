// Objects with a journal in memory, actors that a test answers for, and a clock that it moves.
#pragma once

#include "core/engine/objects/objects.h"
#include "tests/coro/coro_test.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace yard::engine::test {

/// queued -> started -> sealed, or failed; looked at by the worker w.
inline std::string pageType(const std::string& more = {}, const std::string& name = "page") {
    return fmt::format(
        R"({{"name":"{}","fields":{{"url":{{"type":"string"}},"n":{{"type":"integer","default":0}}}},)"
        R"("states":{{"queued":{{"initial":true}},"started":{{}},"sealed":{{"final":true}},"failed":{{"final":true,"kind":"bad"}}}},)"
        R"("transitions":[{{"from":"queued","to":"started"}},{{"from":"started","to":"sealed"}},)"
        R"({{"from":["queued","started"],"to":"failed"}}],"max_retries":2,"backoff_s":10,)"
        R"("actor":{{"worker":"w","max_tick_time_s":60}}{}{}}})",
        name, more.empty() ? "" : ",", more);
}

/// What the journal keeps, as core/store/writer/object_rows does it.
class ObjectJournal {
public:
    std::map<std::int64_t, store::ObjectTypeRow> types;
    std::map<std::int64_t, store::ObjectRow> rows;
    std::map<std::int64_t, std::string> launches;
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, store::EffectRow> effects;
    std::map<std::int64_t, std::vector<store::ObjectMoveRow>> moves;
    struct Owned {
        std::int64_t object = 0;
        std::string name{};
        bool isTold = false;
        ActionResult action{};
    };
    std::map<Lsn, Owned> owned;
    std::map<std::string, store::Reader::KeptAnswer> kept; ///< by their idempotency keys
    std::optional<Error> refusal;                          ///< of everything
    int wakes = 0;                                         ///< commits of them

    /// It has its end; nobody was told.
    void end(Lsn lsn, std::string result) {
        ActionResult& action = owned.at(lsn).action;
        action.state = ActionState::Completed;
        action.outcome.emplace();
        action.outcome->exitCode = 0;
        action.outcome->result = std::move(result);
    }
    /// Whether it was there: the commit of a submission takes it.
    bool takes(const store::SubmitEffect& by, Lsn lsn) {
        if (!take(by.effect)) return false;
        if (by.isOwned) owned[lsn] = {.object = by.effect.object, .name = by.name};
        owned[lsn].action.lsn = lsn;
        owned[lsn].action.state = ActionState::Pending;
        return true;
    }

    store::AckDetail apply(const store::Action& action) {
        store::AckDetail done;
        if (refusal) {
            done.error = refusal;
            return done;
        }
        if (const auto* put = std::get_if<store::PutObjectType>(&action)) apply(*put);
        if (const auto* drop = std::get_if<store::DropObjectType>(&action)) types.erase(drop->id);
        if (const auto* create = std::get_if<store::CreateObjects>(&action)) apply(*create, done);
        if (const auto* claim = std::get_if<store::ClaimObjects>(&action)) apply(*claim, done);
        if (const auto* move = std::get_if<store::MoveObject>(&action)) apply(*move, done);
        if (const auto* wake = std::get_if<store::WakeObjects>(&action)) {
            ++wakes;
            if (wake->effect) take(*wake->effect);
            for (const std::int64_t id : wake->ids)
                if (const auto row = rows.find(id); row != rows.end() && row->second.retryAt > wake->at)
                    row->second.retryAt = wake->at;
            for (const Lsn lsn : wake->told) owned.at(lsn).isTold = true;
        }
        if (const auto* drop = std::get_if<store::DropEffect>(&action)) take(drop->effect);
        if (const auto* drop = std::get_if<store::DropObjects>(&action))
            for (const std::int64_t id : drop->ids) rows.erase(id);
        return done;
    }
    std::vector<store::ObjectStanding> standings() const {
        std::vector<store::ObjectStanding> all;
        for (const auto& [id, row] : rows) {
            store::ObjectStanding one{.id = id, .type = row.type, .parent = row.parent, .revision = row.revision};
            one.retries = row.retries;
            one.retryAt = row.retryAt;
            one.modified = row.modified;
            one.status = row.status;
            one.launch = launches.at(id);
            all.push_back(std::move(one));
        }
        return all;
    }

private:
    void keep(const store::Idempotency& once, std::string answer, WallMicros now) {
        kept[once.key] = {.body = once.body, .answer = std::move(answer), .t = now};
    }
    bool take(const store::EffectName& name) {
        return effects.erase({name.object, name.revision, name.position}) > 0;
    }
    void apply(const store::PutObjectType& put) {
        types[put.row.id] = put.row;
        for (auto& [id, row] : rows) {
            const auto move = std::ranges::find(put.moves, row.status, &store::PutObjectType::Move::from);
            if (row.type != put.row.id || move == put.moves.end()) continue;
            row.status = move->to;
            if (move->retryAt > 0 || move->isFinal) row.retryAt = move->retryAt;
        }
    }
    void apply(const store::CreateObjects& create, store::AckDetail& done) {
        if (create.effect && !take(*create.effect)) return;
        for (const store::NewObject& given : create.objects) {
            const auto known = std::ranges::find_if(rows, [&](const auto& row) {
                return given.key && row.second.key == given.key && row.second.type == given.type;
            });
            done.objects.push_back(known == rows.end() ? given.id : known->first);
            if (known != rows.end()) continue;
            store::ObjectRow row{.id = given.id, .type = given.type, .parent = given.parent};
            row.retryAt = given.retryAt;
            row.created = row.modified = create.now;
            row.status = given.status;
            row.key = given.key;
            row.fields = given.fields;
            rows[given.id] = std::move(row);
            launches[given.id] = given.launch.value_or("");
        }
        if (!create.idempotency) return;
        std::string answer = create.idempotency->answer;
        for (const std::int64_t id : done.objects) answer += fmt::format(";{}+1", id);
        keep(*create.idempotency, std::move(answer), create.now);
    }
    void apply(const store::ClaimObjects& claiming, store::AckDetail& done) {
        for (const auto& claim : claiming.claims) {
            const auto row = rows.find(claim.id);
            if (row != rows.end() && row->second.status == claim.status && row->second.revision == claim.revision)
                row->second.retryAt = claim.retryAt;
            else
                done.objects.push_back(claim.id);
        }
    }
    void apply(const store::MoveObject& move, store::AckDetail& done) {
        const auto row = rows.find(move.id);
        if (row == rows.end() || row->second.status != move.from || row->second.revision != move.revision) {
            done.objects.push_back(move.id);
            return;
        }
        if (move.idempotency) keep(*move.idempotency, move.idempotency->answer, move.at);
        row->second.status = move.to;
        row->second.revision = move.newRevision;
        row->second.retryAt = move.retryAt;
        row->second.retries = move.retries;
        row->second.modified = move.at;
        if (move.ends) row->second.ended = move.at;
        if (!move.lastError.empty()) row->second.lastError = move.lastError;
        if (!move.set.empty()) row->second.fields = move.set;
        if (move.moves)
            moves[move.id].push_back(
                {.t = move.at, .tickMs = move.tickMs, .from = move.from, .to = move.to, .actor = move.actor});
        std::int64_t position = 0;
        for (const auto& [kind, body] : move.effects) {
            effects[{move.id, move.newRevision, position}] = {
                .object = move.id, .revision = move.newRevision, .position = position, .kind = kind, .body = body};
            ++position;
        }
        if (const auto parent = rows.find(move.wakes); parent != rows.end() && parent->second.retryAt > move.at)
            parent->second.retryAt = move.at;
    }
};

class ObjectsBench {
public:
    coro::test::Rig rig;
    ObjectJournal journal;
    RegisteredWorker worker;
    bool hasWorker = true;
    bool areContained = false;
    std::int64_t portion = 0;  ///< so many rows are looked at for a page, which takes 100 ms; 0: all, at once
    bool isSlow = false;       ///< the journal takes nothing before it commits()
    bool isSubmitSlow = false; ///< a submission waits twice for submitGoesOn(): for its commit, and for its answer
    std::vector<runners::Lease> asked; ///< and not answered yet
    std::vector<std::string> added;
    std::vector<std::string> locks; ///< of the actor that was added last
    std::vector<std::string> removed;
    std::vector<runners::AttemptId> stopped;
    std::vector<Submission> submitted;
    std::optional<Error> submitRefusal;
    std::optional<Error> pageRefusal;   ///< of reads of lists
    std::optional<Error> actionRefusal; ///< of reads of actions
    std::optional<Error> aheadRefusal;  ///< of reads of rows before their claims
    std::vector<std::vector<std::int64_t>> readAhead;
    int rowsRead = 0;                            ///< of single rows, also those ahead
    std::vector<std::int64_t> noted;             ///< objects that changed
    std::map<std::string, std::string> troubles; ///< what people were told and is not over
    std::vector<std::string> hookFiles;          ///< names of programs that are hooks, before open()
    std::vector<runners::Lease> hookLeases;      ///< of those that run
    std::vector<runners::AttemptId> hooksOver;
    std::optional<Error> sandboxRefusal;
    std::optional<ActorProcesses> actors;
    std::optional<Hooks> hooks;
    std::optional<Objects> objects;
    std::optional<coro::ThreadRef> runner;
    std::optional<coro::ThreadRef> keeper;

    explicit ObjectsBench(std::vector<std::string> files = {})
        : hookFiles(std::move(files)) {
        auto descriptor = std::make_shared<WorkerDescriptor>();
        descriptor->name = "w";
        descriptor->mode = WorkerMode::Warm;
        worker.id = std::string(64, 'a');
        worker.descriptor = std::move(descriptor);
        open();
    }
    /// What was posted meanwhile, in its order.
    void commits() {
        for (auto& [promise, action] : std::exchange(posted_, {})) promise.set(journal.apply(action));
        rig.settle();
    }
    std::size_t postedCount() const { return posted_.size(); }
    /// The first of what was posted is committed, and answered unless the engine `dies` before.
    void commitsFirst(bool dies = false) {
        auto [promise, action] = std::move(posted_.front());
        posted_.erase(posted_.begin());
        store::AckDetail done = journal.apply(action);
        if (dies) return open();
        promise.set(std::move(done));
        rig.settle();
    }
    std::size_t submitsCount() const { return submits_.size(); }
    void submitGoesOn() {
        coro::Promise<bool> promise = std::move(submits_.front());
        submits_.erase(submits_.begin());
        promise.set(true);
        rig.settle();
    }
    ~ObjectsBench() { rig.loop.shutdown(); }

    /// Another engine, with what the journal has. What was asked of actors is gone.
    void open() {
        endLife();
        asked.clear();
        actors.emplace(ActorProcesses::Parts{
            .add =
                [this](const std::string& id, std::shared_ptr<const WorkerDescriptor>, const std::string&,
                       std::vector<std::string> named) {
                    added.push_back(id);
                    locks = std::move(named);
                    return pool::GroupId{.place = static_cast<std::uint32_t>(added.size()), .use = 1};
                },
            .remove = [this](const std::string& id) { removed.push_back(id); },
            .submit = [this](runners::Lease lease) { asked.push_back(std::move(lease)); },
            .stop = [this](runners::AttemptId id) { stopped.push_back(id); }});
        Objects::Reads reads{.object = [this](std::int64_t id) { return object(id); },
                             .page = [this](store::ObjectQuestion question) { return page(question); },
                             .history = [this](std::int64_t id) { return history(id); },
                             .action = [this](Lsn lsn) { return action(lsn); },
                             .keptAnswer = [this](std::string key) { return keptAnswer(std::move(key)); },
                             .ahead = [this](std::vector<std::int64_t> ids, std::size_t) { return several(ids); },
                             .stays = [this](std::int64_t, std::vector<std::string>) { return stays(); }};
        openHooks();
        objects.emplace(Objects::Parts{
            .post = [this](const store::Action& action) { return post(action); },
            .reads = std::move(reads),
            .actors = *actors,
            .worker = [this](std::string_view name) { return hasWorker && name == "w" ? &worker : nullptr; },
            .submit = [this](Submission submission) { return submit(std::move(submission)); },
            .everFits = [](const Resources& need) { return need.milliCores <= 4'000 && need.named.empty(); },
            .spawn = [this](const char* name,
                            coro::Task<void> task) { spawned_.push_back(rig.loop.spawn(name, std::move(task))); },
            .areContained = [this] { return areContained; },
            .now = [this] { return now(); },
            .changed = [this](std::int64_t id) { noted.push_back(id); },
            .trouble =
                [this](ObjectTroubles::Kind what, const std::string& type, const std::string& text) {
                    const std::string name = what == ObjectTroubles::Kind::Stuck ? "stuck " : "orphans ";
                    if (text.empty())
                        troubles.erase(name + type);
                    else
                        troubles[name + type] = text;
                },
            .hooks = hookFiles.empty() ? nullptr : &*hooks});
        std::vector<store::ObjectTypeRow> types;
        for (const auto& [id, row] : journal.types) types.push_back(row);
        std::vector<store::EffectRow> effects;
        for (const auto& [name, row] : journal.effects) effects.push_back(row);
        const std::int64_t last = journal.rows.empty() ? 0 : journal.rows.rbegin()->first;
        objects->restore(types, effects, last, std::ssize(types));
        objects->restoreObjects(journal.standings());
        std::vector<store::OwnedAction> owned;
        for (const auto& [lsn, one] : journal.owned)
            if (!one.isTold)
                owned.push_back({.lsn = lsn, .object = one.object, .isPending = !isEnded(one.action.state)});
        objects->actions().restore(owned);
        runner = rig.spawn("objects", objects->run());
        keeper = rig.spawn("kept objects", objects->retention().run());
        rig.settle();
    }
    WallMicros now() {
        constexpr WallMicros kBegin = 1'700'000'000'000'000;
        return kBegin + rig.clock.now().time_since_epoch().count();
    }

    // --- hooks
    void openHooks() {
        HookFolder folder{.directory = "/hooks-of-test", .files = {}};
        for (const std::string& name : hookFiles)
            folder.files.push_back({.pattern = lifecycle::HookPattern::parse(name).value()});
        objects.reset();
        hooks.emplace(Hooks::Parts{
            .folder = std::move(folder),
            .firstSlot = 40,
            .slots = hookFiles.size() + 1,
            .submit = [this](runners::Lease lease) { hookLeases.push_back(std::move(lease)); },
            .acknowledge = [this](SlotId, runners::AttemptId id) { hooksOver.push_back(id); },
            .sandboxOf = [this](const HookFile&, SlotId) -> Result<std::shared_ptr<const sandbox::Plan>> {
                if (sandboxRefusal) return std::unexpected(*sandboxRefusal);
                return nullptr;
            },
            .spawn = [this](const char* name, coro::Task<void> task) { rig.loop.spawn(name, std::move(task)); },
            .now = [this] { return rig.clock.now(); }});
    }
    /// The hook that the first program that runs was told of.
    std::string hook() const { return hookLeases.empty() ? "" : hookLeases.front().env.front().second; }
    /// Its stdin.
    std::string hookInput() const {
        std::string text(std::size_t{2} << 20, '\0');
        const ssize_t got = ::pread(hookLeases.front().input->get(), text.data(), text.size(), 0);
        text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        return text;
    }
    /// It ends.
    void hookEnds(int code = 0, const std::string& out = {}, const std::string& err = {}) {
        runners::Ended ended;
        ended.exitCode = code;
        ended.out.bytes = out;
        ended.out.size = out.size();
        ended.err.bytes = err;
        ended.err.size = err.size();
        hookEnds(std::move(ended));
    }
    void hookEnds(runners::Ended ended) {
        std::vector<runners::Update> batch;
        batch.push_back({.id = hookLeases.front().id, .what = std::move(ended)});
        hookLeases.erase(hookLeases.begin());
        hooks->updates(std::move(batch));
        rig.settle();
    }
    /// All that run and wait end well: the hooks that were told, in that order.
    std::string hooksTold() {
        std::string line;
        while (!hookLeases.empty()) {
            line += (line.empty() ? "" : " ") + hook();
            hookEnds();
        }
        return line;
    }

    // --- in a few words
    std::string put(const std::string& json) { return word(rig.ask(objects->putType(json))); }
    std::int64_t create(const std::string& json) {
        const auto made = rig.ask(objects->create(json));
        return made ? made->ids.front() : 0;
    }
    /// A new page of pageType(), which its actor is asked to look at.
    std::int64_t looksAtPage() {
        put(pageType());
        const std::int64_t id = create(R"({"type":"page"})");
        rig.settle();
        comesUp();
        return id;
    }
    std::string refused(const std::string& json) {
        const auto made = rig.ask(objects->create(json));
        return made ? "made" : fmt::format("{} {}", errorName(made.error().kind), made.error().field);
    }
    /// "started r1" of the journal.
    std::string stands(std::int64_t id) const {
        const auto row = journal.rows.find(id);
        return row == journal.rows.end() ? "gone" : fmt::format("{} r{}", row->second.status, row->second.revision);
    }
    /// The first actor that comes up does.
    void comesUp() {
        const auto at = std::ranges::find_if(asked, [](const auto& lease) { return lease.warm->isStart; });
        if (at != asked.end()) end(at - asked.begin(), {});
    }
    /// What is asked first of an actor that is up, and leaves it unanswered; empty: nothing.
    std::string question() const {
        const auto at = std::ranges::find_if(asked, [](const auto& lease) { return !lease.warm->isStart; });
        return at == asked.end() ? "" : at->warm->look;
    }
    /// Answers it.
    void answer(const std::string& json) {
        runners::Ended ended;
        ended.result = json;
        end(firstLook(), std::move(ended));
    }
    void crash() {
        runners::Ended ended;
        ended.cause = runners::EndCause::WorkerCrashed;
        ended.message = "it died";
        end(firstLook(), std::move(ended));
    }
    void begins() {
        std::vector<runners::Update> batch;
        batch.push_back({.id = asked.at(static_cast<std::size_t>(firstLook())).id, .what = runners::Started{}});
        actors->updates(std::move(batch));
        rig.settle();
    }
    void end(std::ptrdiff_t at, runners::Ended ended) {
        const runners::AttemptId id = asked.at(static_cast<std::size_t>(at)).id;
        asked.erase(asked.begin() + at);
        std::vector<runners::Update> batch;
        batch.push_back({.id = id, .what = std::move(ended)});
        actors->updates(std::move(batch));
        rig.settle();
    }
    template<class T>
    static std::string word(const Result<T>& result) {
        return result ? "done" : fmt::format("{} {}", errorName(result.error().kind), result.error().field);
    }

private:
    std::vector<std::pair<coro::Promise<store::AckDetail>, store::Action>> posted_;
    std::vector<coro::Promise<bool>> submits_;
    std::vector<coro::ThreadRef> spawned_; ///< threads of this life of the engine

    std::ptrdiff_t firstLook() const {
        return std::ranges::find_if(asked, [](const auto& lease) { return !lease.warm->isStart; }) - asked.begin();
    }
    void endLife() {
        for (auto* thread : {&runner, &keeper})
            if (*thread) (**thread)->interrupt();
        for (const coro::ThreadRef& thread : std::exchange(spawned_, {})) thread->interrupt();
        rig.settle();
        posted_.clear(); // what nobody waits for any more
        submits_.clear();
        runner.reset();
        keeper.reset();
    }
    PostedObjects post(const store::Action& action) {
        auto shot = std::make_unique<coro::OneShot<store::AckDetail>>("journal");
        if (isSlow)
            posted_.emplace_back(shot->promise(), action);
        else
            shot->promise().set(journal.apply(action));
        return shot;
    }
    coro::Task<void> submitWaits() {
        if (!isSubmitSlow) co_return;
        coro::OneShot<bool> shot("submission");
        submits_.push_back(shot.promise());
        (void)co_await shot.get();
    }
    coro::Task<Result<SubmitAnswer>> submit(Submission submission) {
        if (submitRefusal) co_return std::unexpected(*submitRefusal);
        co_await submitWaits();
        const Lsn lsn(std::ssize(submitted) + 1);
        if (submission.effect && !journal.takes(*submission.effect, lsn)) co_return SubmitAnswer{};
        submitted.push_back(submission);
        co_await submitWaits();
        if (submitted.back().accepted) submitted.back().accepted(lsn);
        co_return SubmitAnswer{};
    }
    coro::Task<Result<std::optional<store::Reader::KeptAnswer>>> keptAnswer(std::string key) {
        if (journal.refusal) co_return std::unexpected(*journal.refusal);
        const auto known = journal.kept.find(key);
        if (known == journal.kept.end()) co_return std::optional<store::Reader::KeptAnswer>();
        co_return std::optional(known->second);
    }
    coro::Task<Result<ActionResult>> action(Lsn lsn) {
        if (actionRefusal) co_return std::unexpected(*actionRefusal);
        const auto owned = journal.owned.find(lsn);
        if (owned == journal.owned.end()) co_return fail(ErrorKind::NotFound, "it is not known");
        co_return owned->second.action;
    }
    coro::Task<Result<std::optional<store::ObjectWithRelatives>>> object(std::int64_t id) {
        ++rowsRead;
        const auto row = journal.rows.find(id);
        if (row == journal.rows.end()) co_return std::optional<store::ObjectWithRelatives>();
        store::ObjectWithRelatives all{.row = row->second};
        std::map<std::string, std::int64_t> counts;
        for (const auto& [number, other] : journal.rows)
            if (other.parent == id) ++counts[other.status];
        for (const auto& [status, count] : counts) all.children.push_back({.status = status, .count = count});
        if (const auto parent = journal.rows.find(row->second.parent); parent != journal.rows.end())
            all.parent = parent->second;
        for (const auto& [lsn, one] : journal.owned)
            if (one.object == id && !one.name.empty()) all.actions.emplace_back(one.name, lsn);
        co_return std::optional(std::move(all));
    }
    coro::Task<Result<std::vector<store::ObjectWithRelatives>>> several(std::vector<std::int64_t> ids) {
        readAhead.push_back(ids);
        std::vector<store::ObjectWithRelatives> all;
        if (aheadRefusal) co_return std::unexpected(*aheadRefusal);
        for (const std::int64_t id : ids)
            if (auto one = co_await object(id); one && *one) all.push_back(std::move(**one));
        co_return all;
    }
    coro::Task<Result<std::vector<store::StatusStay>>> stays() {
        std::vector<store::StatusStay> all{{.status = "queued", .usual = std::chrono::seconds(4), .of = 2}};
        co_return all;
    }
    coro::Task<Result<store::ObjectPage>> page(store::ObjectQuestion question) {
        store::ObjectPage page;
        if (pageRefusal) co_return std::unexpected(*pageRefusal);
        for (const auto& [id, row] : journal.rows) {
            if (portion > 0 && id <= question.cursor) continue;
            if (portion > 0 && page.cursor >= question.cursor + portion) {
                page.isBounded = true;
                rig.clock.advance(std::chrono::milliseconds(100));
                co_return page;
            }
            page.cursor = id;
            if (question.endedBefore != 0 && (row.ended == 0 || row.ended >= question.endedBefore)) continue;
            if ((question.type == 0 || row.type == question.type) &&
                (question.parent == 0 || row.parent == question.parent))
                page.rows.push_back(row);
        }
        page.cursor = 0;
        co_return page;
    }
    coro::Task<Result<std::vector<store::ObjectMoveRow>>> history(std::int64_t id) {
        const auto moves = journal.moves.find(id);
        co_return moves == journal.moves.end() ? std::vector<store::ObjectMoveRow>() : moves->second;
    }
};

} // namespace yard::engine::test
