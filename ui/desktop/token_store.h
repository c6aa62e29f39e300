// Tokens of engines at addresses: in the system's keychain, or, where the person chose so, in a file that only they
// can read. Never anywhere else. Owner: ui thread; the keychain answers later, each job within a time limit.
//
// A locked keychain says "not found" of what it has, so none is believed before it took and gave back a canary.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <chrono>
#include <functional>
#include <map>

namespace QKeychain {
class Job;
}

namespace yard::ui {

class TokenStore final : public QObject {
    Q_OBJECT
public:
    enum class Place : std::uint8_t { Nowhere, Keychain, File };
    struct Found {
        QByteArray token; ///< empty: there is none
        Place place = Place::Nowhere;
        QString problem; ///< the keychain or the file cannot be used; empty: it can
    };
    using Told = std::function<void(const QString& problem)>; ///< empty: done

    /// `file`: where tokens go with Place::File.
    explicit TokenStore(QString file, std::chrono::milliseconds patience = std::chrono::seconds(8),
                        QObject* parent = nullptr);

    QString file() const { return file_; }
    /// Whether the keychain keeps what it is given. All of these call `done` once, later, unless `context` has
    /// gone.
    void probe(QObject* context, Told done);
    void read(const QString& address, QObject* context, std::function<void(const Found&)> done);
    void write(const QString& address, const QByteArray& token, Place place, QObject* context, Told done);
    /// From both places.
    void forget(const QString& address, QObject* context, Told done);

private:
    using Tokens = std::map<QString, QByteArray>;
    QString readFile(Tokens& tokens) const;
    QString writeFile(const Tokens& tokens) const;
    void run(QKeychain::Job* job, std::function<void(int error, const QString& text)> done);
    QString file_;
    std::chrono::milliseconds patience_;
};

} // namespace yard::ui
