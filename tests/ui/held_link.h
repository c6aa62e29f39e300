// A link to a real engine that keeps back what a test names: answers that come late, on purpose.
#pragma once

#include "ui/bridge/attached_link.h"

#include <QPointer>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace yard::test {

class HeldLink final : public ui::EngineLink {
public:
    HeldLink(QUrl address, QByteArray token)
        : inner_(std::move(address), std::move(token)) {
        connect(&inner_, &ui::EngineLink::stateChanged, this, [this] { setState(inner_.state()); });
        connect(&inner_, &ui::EngineLink::batch, this, &ui::EngineLink::batch);
        connect(&inner_, &ui::EngineLink::refreshed, this, &ui::EngineLink::refreshed);
    }

    /// Requests to this path wait until letGo().
    void hold(const QString& path) { held_ = path; }
    void letGo() {
        held_.clear();
        for (const auto& send : std::exchange(waiting_, {})) send();
    }
    /// All that were sent to `path`, as they came; those that are held too.
    std::vector<ui::Request> sentTo(const QString& path) const {
        std::vector<ui::Request> found;
        for (const ui::Request& request : sent_)
            if (request.path == path && request.method != "GET") found.push_back(request);
        return found;
    }

    void send(const ui::Request& request, QObject* context, Done done) override {
        sent_.push_back(request);
        auto pass = [this, request, context = QPointer<QObject>(context), done = std::move(done)] {
            if (context) inner_.send(request, context, done);
        };
        if (!held_.isEmpty() && request.path == held_) return waiting_.push_back(std::move(pass));
        pass();
    }
    std::unique_ptr<QObject> stream(const ui::Request& request, std::function<void(const QByteArray&)> piece,
                                    Done done) override {
        return inner_.stream(request, std::move(piece), std::move(done));
    }
    void watch(const QJsonObject& what) override { inner_.watch(what); }
    QUrl address() const override { return inner_.address(); }

private:
    ui::AttachedLink inner_;
    QString held_;
    std::vector<std::function<void()>> waiting_;
    std::vector<ui::Request> sent_;
};

} // namespace yard::test
