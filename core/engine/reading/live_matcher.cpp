#include "core/engine/reading/live_matcher.h"

#include <algorithm>
#include <utility>

namespace yard::engine {

LiveMatcher::LiveMatcher(Parts parts, const ListQuery& query, std::optional<QueueId> queue)
    : parts_(std::move(parts))
    , queue_(queue)
    , states_(query.states)
    , heldOnly_(query.heldOnly)
    , retryOnly_(query.retryOnly)
    , worker_(query.worker)
    , text_(query.text) {
    if (!query.label.empty()) label_ = query.label;
    for (const FilterTerm& term : query.filter.terms) {
        switch (term.key) {
        case FilterKey::Worker:
        case FilterKey::Lock:
        case FilterKey::Function: ofClass_.terms.push_back(term); break;
        case FilterKey::Label: ofLabel_.terms.push_back(term); break;
        case FilterKey::Queue: ofQueue_.terms.push_back(term); break;
        case FilterKey::State:
        case FilterKey::Lsn:
        case FilterKey::After:
        case FilterKey::Mark:
        case FilterKey::Comment:
        case FilterKey::Replaced:
        case FilterKey::Tries: rest_.terms.push_back(term); break;
        default:
            rest_.terms.push_back(term);
            wantsAll_ = true;
            break;
        }
    }
    wantsAll_ = wantsAll_ || !text_.empty();
}

bool LiveMatcher::stateMatches(const session::LiveView& live) const {
    const bool pending = live.state == ActionState::Pending;
    if (heldOnly_) return pending && live.held;
    if (retryOnly_) return pending && live.backoff;
    return states_.empty() || std::ranges::find(states_, live.state) != states_.end();
}

bool LiveMatcher::classMatches(session::ClassId cls) {
    if (worker_.empty() && ofClass_.empty()) return true;
    if (cls.value >= classes_.size()) classes_.resize(parts_.dictionary.classCount(), Known::NotYet);
    Known& known = classes_[cls.value];
    if (known == Known::NotYet) {
        const ClassKey& key = parts_.dictionary.classKey(cls.value);
        const bool isWorker = worker_.empty() || key.workerId == worker_ || key.workerName == worker_ ||
                              key.workerName + "@" + key.workerVersion == worker_;
        ActionResult kind;
        kind.workerId = key.workerId;
        kind.workerName = key.workerName;
        kind.function = key.function;
        kind.locks = key.locks;
        known = isWorker && ofClass_.matches(kind, parts_.now) ? Known::Yes : Known::No;
    }
    return known == Known::Yes;
}

bool LiveMatcher::labelMatches(session::LabelId label) {
    if (!label_ && ofLabel_.empty()) return true;
    if (label.value >= labels_.size()) labels_.resize(std::size_t{label.value} * 2 + 64, Known::NotYet);
    Known& known = labels_[label.value];
    if (known == Known::NotYet) {
        ActionResult labelled;
        labelled.label = parts_.dictionary.label(label.value);
        const bool isLabel = !label_ || labelled.label == *label_;
        known = isLabel && ofLabel_.matches(labelled, parts_.now) ? Known::Yes : Known::No;
    }
    return known == Known::Yes;
}

bool LiveMatcher::queueMatches(QueueId queue) {
    if (queue_ && queue != *queue_) return false;
    if (ofQueue_.empty()) return true;
    const auto [known, isNew] = queues_.try_emplace(queue.value, false);
    if (isNew) {
        ActionResult queued;
        queued.queue = queue;
        known->second = ofQueue_.matches(queued, parts_.now, parts_.queueNames(queue));
    }
    return known->second;
}

bool LiveMatcher::restMatches(const session::LiveView& live) {
    if (rest_.empty() && text_.empty()) return true;
    shown_.lsn = live.lsn;
    shown_.queue = live.queue;
    shown_.state = live.state;
    shown_.held = live.held;
    shown_.retryAt = live.backoff && live.wakesAt != MonoTime{} ? parts_.wallOf(live.wakesAt) : 0;
    shown_.retryCount = live.retries.retryCount;
    // Of what does not wait an attempt has begun, for the number of tries: when does not matter to it.
    shown_.times[ActionState::Submitting] = live.state == ActionState::Pending ? 0 : parts_.now;
    if (wantsAll_) {
        const ClassKey& key = parts_.dictionary.classKey(live.cls.value);
        shown_.workerName = key.workerName;
        shown_.workerId = key.workerId;
        shown_.function = key.function;
        shown_.label = parts_.dictionary.label(live.label.value);
        shown_.isCommandKnown = !shown_.label.empty() || key.workerId != "exec";
        shown_.note.clear();
        shown_.machine.clear();
        shown_.platform.clear();
        shown_.outcome.reset();
        shown_.silentSince = 0;
        shown_.times = {};
        shown_.times[ActionState::New] = live.submitTime;
        parts_.complete(shown_);
    }
    if (!rest_.matches(shown_, parts_.now)) return false;
    if (text_.empty()) return true;
    const auto has = [&](const std::string& text) { return text.contains(text_); };
    return has(shown_.label) || has(shown_.workerName) || has(shown_.function) || has(shown_.note);
}

bool LiveMatcher::matches(const session::LiveView& live) {
    return queueMatches(live.queue) && stateMatches(live) && classMatches(live.cls) && labelMatches(live.label) &&
           restMatches(live);
}

} // namespace yard::engine
