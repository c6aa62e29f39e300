// A random life of objects: an orchestrator, a journal that keeps order, and actors that answer, fail, hang and crash.
// The engine dies at any step: what was not committed is gone, the rest comes back. Checked against the journal, which
// is the simple model: each commit has to be a move from where the object was.
#pragma once

#include "core/lifecycle/orchestrator.h"
#include "core/lifecycle/outbox.h"
#include "tests/lifecycle/types.h"

#include <algorithm>
#include <array>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace yard::test {

class Life {
public:
    explicit Life(unsigned seed)
        : random_(seed) {
        start();
    }
    /// Any one thing that can happen. Afterwards problem() says what is wrong.
    void step() {
        constexpr unsigned kSteps = 100;
        const unsigned what = random(kSteps);
        if (what < 25)
            decide();
        else if (what < 45)
            commitOne();
        else if (what < 65)
            acknowledgeOne();
        else if (what < 82)
            actorDoes(true);
        else if (what < 88)
            carryOut();
        else if (what < 93)
            now_ += random(2'000'000);
        else if (what < 95)
            moveByHand();
        else if (what < 97)
            create({}, Id{}, "anna");
        else if (!rows_.empty())
            orchestrator_->wake(anyObject(), now_);
    }
    void crash() {
        ops_.clear();
        acks_.clear();
        actors_.clear();
        start();
    }
    /// Everybody behaves from now on, until each object is at its end.
    void settle() {
        constexpr int kEnough = 20'000;
        for (int i = 0; i < kEnough && !isSettled(); ++i) {
            decide();
            carryOut();
            while (!ops_.empty()) commitOne();
            while (!acks_.empty()) acknowledgeOne();
            for (std::size_t left = actors_.size() + 1; left > 0; --left) actorDoes(false);
            if (ops_.empty() && acks_.empty()) now_ += 100'000;
        }
        if (!isSettled()) complain(fmt::format("{} objects are not at an end", pending()));
        if (orchestrator_->size() != rows_.size()) complain("an object is lost");
    }
    const std::string& problem() const { return problem_; }
    std::size_t objects() const { return rows_.size(); }
    std::size_t children() const { return children_.size(); }
    std::size_t moves() const { return moves_; }

private:
    using Id = lifecycle::ObjectId;
    struct Row {
        lifecycle::StateNumber status = 0;
        lifecycle::Revision revision = 0;
        WallMicros retryAt = 0;
        unsigned retries = 0;
        std::string key{};
        Id parent{};
    };
    struct Make {
        lifecycle::EffectKey effect{};
        Id parent{};
    };
    struct WakeUp {
        lifecycle::EffectKey effect{};
        Id id{};
    };
    using Op = std::variant<lifecycle::Claim, lifecycle::Write, Make, WakeUp>;
    struct Ack {
        Op op;
        bool ok = false;
        Id made{};
    };
    struct Actor {
        bool isReady = false;
        bool isLooking = false;
        bool isEnding = false;
    };

    unsigned random(unsigned below) { return std::uniform_int_distribution<unsigned>(0, below - 1)(random_); }
    void complain(std::string what) {
        if (problem_.empty()) problem_ = std::move(what);
    }
    Id anyObject() {
        auto row = rows_.begin();
        std::advance(row, random(static_cast<unsigned>(rows_.size())));
        return row->first;
    }
    std::size_t pending() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(rows_, [this](const auto& row) { return !type_.isFinal(row.second.status); }));
    }
    /// In the journal, and not carried out.
    bool hasCreates(Id object) const {
        return std::ranges::any_of(outboxRows_, [object](const auto& row) {
            return row.first.object == object && row.second.kind == lifecycle::EffectKind::Create;
        });
    }
    bool isSettled() const { return pending() == 0 && outboxRows_.empty() && ops_.empty() && acks_.empty(); }

    /// A life of the engine from what is in the journal.
    void start() {
        orchestrator_.emplace();
        outbox_.emplace();
        (void)orchestrator_->putType(type_, now_);
        for (const auto& [key, effect] : outboxRows_) outbox_->add(key, effect, now_);
        for (const auto& [id, row] : rows_) orchestrator_->add(objectOf(id, row));
    }
    lifecycle::Object objectOf(Id id, const Row& row) {
        lifecycle::Object object;
        object.id = id;
        object.parent = row.parent;
        object.status = row.status;
        object.revision = row.revision;
        object.retryAt = row.retryAt;
        object.retries = static_cast<std::uint16_t>(row.retries);
        object.pendingCreates = outbox_->creates(id);
        object.key = orchestrator_->keyNumber(0, row.key);
        return object;
    }
    Id create(const lifecycle::EffectKey& effect, Id parent, std::string key) {
        constexpr std::size_t kMostPending = 60;
        if (effect.object == Id{} && pending() >= kMostPending) return {};
        const Id id(++lastId_);
        rows_[id] = Row{.status = type_.initial(),
                        .revision = 0,
                        .retryAt = now_,
                        .retries = 0,
                        .key = std::move(key),
                        .parent = parent};
        if (effect.object == Id{}) orchestrator_->add(objectOf(id, rows_[id]));
        return id;
    }

    void decide() {
        orchestrator_->pass(now_);
        for (lifecycle::Decision& decision : orchestrator_->take()) {
            if (const auto* start = std::get_if<lifecycle::StartActor>(&decision)) actors_[start->actor] = {};
            if (const auto* tick = std::get_if<lifecycle::SendTick>(&decision)) {
                const auto actor = actors_.find(tick->actor);
                if (actor != actors_.end()) actor->second.isLooking = true;
                if (!looked_.insert({tick->seen.id, tick->actor}).second)
                    complain("two looks of one actor at one object");
                if (hasCreates(tick->seen.id)) complain("a look at an object before its creates are carried out");
            }
            if (const auto* end = std::get_if<lifecycle::EndActor>(&decision)) actors_[end->actor].isEnding = true;
            if (auto* claim = std::get_if<lifecycle::Claim>(&decision)) ops_.emplace_back(*claim);
            if (auto* write = std::get_if<lifecycle::Write>(&decision)) ops_.emplace_back(std::move(*write));
        }
        looked_.clear();
    }
    void carryOut() {
        for (lifecycle::CarryOut& one : outbox_->take(now_)) {
            const Id object = one.key.object;
            if (one.effect.kind == lifecycle::EffectKind::Create) {
                ops_.emplace_back(Make{.effect = one.key, .parent = object});
            } else if (one.attempt == 1 && random(4) == 0) {
                outbox_->failed(one.key, now_);
            } else {
                const Id parent = rows_.at(object).parent;
                orchestrator_->wake(parent, now_);
                ops_.emplace_back(WakeUp{.effect = one.key, .id = parent});
            }
        }
    }
    void commitOne() {
        if (ops_.empty()) return;
        Op op = std::move(ops_.front());
        ops_.pop_front();
        Ack ack{.op = op, .ok = true, .made = {}};
        if (const auto* claim = std::get_if<lifecycle::Claim>(&op)) {
            Row& row = rows_.at(claim->id);
            ack.ok = row.status == claim->status && row.revision == claim->revision;
            if (ack.ok) row.retryAt = claim->retryAt;
        } else if (const auto* write = std::get_if<lifecycle::Write>(&op)) {
            ack.ok = commitWrite(*write);
        } else if (const auto* make = std::get_if<Make>(&op)) {
            if (!children_.insert(make->effect).second) complain("a child was created twice");
            if (outboxRows_.erase(make->effect) != 1) complain("an effect without its row");
            ack.made = create(make->effect, make->parent, random(2) == 0 ? "bert" : "anna");
        } else if (const auto* up = std::get_if<WakeUp>(&op)) {
            wakeRow(up->id, now_);
            if (outboxRows_.erase(up->effect) != 1) complain("a wake without its row");
        }
        acks_.push_back(std::move(ack));
    }
    void wakeRow(Id id, WallMicros at) {
        const auto row = rows_.find(id);
        if (row != rows_.end() && row->second.retryAt > 0) row->second.retryAt = std::min(row->second.retryAt, at);
    }
    bool commitWrite(const lifecycle::Write& write) {
        Row& row = rows_.at(write.id);
        if (!write.swaps(row.status, row.revision)) return false;
        if (write.isOfTick && write.moves && write.lastError.empty() && !type_.allows(row.status, write.to))
            complain("a look moved where no transition leads");
        if (type_.isFinal(write.to) != (write.retryAt == 0)) complain("retry_at does not fit the status");
        if (write.newRevision != row.revision + 1 && (write.moves || !write.effects.empty()))
            complain("moved twice under one revision");
        moves_ += write.moves ? 1 : 0;
        row.status = write.to;
        row.revision = write.newRevision;
        row.retryAt = write.retryAt;
        row.retries = write.retries;
        for (std::uint32_t at = 0; at < write.effects.size(); ++at)
            if (!outboxRows_.emplace(write.keyOf(at), write.effects[at]).second) complain("an effect twice");
        wakeRow(write.wakes, write.at);
        return true;
    }
    void acknowledgeOne() {
        if (acks_.empty()) return;
        const Ack ack = std::move(acks_.front());
        acks_.pop_front();
        if (const auto* claim = std::get_if<lifecycle::Claim>(&ack.op)) {
            orchestrator_->claimed(*claim, ack.ok, now_);
        } else if (const auto* write = std::get_if<lifecycle::Write>(&ack.op)) {
            orchestrator_->written(*write, ack.ok, now_);
            for (std::uint32_t at = 0; ack.ok && at < write->effects.size(); ++at)
                outbox_->add(write->keyOf(at), write->effects[at], now_);
        } else if (const auto* make = std::get_if<Make>(&ack.op)) {
            outbox_->done(make->effect);
            orchestrator_->add(objectOf(ack.made, rows_.at(ack.made)));
            orchestrator_->created(make->effect.object);
        } else if (const auto* up = std::get_if<WakeUp>(&ack.op)) {
            outbox_->done(up->effect);
        }
    }
    void moveByHand() {
        if (rows_.empty()) return;
        const Id id = anyObject();
        static constexpr std::array kTo{"queued", "started", "sealed", "failed"};
        (void)orchestrator_->move(id, kTo[random(kTo.size())], random(3) == 0, now_);
    }

    void actorDoes(bool isWild) {
        if (actors_.empty()) return;
        auto at = actors_.begin();
        std::advance(at, random(static_cast<unsigned>(actors_.size())));
        auto& [number, actor] = *at;
        const auto gone = [&](const char* why) {
            orchestrator_->actorEnded(number, why, now_);
            actors_.erase(at);
        };
        if (actor.isEnding) return gone("");
        if (isWild && random(40) == 0) return gone("worker_crashed");
        if (isWild && random(10) == 0) return; // it takes its time
        if (!std::exchange(actor.isReady, true)) return orchestrator_->actorReady(number);
        if (!std::exchange(actor.isLooking, false)) return;
        orchestrator_->answered(number, isWild ? wildAnswer() : goodAnswer(), now_);
    }
    /// It moves on or ends, whatever the status is: where that is not allowed the retries end it.
    static Result<lifecycle::Answer> goodAnswer() {
        return lifecycle::Answer{.move = "failed", .set = {}, .lookIn = {}, .effects = {}};
    }
    Result<lifecycle::Answer> wildAnswer() {
        if (random(12) == 0) return fail(ErrorKind::Invalid, "no such host");
        lifecycle::Answer answer;
        static constexpr std::array kTo{"started", "started", "sealed", "failed", "nowhere"};
        if (random(3) > 0) answer.move = kTo[random(kTo.size())];
        if (random(4) == 0) answer.lookIn = Duration(random(5'000'000));
        if (random(6) == 0 && pending() < 100)
            answer.effects.push_back({.kind = lifecycle::EffectKind::Create, .body = "{}"});
        if (random(6) == 0) answer.effects.push_back({.kind = lifecycle::EffectKind::Wake, .body = "{}"});
        return answer;
    }

    std::mt19937 random_;
    const lifecycle::Type type_ = parsed(snapshotJson(
        R"("max_actors": 3, "max_per_key": 2, "spawn": [{"over": 4, "actors": 2}, {"over": 0, "actors": 1}])",
        R"("max_retries": 3, "backoff_s": 1)"));
    WallMicros now_ = 1'000'000'000;
    // the journal
    std::map<Id, Row> rows_;
    std::map<lifecycle::EffectKey, lifecycle::Effect> outboxRows_;
    std::set<lifecycle::EffectKey> children_; ///< ever created
    std::int64_t lastId_ = 0;
    std::size_t moves_ = 0;
    // the engine's life
    std::optional<lifecycle::Orchestrator> orchestrator_;
    std::optional<lifecycle::Outbox> outbox_;
    std::deque<Op> ops_;
    std::deque<Ack> acks_;
    std::map<lifecycle::ActorNumber, Actor> actors_;
    std::set<std::pair<Id, lifecycle::ActorNumber>> looked_;
    std::string problem_;
};

} // namespace yard::test
