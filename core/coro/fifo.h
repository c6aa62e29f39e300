// Fifo<T>: a queue between threads of one loop. Owner: the loop's OS thread. Fair on both ends; an item goes
// straight to the first waiting reader. An item handed to a reader that is interrupted afterwards is still returned
// to it; one that was interrupted before has left, and the item goes to the next.
#pragma once

#include "core/coro/suspend.h"
#include "core/coro/thread.h"

#include <cstddef>
#include <deque>
#include <limits>
#include <optional>

namespace yard::coro {

template<class T>
class Fifo {
public:
    /// Only where something else bounds the number of items; say what in a comment.
    static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

    /// At most `capacity` items wait in it; writers wait for room. At least 1.
    explicit Fifo(std::size_t capacity)
        : capacity_(capacity) {
        assert(capacity > 0);
    }

    class [[nodiscard("co_await it")]] Pop : public Wait {
    public:
        explicit Pop(Fifo& fifo) noexcept
            : Wait("fifo read")
            , fifo_(fifo) {}
        bool await_ready() {
            if (interruptPending()) return true;
            if (fifo_.items_.empty() && !fifo_.closed_) return false;
            item_ = fifo_.tryPop();
            return succeedAtOnce();
        }
        void await_suspend(std::coroutine_handle<> handle) noexcept {
            if (outcome_ == Outcome::Open) fifo_.readers_.push_back(*this);
            park(handle);
        }
        std::optional<T> await_resume() {
            finish();
            return std::move(item_);
        }

    private:
        friend class Fifo;
        Fifo& fifo_;
        std::optional<T> item_;
    };

    class [[nodiscard("co_await it")]] Push : public Wait {
    public:
        Push(Fifo& fifo, T item)
            : Wait("fifo write")
            , fifo_(fifo)
            , item_(std::move(item)) {}
        bool await_ready() {
            if (interruptPending()) return true;
            if (!fifo_.closed_ && !fifo_.put(item_)) return false;
            accepted_ = !fifo_.closed_;
            return succeedAtOnce();
        }
        void await_suspend(std::coroutine_handle<> handle) noexcept {
            if (outcome_ == Outcome::Open) fifo_.writers_.push_back(*this);
            park(handle);
        }
        bool await_resume() {
            finish();
            return accepted_;
        }

    private:
        friend class Fifo;
        Fifo& fifo_;
        T item_;
        bool accepted_ = false;
    };

    /// The oldest item; nullopt when the fifo is closed and empty.
    Pop pop() noexcept { return Pop(*this); }
    /// Waits for room. False when the fifo is or gets closed: the item is dropped.
    Push push(T item) { return Push(*this, std::move(item)); }
    /// Nullopt when there is none. Does not wait.
    std::optional<T> tryPop();
    /// False when it is full or closed; `item` is moved from only when it was taken.
    bool tryPush(T& item) { return !closed_ && put(item); }
    bool tryPush(T&& item) { return !closed_ && put(item); }
    /// No more items: waiting writers get false, readers get what is left and then nullopt.
    void close();

    bool isClosed() const noexcept { return closed_; }
    bool isEmpty() const noexcept { return items_.empty(); }
    std::size_t size() const noexcept { return items_.size(); }

private:
    bool put(T& item);

    std::size_t capacity_;
    std::deque<T> items_;
    bool closed_ = false;
    WaitList readers_; ///< only while there are no items
    WaitList writers_; ///< only while there is no room
};

template<class T>
bool Fifo<T>::put(T& item) {
    if (!readers_.empty()) {
        Pop& reader = static_cast<Pop&>(readers_.front());
        reader.item_.emplace(std::move(item));
        reader.wake();
        return true;
    }
    if (items_.size() >= capacity_) return false;
    items_.push_back(std::move(item));
    return true;
}

template<class T>
std::optional<T> Fifo<T>::tryPop() {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    if (!writers_.empty()) {
        Push& writer = static_cast<Push&>(writers_.front());
        items_.push_back(std::move(writer.item_));
        writer.accepted_ = true;
        writer.wake();
    }
    return item;
}

template<class T>
void Fifo<T>::close() {
    closed_ = true;
    while (!writers_.empty()) writers_.front().wake();
    while (!readers_.empty()) readers_.front().wake();
}

} // namespace yard::coro
