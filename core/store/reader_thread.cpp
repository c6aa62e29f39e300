#include "core/store/reader.h"

#include "core/base/thread_mutex.h"
#include "core/base/thread_name.h"

#include <deque>
#include <thread>

namespace yard::store {

struct ReaderThread::Impl {
    std::unique_ptr<Reader> reader;
    ThreadMutex mutex;
    ThreadCondition wake;
    std::deque<Job> jobs YARD_GUARDED_BY(mutex);
    bool closed YARD_GUARDED_BY(mutex) = false;
    std::thread thread;

    void run() {
        for (;;) {
            Job job;
            {
                const ThreadLock lock(mutex);
                while (jobs.empty() && !closed) wake.wait(mutex);
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
        const ThreadLock lock(impl_->mutex);
        impl_->closed = true;
        impl_->wake.notifyOne();
    }
    impl_->thread.join();
}

Result<void> ReaderThread::post(Job job) {
    {
        const ThreadLock lock(impl_->mutex);
        if (impl_->jobs.size() >= kMaxJobs)
            return fail(ErrorKind::Busy, "too many questions at once: try again in a second");
        impl_->jobs.push_back(std::move(job));
    }
    impl_->wake.notifyOne();
    return {};
}

} // namespace yard::store
