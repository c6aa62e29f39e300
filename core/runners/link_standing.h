// How a yard stands with one machine: whether a link is up, why it is refused or leaves, and the state that follows.
//
// Owner: the engine thread. Lifetime: that of its runner.
#pragma once

#include "core/link/bodies.h"
#include "core/link/frame.h"
#include "core/link/states.h"

#include <optional>
#include <string>
#include <utility>

namespace yard::runners {

class LinkStanding {
public:
    link::LinkState link() const { return link_; }
    link::MachineState state() const { return life_.state(); }
    /// Why it is refused, or leaves; else empty.
    const std::string& reason() const { return reason_; }
    bool isUp() const { return link_ == link::LinkState::Up; }
    bool isRefused() const { return link_ == link::LinkState::Refused; }
    bool isLeaving() const { return isLeaving_; }

    // --- what happened. One that is refused stays so until allowAgain().
    void opened() {
        if (!isRefused()) link_ = link::LinkState::Greeting;
    }
    void closed() {
        if (!isRefused()) link_ = link::LinkState::Closed;
    }
    void welcomed() {
        link_ = link::LinkState::Up;
        isLeaving_ = false;
        reason_.clear();
    }
    void refused(std::string sentence) {
        link_ = link::LinkState::Refused;
        reason_ = std::move(sentence);
    }
    /// False: the frame has no such body.
    [[nodiscard]] bool leavingCame(const link::Frame& frame) {
        link::Leaving leaving;
        if (!link::get(frame.body, leaving)) return false;
        isLeaving_ = true;
        reason_ = leaving.sentence;
        return true;
    }
    void frameCame(link::BootTime now) { lastFrame_ = now; }
    void allowAgain() {
        if (isRefused()) link_ = link::LinkState::Closed;
        reason_.clear();
    }

    /// Moves the state to what follows. `facts`: those of leases and room.
    void follow(link::MachineFacts facts, link::BootTime now) {
        facts.link = link_;
        facts.isLeaving = isLeaving_;
        if (lastFrame_) facts.sinceFrame = now - *lastFrame_;
        life_.follow(facts, now);
    }

private:
    link::MachineLife life_;
    link::LinkState link_ = link::LinkState::Closed;
    std::optional<link::BootTime> lastFrame_;
    std::string reason_;
    bool isLeaving_ = false;
};

} // namespace yard::runners
