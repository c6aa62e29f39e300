// Doubly linked lists through members of their elements: insert, remove and move in O(1), nothing allocated. No
// owner: an element is in one list per link, and must be out of it before it goes.
#pragma once

#include <cassert>
#include <cstddef>

namespace yard::pool {

template<class T>
struct Link {
    T* before = nullptr;
    T* after = nullptr;
    bool linked = false;
};

/// A list of T through its member `Member`.
template<class T, Link<T> T::* Member>
class List {
public:
    bool empty() const { return first_ == nullptr; }
    std::size_t size() const { return size_; }
    T* front() const { return first_; }
    T* back() const { return last_; }
    static T* next(const T& element) { return (element.*Member).after; }
    static T* previous(const T& element) { return (element.*Member).before; }
    static bool isLinked(const T& element) { return (element.*Member).linked; }

    void pushBack(T& element) { insertBefore(element, nullptr); }
    void pushFront(T& element) { insertBefore(element, first_); }
    /// `where` is in this list, or null: at the end.
    void insertBefore(T& element, T* where) {
        Link<T>& link = element.*Member;
        assert(!link.linked);
        link.linked = true;
        link.after = where;
        link.before = where ? (where->*Member).before : last_;
        (link.before ? (link.before->*Member).after : first_) = &element;
        (where ? (where->*Member).before : last_) = &element;
        ++size_;
    }
    void remove(T& element) {
        Link<T>& link = element.*Member;
        assert(link.linked);
        (link.before ? (link.before->*Member).after : first_) = link.after;
        (link.after ? (link.after->*Member).before : last_) = link.before;
        link = {};
        --size_;
    }

private:
    T* first_ = nullptr;
    T* last_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace yard::pool
