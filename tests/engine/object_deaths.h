// A page with a child, an action, a wake and a call, from its begin to its end; the engine dies at one step on the way. A step is
// a commit of the journal, a submission, or the end of an action. What is left is what the journal has.
#pragma once

#include "tests/engine/objects_bench.h"

#include <string>

namespace yard::engine::test {

class PageLife {
public:
    enum class Death : unsigned char { Never, BeforeItsCommit, AfterItsCommit };

    /// Dies once, at the step with that number.
    PageLife(Death death, std::size_t at)
        : death_(death)
        , at_(at) {
        bench_.put(pageType());
        bench_.put(pageType(R"("parent":"page")", "part"));
        bench_.isSlow = bench_.isSubmitSlow = true;
        const auto made = bench_.rig.begin(bench_.objects->create(R"({"type":"page"})"));
        while (!made->has_value()) bench_.commitsFirst();
    }
    /// Everybody does what is to be done, until nothing is left. What is wrong then; empty: nothing.
    std::string run() {
        constexpr int kEnough = 1'000;
        for (int turn = 0; turn < kEnough && !isOver(); ++turn) step();
        if (!isOver()) return "it does not come to an end";
        if (moved(1) != "queued>started started>sealed ") return "the page was moved: " + moved(1);
        if (bench_.journal.rows.size() != 2) return fmt::format("{} objects", bench_.journal.rows.size());
        if (moved(2) != "queued>failed ") return "the child was moved: " + moved(2);
        if (bench_.submitted.size() != 1) return fmt::format("{} submissions", bench_.submitted.size());
        if (!bench_.journal.owned.at(Lsn(1)).isTold) return "nobody was told of the end of the action";
        if (death_ != Death::Never && !hasDied_) return "the engine did not die";
        if (calls_ == 0) return "nothing was called";
        if (calls_ > 1 && !hasDied_) return "it was called twice";
        return {};
    }
    std::size_t steps() const { return steps_; }

private:
    bool isOver() const {
        return bench_.stands(1) == "sealed r2" && bench_.journal.effects.empty() && bench_.postedCount() == 0 &&
               bench_.submitsCount() == 0;
    }
    std::string moved(std::int64_t id) const {
        std::string all;
        if (const auto moves = bench_.journal.moves.find(id); moves != bench_.journal.moves.end())
            for (const auto& move : moves->second) all += fmt::format("{}>{} ", move.from, move.to);
        return all;
    }
    /// Whether the engine dies at the step that comes now.
    Death comes() {
        if (steps_++ != at_) return Death::Never;
        hasDied_ = death_ != Death::Never;
        return death_;
    }

    void step() {
        if (bench_.postedCount() > 0) {
            const Death death = comes();
            if (death == Death::BeforeItsCommit) return bench_.open();
            return bench_.commitsFirst(death == Death::AfterItsCommit);
        }
        if (bench_.submitsCount() > 0) { // before its commit, and again before its answer
            if (comes() != Death::Never) return bench_.open();
            return bench_.submitGoesOn();
        }
        if (!bench_.question().empty()) return answer(bench_.question());
        if (!bench_.asked.empty()) return bench_.comesUp();
        const auto action = bench_.journal.owned.find(Lsn(1));
        if (action != bench_.journal.owned.end() && !isEnded(action->second.action.state)) return endAction();
        bench_.rig.advance(std::chrono::seconds(5));
    }
    void endAction() {
        const Death death = comes();
        if (death != Death::BeforeItsCommit) bench_.journal.end(Lsn(1), "1");
        if (death != Death::Never) return bench_.open();
        bench_.objects->actions().ended(Lsn(1));
        bench_.rig.settle();
    }
    void answer(const std::string& question) {
        const auto asks = [&question](std::string_view what) { return question.find(what) != question.npos; };
        if (asks(R"("effect":"write_index")")) {
            ++calls_;
            return bench_.answer(R"({"exit_code":0})");
        }
        if (asks(R"("tick":{"object":{"id":2,)")) return bench_.answer(R"({"exit_code":0,"move":"failed"})");
        if (asks(R"("status":"started")") && asks(R"("pending":0)") && asks(R"("state":"completed")"))
            return bench_.answer(R"({"exit_code":0,"move":"sealed"})");
        if (asks(R"("tick":{"object":{"id":1,"type":"page","status":"started")"))
            return bench_.answer(R"({"exit_code":0,"look_in_s":5})");
        bench_.answer(R"({"exit_code":0,"move":"started","effects":[{"create":{"type":"part"}},)"
                      R"({"submit":{"worker":"exec","argv":["true"]},"as":"pdf"},{"wake":[2]},)"
                      R"({"call":"write_index","args":{}}]})");
    }

    ObjectsBench bench_;
    Death death_;
    std::size_t at_;
    std::size_t steps_ = 0;
    bool hasDied_ = false;
    int calls_ = 0;
};

} // namespace yard::engine::test
