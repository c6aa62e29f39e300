// Objects: what a start finds, types, and questions.
#include "core/engine/objects/objects.h"

#include "core/base/log.h"
#include "core/coro/suspend.h"
#include "core/coro/timeout.h"
#include "core/lifecycle/type_json.h"
#include "core/model/json_fields.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

using lifecycle::ObjectId;
using lifecycle::TypeNumber;

namespace {

/// A new version of a type waits so long for what is being written of its objects.
constexpr Duration kUnwrittenWithin{5'000'000};
constexpr Duration kUnwrittenLook{5'000};
/// A list is looked for so long.
constexpr Duration kListWithin{250'000};

std::unexpected<Error> noType(std::string_view name) {
    return fail(ErrorKind::NotFound, fmt::format("There is no type \"{}\" of objects.", name));
}
std::unexpected<Error> noObject(std::int64_t id) {
    return fail(ErrorKind::NotFound, fmt::format("There is no object {}.", id));
}

/// "field:value field:value": fields of the type, or of any where it is not given.
Result<std::vector<std::pair<std::string, std::string>>> fieldsIn(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> fields;
    constexpr std::size_t kMost = 16;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (word.empty()) continue;
        const auto colon = word.find(':');
        if (colon == std::string_view::npos || !lifecycle::isLifecycleName(word.substr(0, colon)) ||
            fields.size() == kMost)
            return invalid("q", "Give q as \"field:value\", up to 16 of them with blanks between.");
        fields.emplace_back(word.substr(0, colon), word.substr(colon + 1));
    }
    return fields;
}

template<class Named>
std::string namesOf(const std::vector<Named>& all) {
    std::string names;
    for (const Named& one : all) names += (names.empty() ? "" : ", ") + one.name;
    return names;
}

/// A slip would be a list of nothing, for good.
Result<void> checkFilter(const lifecycle::Type& type, const std::string& status,
                         const std::vector<std::pair<std::string, std::string>>& fields) {
    if (!status.empty() && !type.find(status))
        return invalid("status", fmt::format("The type \"{}\" has no status \"{}\"; it has: {}.", type.name, status,
                                             namesOf(type.states)));
    for (const auto& [name, value] : fields)
        if (std::ranges::find(type.fields, name, &lifecycle::Field::name) == type.fields.end())
            return invalid("q", type.fields.empty()
                                    ? fmt::format("The type \"{}\" has no fields.", type.name)
                                    : fmt::format("The type \"{}\" has no field \"{}\"; it has: {}.", type.name,
                                                  name, namesOf(type.fields)));
    return {};
}

} // namespace

Objects::Objects(Parts parts)
    : parts_(std::move(parts))
    , io_{.post = parts_.post,
          .spawn = parts_.spawn,
          .now = parts_.now,
          .wakeUp = [this] { wakeUp(); },
          .refused = [this](const Error& error) { journalRefused(error); }}
    , troubles_(orchestrator_, parts_.trouble)
    , hooks_(orchestrator_, parts_.hooks)
    , owned_({.io = io_,
              .action = parts_.reads.action,
              .wake =
                  [this](std::int64_t id, Lsn ended, WallMicros at) {
                      poke(ObjectId(id), PokeWhy::Action, ended.value, at);
                      orchestrator_.wake(ObjectId(id), at);
                  }})
    , effects_({.orchestrator = orchestrator_,
                .outbox = outbox_,
                .io = io_,
                .hooks = hooks_,
                .troubles = troubles_,
                .owned = owned_,
                .page = parts_.reads.page,
                .submit = parts_.submit,
                .areContained = parts_.areContained,
                .wake =
                    [this](ObjectId id, ObjectId by, WallMicros at) {
                        poke(id, PokeWhy::Object, by.value, at);
                        orchestrator_.wake(id, at);
                    },
                .make = [this](GivenObject given,
                               store::EffectName effect) { return makeFor(std::move(given), effect); }})
    , retention_({.orchestrator = orchestrator_,
                  .steadyType = [this](TypeNumber number) -> std::optional<std::int64_t> {
                      if (types_[number].isLeaving) return std::nullopt;
                      return types_[number].id;
                  },
                  .page = parts_.reads.page,
                  .remove = [this](std::vector<std::int64_t> ids) { return remove(std::move(ids)); },
                  .owners = [this] { return owned_.owners(); },
                  .isChanging = [this](ObjectId id) { return outbox_.has(id) || isMovedByHand(id); },
                  .now = parts_.now})
    , keys_(io_, parts_.reads.keptAnswer) {
    parts_.actors.attach(
        {.ready = [this](lifecycle::ActorNumber actor) { actorReady(actor); },
         .began = [this](lifecycle::ActorNumber actor) { actorBegan(actor); },
         .answered = [this](lifecycle::ActorNumber actor, std::string answer) { actorAnswered(actor, answer); },
         .ended = [this](lifecycle::ActorNumber actor,
                         std::string error) { actorEnded(actor, std::move(error)); }});
}

// --- a start

void Objects::restore(std::span<const store::ObjectTypeRow> types, std::span<const store::EffectRow> effects,
                      std::int64_t lastObject, std::int64_t lastType) {
    YARD_ASSERT_OWNER(owner_);
    const WallMicros now = parts_.now();
    lastObject_ = lastObject;
    lastType_ = lastType;
    for (const store::ObjectTypeRow& row : types) {
        auto type = lifecycle::parseType(row.body);
        auto number =
            type ? orchestrator_.putType(*std::move(type), now) : Result<TypeNumber>(std::unexpected(type.error()));
        if (!number) {
            logError("objects", "the type {} cannot be read, and nothing looks at its objects: {}", row.name,
                     number.error().message);
            unread_[row.name] = row.id;
            continue;
        }
        types_.push_back({.id = row.id, .body = row.body});
        numbers_[row.id] = *number;
        retention_.begin(*number, now);
    }
    for (const store::EffectRow& row : effects)
        outbox_.add({.object = ObjectId(row.object),
                     .revision = row.revision,
                     .position = static_cast<std::uint32_t>(row.position)},
                    {.kind = static_cast<lifecycle::EffectKind>(row.kind), .body = row.body}, now);
    workersChanged();
}

void Objects::restoreObjects(std::span<const store::ObjectStanding> objects) {
    const WallMicros now = parts_.now();
    for (const store::ObjectStanding& row : objects) {
        const auto number = numbers_.find(row.type);
        if (number == numbers_.end()) continue;
        const auto status = orchestrator_.type(number->second).find(row.status);
        if (!status) {
            logWarning("objects", "object {} is {}, which its type does not know", row.id, row.status);
            continue;
        }
        lifecycle::Object object;
        object.id = ObjectId(row.id);
        object.parent = ObjectId(row.parent);
        object.type = number->second;
        object.status = *status;
        object.revision = row.revision;
        object.retries = static_cast<std::uint16_t>(row.retries);
        object.retryAt = lifecycle::retryAtAfterStart(row.retryAt, row.modified, now);
        object.pendingCreates = outbox_.creates(object.id);
        object.isStuck = row.isStuck;
        if (row.launch) object.key = orchestrator_.keyNumber(number->second, *row.launch);
        orchestrator_.add(object);
    }
}

void Objects::workersChanged() {
    YARD_ASSERT_OWNER(owner_);
    for (std::size_t number = 0; number < types_.size(); ++number) learn(static_cast<TypeNumber>(number));
    wakeUp();
}

/// Whether there is a worker for its actors.
void Objects::learn(TypeNumber number) {
    if (const auto& actor = orchestrator_.type(number).actor) {
        const RegisteredWorker* worker = parts_.worker(actor->worker);
        orchestrator_.workerKnown(number,
                                  worker && worker->descriptor->mode == WorkerMode::Warm && !worker->leaving);
        std::string& known = types_[number].worker;
        if (worker && known != worker->id && !std::exchange(known, worker->id).empty())
            orchestrator_.workerReplaced(number);
    }
    if (!orchestrator_.hasActors(number)) effects_.failCalls(number);
}

// --- types

Result<TypeNumber> Objects::numberOf(std::string_view name) const {
    const auto number = orchestrator_.findType(name);
    if (!number) return noType(name);
    return *number;
}

ObjectTypeView Objects::viewOf(TypeNumber number) const {
    ObjectTypeView view = countsOf(number);
    view.body = types_[number].body;
    return view;
}

ObjectTypeView Objects::countsOf(TypeNumber number) const {
    const lifecycle::Type& type = orchestrator_.type(number);
    ObjectTypeView view{.name = type.name, .body = {}, .counts = {}};
    for (std::size_t state = 0; state < type.states.size(); ++state)
        view.counts.push_back({.status = type.states[state].name,
                               .count = static_cast<std::int64_t>(
                                   orchestrator_.count(number, static_cast<lifecycle::StateNumber>(state)))});
    return view;
}

/// All of them: which ones objects are in the journal knows before us.
std::vector<std::string> Objects::statusesOf(TypeNumber number) const {
    std::vector<std::string> names;
    for (const lifecycle::State& state : orchestrator_.type(number).states) names.push_back(state.name);
    return names;
}

std::vector<ObjectTypeView> Objects::types() const {
    return viewsOfAll(&Objects::viewOf);
}

std::vector<ObjectTypeView> Objects::counts() const {
    return viewsOfAll(&Objects::countsOf);
}

std::vector<ObjectTypeView> Objects::viewsOfAll(ObjectTypeView (Objects::*viewOfOne)(TypeNumber) const) const {
    YARD_ASSERT_OWNER(owner_);
    std::vector<ObjectTypeView> views;
    for (std::size_t number = 0; number < types_.size(); ++number)
        if (orchestrator_.isThere(static_cast<TypeNumber>(number)))
            views.push_back((this->*viewOfOne)(static_cast<TypeNumber>(number)));
    std::ranges::sort(views, {}, &ObjectTypeView::name);
    return views;
}

Result<ObjectTypeView> Objects::type(std::string name) const {
    YARD_ASSERT_OWNER(owner_);
    const auto number = numberOf(name);
    if (!number) return std::unexpected(number.error());
    return viewOf(*number);
}

coro::Task<Result<std::vector<store::StatusStay>>> Objects::stays(std::string name) {
    YARD_ASSERT_OWNER(owner_);
    const auto number = numberOf(name);
    if (!number) co_return std::unexpected(number.error());
    co_return co_await parts_.reads.stays(types_[*number].id, statusesOf(*number));
}

Objects::Held::Held(Objects& objects, TypeNumber number)
    : objects_(objects)
    , number_(number) {
    objects_.orchestrator_.hold(number, true);
    objects_.types_[number].isLeaving = true;
}

Objects::Held::~Held() {
    objects_.orchestrator_.hold(number_, false);
    objects_.types_[number_].isLeaving = false;
    objects_.wakeUp(); // what became due meanwhile
}

/// Waits until the journal has what is on its way to it.
coro::Task<Result<void>> Objects::untilUnwritten(TypeNumber number) {
    const WallMicros until = parts_.now() + kUnwrittenWithin.count();
    while (orchestrator_.writes().hasOf(number) || types_[number].creating > 0) {
        if (parts_.now() >= until)
            co_return fail(ErrorKind::Busy, "Objects of the type are being written; try again in a moment.");
        co_await coro::sleepFor(kUnwrittenLook);
    }
    co_return Result<void>{};
}

coro::Task<Result<ObjectTypeView>> Objects::putType(std::string json) {
    YARD_ASSERT_OWNER(owner_);
    auto type = lifecycle::parseType(json);
    if (!type) co_return std::unexpected(type.error());
    const auto isName = [](const std::string& lock) { return isLockName(lock); };
    if (type->actor && !std::ranges::all_of(type->actor->locks, isName))
        co_return invalid("locks", "Name locks by 1 to 128 letters, digits or \".\", \"_\", \":\", \"@\", \"-\".");
    Resources least;
    least.milliCores = 0;
    if (type->actor && !parts_.everFits(resourcesOf(type->actor->resources, std::move(least))))
        co_return invalid("resources", "This machine never has that much; ask for less.");
    auto body = compactJson(json);
    if (!body) co_return std::unexpected(body.error());
    const auto guard = co_await typeMutex_.lock();
    const auto known = orchestrator_.findType(type->name);
    // One that could not be read has its objects in the journal still.
    const auto unread = unread_.find(type->name);
    const bool isUnread = !known && unread != unread_.end();
    store::ObjectTypeRow row{.id = known      ? types_[*known].id
                                   : isUnread ? unread->second
                                              : lastType_ + 1,
                             .name = type->name,
                             .body = *std::move(body)};
    std::optional<Held> held;
    if (known) {
        held.emplace(*this, *known);
        if (const auto unwritten = co_await untilUnwritten(*known); !unwritten)
            co_return std::unexpected(unwritten.error());
    }
    const std::int64_t id = row.id;
    if (const auto done = co_await commitType(*std::move(type), std::move(row)); !done)
        co_return std::unexpected(done.error());
    if (isUnread) {
        logWarning("objects", "the type {} is replaced: a start looks at the objects that it had", unread->first);
        unread_.erase(unread);
    }
    co_return viewOf(numbers_.at(id));
}

/// The journal has it before anything here does: what it refuses did not happen.
coro::Task<Result<void>> Objects::commitType(lifecycle::Type type, store::ObjectTypeRow row) {
    carry(orchestrator_.take()); // what was decided by the version before
    const WallMicros now = parts_.now();
    const auto change = orchestrator_.plan(type, now);
    if (!change) co_return std::unexpected(change.error());
    if (const auto known = orchestrator_.findType(type.name)) orchestrator_.outdate(*known);
    store::PutObjectType put{.row = row, .moves = {}, .now = now};
    for (const auto& move : change->moves)
        put.moves.push_back({.from = move.from, .to = move.to, .retryAt = move.retryAt, .isFinal = move.isFinal});
    const auto posted = parts_.post(std::move(put));
    if (const store::AckDetail done = co_await posted->get(); done.error) co_return std::unexpected(*done.error);
    const auto number = orchestrator_.putType(std::move(type), now);
    if (!number) co_return std::unexpected(number.error());
    if (*number == types_.size()) types_.emplace_back();
    types_[*number].id = row.id;
    types_[*number].body = std::move(row.body);
    types_[*number].rates.clear();
    numbers_[row.id] = *number;
    lastType_ = std::max(lastType_, row.id);
    learn(*number);
    retention_.begin(*number, now);
    noteChanged(0);
    changed_.notifyAll();
    wakeUp();
    co_return Result<void>{};
}

coro::Task<Result<void>> Objects::removeType(std::string name, bool isForced) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await typeMutex_.lock();
    const auto number = numberOf(name);
    if (!number) co_return std::unexpected(number.error());
    const Held held(*this, *number);
    Result<void> removed = co_await untilUnwritten(*number);
    store::ObjectQuestion question{.type = types_[*number].id, .limit = store::kMostObjectRows};
    question.statuses = statusesOf(*number);
    while (removed && isForced) {
        const auto page = co_await parts_.reads.page(question);
        if (!page) removed = std::unexpected(page.error());
        if (!page || page->rows.empty()) break;
        std::vector<std::int64_t> ids;
        for (const store::ObjectRow& row : page->rows) ids.push_back(row.id);
        if (const auto gone = co_await remove(std::move(ids)); !gone) removed = std::unexpected(gone.error());
    }
    if (removed) {
        const auto posted = parts_.post(store::DropObjectType{.id = types_[*number].id});
        if (const store::AckDetail done = co_await posted->get(); done.error)
            removed = std::unexpected(*done.error);
    }
    if (removed) removed = orchestrator_.removeType(*number);
    troubles_.tellChanged();
    noteChanged(0);
    if (removed) effects_.failCalls(*number);
    co_return removed;
}

// --- questions

ObjectView Objects::viewOf(store::ObjectRow row) const {
    ObjectView view;
    if (const auto number = numbers_.find(row.type); number != numbers_.end())
        view.type = orchestrator_.type(number->second).name;
    if (const lifecycle::Object* object = orchestrator_.find(ObjectId(row.id))) view.isHot = object->isHot;
    view.row = std::move(row);
    return view;
}

bool Objects::isReached(std::int64_t id, const std::string& until) const {
    const lifecycle::Object* object = orchestrator_.find(ObjectId(id));
    if (!object) return true; // nothing comes of it any more
    const lifecycle::Type& type = orchestrator_.type(object->type);
    return until.empty() ? type.isFinal(object->status) : type.states[object->status].name == until;
}

coro::Task<Result<ObjectView>> Objects::get(std::int64_t id, Duration wait, std::string until) {
    YARD_ASSERT_OWNER(owner_);
    if (const lifecycle::Object* object = orchestrator_.find(ObjectId(id)); object && !until.empty())
        if (auto fine = checkFilter(orchestrator_.type(object->type), until, {}); !fine) {
            fine.error().field = "until"; // a slip would wait in vain
            co_return std::unexpected(std::move(fine.error()));
        }
    const WallMicros end = parts_.now() + wait.count();
    for (WallMicros now = parts_.now(); !isReached(id, until) && now < end; now = parts_.now())
        (void)co_await coro::comesWithin(Duration(end - now), changed_);
    auto read = co_await parts_.reads.object(id);
    if (!read) co_return std::unexpected(read.error());
    if (!*read) co_return noObject(id);
    auto history = co_await parts_.reads.history(id);
    if (!history) co_return std::unexpected(history.error());
    ObjectView view = viewOf(std::move((*read)->row));
    view.children = std::move((*read)->children);
    view.history = *std::move(history);
    view.pokes = pokes_.of(ObjectId(id));
    auto actions = co_await owned_.views(std::move((*read)->actions));
    if (!actions) co_return std::unexpected(std::move(actions.error()));
    view.actions = *std::move(actions);
    view.isReached = until.empty() ? view.row.retryAt == 0 : view.row.status == until;
    co_return view;
}

coro::Task<Result<ObjectList>> Objects::list(ObjectQuery query) {
    YARD_ASSERT_OWNER(owner_);
    store::ObjectQuestion question{.parent = query.parent, .status = query.status, .cursor = query.cursor};
    question.limit = std::clamp(query.limit, 1, store::kMostObjectRows);
    question.newestFirst = query.newestFirst;
    question.isBare = query.isBare;
    question.among = std::move(query.among);
    auto fields = fieldsIn(query.text);
    if (!fields) co_return std::unexpected(fields.error());
    if (!query.type.empty()) {
        const auto number = numberOf(query.type);
        if (!number) co_return std::unexpected(number.error());
        question.type = types_[*number].id;
        // While it changes the journal has other states than we do: its objects are sorted for the page then.
        if (!types_[*number].isLeaving) {
            if (auto fine = checkFilter(orchestrator_.type(*number), query.status, *fields); !fine)
                co_return std::unexpected(std::move(fine.error()));
            question.statuses = statusesOf(*number);
        }
    }
    question.fields = *std::move(fields);
    // In portions: others get the reader in between.
    const WallMicros until = parts_.now() + kListWithin.count();
    const int limit = question.limit;
    ObjectList list;
    do {
        auto page = co_await parts_.reads.page(question);
        if (!page) co_return std::unexpected(page.error());
        for (store::ObjectRow& row : page->rows) list.rows.push_back(viewOf(std::move(row)));
        list.cursor = question.cursor = page->cursor;
        list.isBounded = page->isBounded && std::ssize(list.rows) < limit;
        question.limit = limit - static_cast<int>(list.rows.size());
    } while (list.isBounded && parts_.now() < until);
    co_return list;
}

std::vector<OrchestratorView::Move> Objects::movesOf(TypeNumber number) const {
    const auto& states = orchestrator_.type(number).states;
    std::vector<OrchestratorView::Move> moves;
    for (const lifecycle::MoveRate& rate : types_[number].rates.rates(parts_.now()))
        moves.push_back({.from = rate.from ? states[*rate.from].name : std::string(),
                         .to = states[rate.to].name,
                         .perMinute = rate.perMinute});
    return moves;
}

OrchestratorView Objects::orchestrator() const {
    YARD_ASSERT_OWNER(owner_);
    OrchestratorView view;
    for (std::size_t at = 0; at < types_.size(); ++at) {
        const auto number = static_cast<TypeNumber>(at);
        if (!orchestrator_.isThere(number)) continue;
        OrchestratorView::Type type{.name = orchestrator_.type(number).name,
                                    .due = orchestrator_.queued(number),
                                    .wanted = orchestrator_.wanted(number),
                                    .moves = movesOf(number),
                                    .actors = {},
                                    .why = types_[at].lastFailure};
        for (const auto& [actor, entry] : actors_)
            if (entry.type == number)
                type.actors.push_back({.key = shownKey(entry.key),
                                       .process = ActorProcesses::groupName(processName(entry), actor),
                                       .object = entry.call ? entry.call->object.value : entry.seen.id.value,
                                       .since = entry.since,
                                       .isReady = entry.isReady});
        view.types.push_back(std::move(type));
    }
    view.orphanCount = orchestrator_.orphans().count();
    for (const lifecycle::WarnOrphan& orphan : orchestrator_.orphans().first(OrchestratorView::kMostOrphans)) {
        const lifecycle::Object* object = orchestrator_.find(orphan.object);
        const lifecycle::Type& type = orchestrator_.type(object->type);
        view.orphans.push_back({.id = orphan.object.value,
                                .type = type.name,
                                .status = type.states[object->status].name,
                                .reason = lifecycle::name(orphan.why)});
    }
    view.objects = orchestrator_.size();
    view.stuck = orchestrator_.stuck();
    view.outbox = outbox_.size();
    view.nextLook = nextWake(parts_.now());
    if (parts_.hooks) view.hooks = parts_.hooks->figures();
    return view;
}

} // namespace yard::engine
