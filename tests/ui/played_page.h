// What a page stands on where no engine and no window are: a link whose requests wait until a test answers them,
// and services that write down what they are told.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/table.h"

#include <QAction>
#include <QJsonArray>
#include <QPointer>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace yard::test {

class WaitingLink final : public ui::EngineLink {
public:
    WaitingLink() { setState(ui::LinkState::Connected); }
    void send(const ui::Request& request, QObject* context, Done done) override {
        asked.emplace_back(request, context, std::move(done));
    }
    std::unique_ptr<QObject> stream(const ui::Request& request, std::function<void(const QByteArray&)> piece,
                                    Done done) override {
        auto life = std::make_unique<QObject>();
        streamed.push_back({request, life.get(), std::move(piece), std::move(done)});
        return life;
    }
    /// The file stands in the body of the question.
    void sendFile(const ui::Request& request, const QString& file, QObject* context, Done done) override {
        ui::Request sent = request;
        sent.body = file.toUtf8();
        asked.emplace_back(sent, context, std::move(done));
    }
    struct Streamed {
        ui::Request request;
        QPointer<QObject> life; ///< null: nobody listens any more
        std::function<void(const QByteArray&)> piece;
        Done done;
    };
    /// The newest stream of this path gets these bytes, and its end where there is one. False: there is none.
    bool pour(const QString& path, const QByteArray& bytes, const std::optional<ui::Answer>& end) {
        for (auto at = streamed.rbegin(); at != streamed.rend(); ++at) {
            if (at->request.path != path || at->life.isNull()) continue;
            const Streamed one = *at;
            if (!bytes.isEmpty()) one.piece(bytes);
            if (end && one.life) one.done(*end);
            return true;
        }
        return false;
    }
    void watch(const QJsonObject&) override {}
    QUrl address() const override { return QUrl("http://played/compute"); }

    /// The oldest question to this path gets its answer. False: there is none.
    bool answer(const QString& path, const ui::Answer& answer) {
        for (auto at = asked.begin(); at != asked.end(); ++at) {
            const auto [request, context, done] = *at;
            if (request.path != path) continue;
            asked.erase(at);
            if (context) done(answer);
            return true;
        }
        return false;
    }
    bool answer(const QString& path, const QJsonObject& json) {
        return answer(path, ui::Answer{200, {}, json, {}, {}});
    }
    /// How many questions to this path wait.
    std::size_t waiting(const QString& path) const {
        std::size_t count = 0;
        for (const auto& [request, context, done] : asked) count += request.path == path ? 1 : 0;
        return count;
    }

    std::deque<std::tuple<ui::Request, QPointer<QObject>, Done>> asked;
    std::deque<Streamed> streamed;
};

/// Goes nowhere and says yes.
class PlayedWindow final : public ui::Navigator, public ui::WindowServices {
public:
    void show(const QString& page, const QString& filter) override { places << page + ' ' + filter; }
    void showAction(qint64 lsn, const QString&) override { shown.push_back(lsn); }
    void showThing(const QString& page, qint64 id) override { places << page + QStringLiteral(" %1").arg(id); }
    void openSubmit(const QJsonObject& action, qint64) override { forms.append(action); }
    void openSubmitList(const QJsonArray&, qint64) override {}
    void openRegister(const QString&) override {}
    void openAlerts() override { places << "alerts"; }
    bool ask(const QString&, const QString&, const QString&, const QString&) override { return true; }
    void say(const QString& sentence, bool) override { said << sentence; }
    void remake() override {}
    void resetLayout() override {}
    void reviewSettings() override {}
    QString sleepNote() const override { return {}; }
    ui::KeyBindings& keyBindings() override { qFatal("no page that is tested here changes keys"); }
    ui::EngineChoice& engineChoice() override { qFatal("no page that is tested here changes engines"); }

    QStringList said;
    QStringList places;        ///< pages that were gone to, with their filters
    std::vector<qint64> shown; ///< actions
    QJsonArray forms;          ///< what new work was filled in with
};

/// All that a page needs. Its pages go before it.
struct PlayedContext {
    WaitingLink link;
    ui::EngineState state{link};
    ui::Commands commands{link};
    PlayedWindow window;
    ui::Context context() { return {link, state, commands, window, window}; }
};

inline QAction* commandOf(const ui::Page& page, const char* id) {
    for (QAction* each : page.commands())
        if (each->objectName() == QLatin1String(id)) return each;
    return nullptr;
}

/// One page over all that, shown and looked at.
template<class Shown>
class PlayedPage {
public:
    PlayedPage() {
        page.resize(1'200, 800);
        page.show();
        page.setActive(true);
    }
    QAction* command(const char* id) { return commandOf(page, id); }
    QString cell(const ui::Table* table, int row, int column) { return table->rows()->cell(row, column).text; }
    /// The newest question, as "METHOD path body".
    QString last() {
        const auto& request = std::get<0>(played.link.asked.back());
        return QString::fromUtf8(request.method + ' ' + request.path.toUtf8() + ' ' + request.body).trimmed();
    }

    PlayedContext played;
    Shown page{played.context()};
};

} // namespace yard::test
