#include "ui/desktop/token_store.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/unique_fd.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPointer>
#include <QTimer>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <qt6keychain/keychain.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace yard::ui {

namespace {

constexpr const char* kStoreService = "yardmaster";
constexpr const char* kCanary = "canary";
constexpr qint64 kMostFile = 256 << 10;
constexpr int kTimedOut = -1;

QString storeKeyOf(const QString& address) {
    return "token of " + address;
}

QString systemText(int error) {
    return QString::fromLocal8Bit(::strerror(error)); // NOLINT(concurrency-mt-unsafe): one thread shows it
}

} // namespace

TokenStore::TokenStore(QString file, std::chrono::milliseconds patience, QObject* parent)
    : QObject(parent)
    , file_(std::move(file))
    , patience_(patience) {}

/// A keychain may ask its person in a window of its own and answer never.
void TokenStore::run(QKeychain::Job* job, std::function<void(int, const QString&)> done) {
    job->setAutoDelete(true);
    job->setInsecureFallback(false);
    auto* waiting = new QTimer(this);
    waiting->setSingleShot(true);
    connect(waiting, &QTimer::timeout, this, [waiting, done] {
        waiting->deleteLater();
        done(kTimedOut, tr("it does not answer; it may wait to be unlocked"));
    });
    connect(job, &QKeychain::Job::finished, waiting, [waiting, done](QKeychain::Job* ended) {
        if (!waiting->isActive()) return;
        waiting->stop();
        waiting->deleteLater();
        done(ended->error(), ended->errorString());
    });
    waiting->start(patience_);
    job->start();
}

void TokenStore::probe(QObject* context, Told done) {
    const QString value = QString::fromStdString(randomHex(16));
    auto* job = new QKeychain::WritePasswordJob(kStoreService);
    job->setKey(kCanary);
    job->setTextData(value);
    const auto bad = [](const QString& why) { return tr("The system's keychain cannot be used: %1.").arg(why); };
    run(job, [this, value, bad, who = QPointer<QObject>(context), done](int error, const QString& text) {
        if (!who) return;
        if (error != QKeychain::NoError) return done(bad(text));
        auto* back = new QKeychain::ReadPasswordJob(kStoreService);
        back->setKey(kCanary);
        // The job is still there when it tells its end.
        run(back, [value, bad, who, done, job = QPointer(back)](int failed, const QString& why) {
            if (!who) return;
            if (failed != QKeychain::NoError) return done(bad(why));
            done(job && job->textData() == value ? QString() : bad(tr("it does not give back what it took")));
        });
    });
}

void TokenStore::read(const QString& address, QObject* context, std::function<void(const Found&)> done) {
    Tokens tokens;
    const QString problem = readFile(tokens);
    if (const auto found = tokens.find(address); found != tokens.end()) {
        QMetaObject::invokeMethod(
            context, [done, token = found->second] { done({token, Place::File, {}}); }, Qt::QueuedConnection);
        return;
    }
    probe(context, [this, address, problem, who = QPointer<QObject>(context), done](const QString& locked) {
        if (!locked.isEmpty()) return done({{}, Place::Nowhere, problem.isEmpty() ? locked : problem});
        auto* job = new QKeychain::ReadPasswordJob(kStoreService);
        job->setKey(storeKeyOf(address));
        run(job, [who, done, problem, kept = QPointer(job)](int error, const QString& text) {
            if (!who) return;
            if (error == QKeychain::NoError && kept) return done({kept->textData().toUtf8(), Place::Keychain, {}});
            done({{}, Place::Nowhere, error == QKeychain::EntryNotFound ? problem : text});
        });
    });
}

void TokenStore::write(const QString& address, const QByteArray& token, Place place, QObject* context, Told done) {
    const auto soon = [&](const QString& problem) {
        QMetaObject::invokeMethod(context, [done, problem] { done(problem); }, Qt::QueuedConnection);
    };
    if (place == Place::Nowhere) return soon({});
    if (place == Place::File) {
        Tokens tokens;
        QString problem = readFile(tokens);
        tokens[address] = token;
        if (problem.isEmpty()) problem = writeFile(tokens);
        return soon(problem);
    }
    probe(context, [this, address, token, who = QPointer<QObject>(context), done](const QString& locked) {
        if (!locked.isEmpty()) return done(locked);
        auto* job = new QKeychain::WritePasswordJob(kStoreService);
        job->setKey(storeKeyOf(address));
        job->setTextData(QString::fromUtf8(token));
        run(job, [who, done](int error, const QString& text) {
            if (who) done(error == QKeychain::NoError ? QString() : text);
        });
    });
}

void TokenStore::forget(const QString& address, QObject* context, Told done) {
    Tokens tokens;
    QString problem = readFile(tokens);
    if (tokens.erase(address) > 0) problem = writeFile(tokens);
    auto* job = new QKeychain::DeletePasswordJob(kStoreService);
    job->setKey(storeKeyOf(address));
    run(job, [problem, who = QPointer<QObject>(context), done](int, const QString&) {
        if (who) done(problem); // a keychain that cannot be used has nothing of ours to give away
    });
}

/// What others could read, or may have put there, is not believed.
QString TokenStore::readFile(Tokens& tokens) const {
    const UniqueFd fd(::open(file_.toLocal8Bit().constData(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd) return errno == ENOENT ? QString() : tr("%1 cannot be read: %2").arg(file_, systemText(errno));
    struct stat info{};
    if (::fstat(fd.get(), &info) != 0) return tr("%1 cannot be read: %2").arg(file_, systemText(errno));
    if (!S_ISREG(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 077) != 0)
        return tr("%1 could be read by others; make it yours alone (chmod 600), or delete it.").arg(file_);
    if (info.st_size > kMostFile) return tr("%1 is too long to be ours.").arg(file_);
    QByteArray text(static_cast<qsizetype>(info.st_size), 0);
    const ssize_t got = ::read(fd.get(), text.data(), static_cast<std::size_t>(text.size()));
    const QJsonDocument document = QJsonDocument::fromJson(got == text.size() ? text : QByteArray());
    if (!document.isObject()) return tr("%1 is not a token file. Move or delete it.").arg(file_);
    const QJsonObject object = document.object();
    for (auto it = object.begin(); it != object.end(); ++it) tokens[it.key()] = it.value().toString().toUtf8();
    return {};
}

QString TokenStore::writeFile(const Tokens& tokens) const {
    QJsonObject object;
    for (const auto& [address, token] : tokens) object.insert(address, QString::fromUtf8(token));
    const QByteArray text = QJsonDocument(object).toJson();
    const auto failed = [&](const QString& why) { return tr("%1 cannot be written: %2").arg(file_, why); };
    if (auto made = makeDirectories(QFileInfo(file_).absolutePath().toStdString(), 0700); !made)
        return failed(QString::fromStdString(made.error().message));
    const QByteArray fresh = (file_ + ".new-" + QString::fromStdString(randomHex(8))).toLocal8Bit();
    UniqueFd fd(::open(fresh.constData(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) return failed(systemText(errno));
    const auto written =
        writeAll(fd.get(), std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
    const bool good =
        written && ::fsync(fd.get()) == 0 && ::rename(fresh.constData(), file_.toLocal8Bit().constData()) == 0;
    const int error = errno;
    if (!good) ::unlink(fresh.constData());
    if (!written) return failed(QString::fromStdString(written.error().message));
    return good ? QString() : failed(systemText(error));
}

} // namespace yard::ui
