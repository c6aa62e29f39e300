#include "core/store/reader.h"

#include "core/base/thread_name.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace yard::store {

struct ReaderThread::Impl {
    std::unique_ptr<Reader> reader;
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<Job> jobs; ///< mutex
    bool closed = false;  ///< mutex
    std::thread thread;

    void run() {
        for (;;) {
            Job job;
            {
                std::unique_lock lock(mutex);
                while (jobs.empty() && !closed) wake.wait(lock);
                if (jobs.empty()) break;
                job = std::move(jobs.front());
                jobs.pop_front();
            }
            job(*reader);
        }
        reader.reset();
    }
};

ReaderThread::ReaderThread(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {
    impl_->thread = std::thread([impl = impl_.get()] {
        nameThisThread("reader");
        impl->run();
    });
}

Result<std::unique_ptr<ReaderThread>> ReaderThread::start(Store& store) {
    auto reader = Reader::open(store);
    if (!reader) return std::unexpected(std::move(reader.error()));
    auto impl = std::make_unique<Impl>();
    impl->reader = std::move(*reader);
    return std::unique_ptr<ReaderThread>(new ReaderThread(std::move(impl)));
}

ReaderThread::~ReaderThread() {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->closed = true;
        impl_->wake.notify_one();
    }
    impl_->thread.join();
}

Result<void> ReaderThread::post(Job job) {
    {
        const std::lock_guard lock(impl_->mutex);
        if (impl_->jobs.size() >= kMaxJobs)
            return fail(ErrorKind::Busy, "too many questions at once: try again in a second");
        impl_->jobs.push_back(std::move(job));
    }
    impl_->wake.notify_one();
    return {};
}

} // namespace yard::store
