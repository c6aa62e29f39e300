#include "ui/pages/actions/detail_side.h"

#include "core/base/clock.h"
#include "ui/pages/actions/detail_facts.h"
#include "ui/state/poll.h"

namespace yard::ui {

namespace {

constexpr int kLocksMs = 2'000;

} // namespace

DetailSide::DetailSide(Context context)
    : Surface(Token::Bg1)
    , context_(context)
    , whyPanel_(new Panel(tr("Why"), false))
    , why_(new Facts)
    , locksPanel_(new Panel(tr("Locks"), false))
    , locks_(new Facts)
    , limitsPanel_(new Panel(tr("Limits"), false))
    , limits_(new Facts)
    , split_(new Facts)
    , locksPoll_(new Poll(
          context.link, kLocksMs,
          [this]() -> std::optional<Request> {
              if (!active_ || !claimsLocks()) return std::nullopt;
              return Request{"GET", "locks", {}, {}, {}};
          },
          [this](const Answer& answer) { refreshLocks(answer.json.value("locks").toArray()); }, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    whyPanel_->setBody(why_);
    locksPanel_->setBody(locks_);
    locksPanel_->hide();
    limitsPanel_->setBody(limits_);
    column->addWidget(whyPanel_);
    column->addWidget(locksPanel_);
    column->addWidget(limitsPanel_);
    column->addWidget(split_);
    column->addStretch(1);
    for (Facts* each : {why_, locks_}) connect(each, &Facts::linkClicked, this, &DetailSide::targetClicked);
}

void DetailSide::setActive(bool active) {
    active_ = active;
    locksPoll_->setActive(active);
}

void DetailSide::begin(qint64 lsn) {
    lsn_ = lsn;
    action_ = spec_ = whyJson_ = {};
    row_ = {};
    refreshLocks({});
}

void DetailSide::setAction(const ActionRow& row, const QJsonObject& action) {
    row_ = row;
    action_ = action;
    refreshWhy();
    refreshLimits();
    reviewLocks();
}

void DetailSide::setSpec(const QJsonObject& spec) {
    spec_ = spec;
    refreshLimits();
    if (claimsLocks()) locksPoll_->now();
}

void DetailSide::askWhy() {
    const qint64 lsn = lsn_;
    context_.link.send({"GET", QStringLiteral("jobs/%1/why").arg(lsn), {}, {}, {}}, this,
                       [this, lsn](const Answer& answer) {
                           if (lsn != lsn_ || !answer.ok()) return;
                           whyJson_ = answer.json;
                           refreshWhy();
                       });
}

void DetailSide::refreshWhy() {
    whyPanel_->setTitle(whyTitle(row_));
    why_->set(whyFacts(row_, action_, whyJson_));
}

void DetailSide::refreshLimits() {
    const qint64 now = wallNow();
    const std::vector<Fact> limits = limitFacts(row_, action_, spec_, now);
    limitsPanel_->setVisible(!limits.empty());
    limits_->set(limits);
    split_->set(timeFacts(row_, now));
}

bool DetailSide::claimsLocks() const {
    return lsn_ != 0 && !action_.isEmpty() && !row_.isFinal() && !spec_.value("locks").toArray().isEmpty();
}

void DetailSide::reviewLocks() {
    if (claimsLocks())
        locksPoll_->now();
    else
        refreshLocks({});
}

void DetailSide::refreshLocks(const QJsonArray& all) {
    std::vector<Fact> facts;
    if (claimsLocks()) facts = lockFacts(lsn_, spec_, all, context_.state.session().value("engine_id").toString());
    locksPanel_->setVisible(!facts.empty());
    locks_->set(std::move(facts));
}

} // namespace yard::ui
