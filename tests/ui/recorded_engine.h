// An engine as it was: what a real one answered a window is written down, and a link that answers the same again without
// an engine. So a page has the same to show whatever runs beside it. For pictures of pages.
//
// A question that was not written down word for word (a timeline asks for as many pixels as letters leave it, failures
// since another time) gets the answer of the one to the same path that is nearest: with most of its parameters; of those
// the last. There is none: 404.
#pragma once

#include "ui/bridge/attached_link.h"

#include <QJsonArray>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace yard::test {

class Recording {
public:
    /// Nothing: it cannot be read.
    static std::optional<Recording> load(const QString& file);
    /// `where`: words of this machine, which are replaced by others. Of questions that differ in a time alone the last
    /// one is kept.
    bool save(const QString& file, const std::map<QString, QString>& where) const;

    void note(const ui::Request& request, const ui::Answer& answer);
    void noteBatch(const QJsonObject& batch) { batches_.append(batch); }
    ui::Answer answerTo(const ui::Request& request) const;
    const QJsonArray& batches() const { return batches_; }

    qint64 nowMs = 0;                 ///< when it was
    std::map<QString, qint64> things; ///< what the pictures are of: actions, queues

private:
    struct Noted {
        QString key;
        ui::Answer answer;
    };
    static QString keyOf(const ui::Request& request);
    void noteKey(const QString& key, const ui::Answer& answer);

    std::vector<Noted> answers_; ///< in the order in which they were last given
    QJsonArray batches_;
};

/// A link to a real engine that writes down what it answers. The recording outlives it.
class RecordingLink final : public ui::EngineLink {
public:
    RecordingLink(const QUrl& address, const QByteArray& token, Recording& recording);
    void send(const ui::Request& request, QObject* context, Done done) override;
    std::unique_ptr<QObject> stream(const ui::Request& request, std::function<void(const QByteArray&)> piece,
                                    Done done) override;
    void watch(const QJsonObject& what) override { inner_.watch(what); }
    QUrl address() const override { return inner_.address(); }

private:
    ui::AttachedLink inner_;
    Recording& recording_;
};

/// Answers as the recording says, in later turns of the loop. The recording outlives it.
class RecordedLink final : public ui::EngineLink {
public:
    explicit RecordedLink(const Recording& recording);
    void send(const ui::Request& request, QObject* context, Done done) override;
    std::unique_ptr<QObject> stream(const ui::Request& request, std::function<void(const QByteArray&)> piece,
                                    Done done) override;
    void watch(const QJsonObject&) override {}
    QUrl address() const override { return QUrl("http://127.0.0.1:8786/compute/"); }

private:
    const Recording& recording_;
};

} // namespace yard::test
