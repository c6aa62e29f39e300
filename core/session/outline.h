// What a session has to do, small enough to be played to its end in virtual time (outlook.h): what runs, what waits
// in which order, and what decides it. Of queues that have much to do each so many-th action stands for those
// between. Values, no owner.
#pragma once

#include "core/session/capacity.h"
#include "core/session/messages.h"

#include "core/model/place_key.h"
#include "core/model/queue.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace yard::session {

struct SessionOptions;

struct Outline {
    struct Item {
        std::uint64_t key = 0; ///< priority, then the time of its place
        PlaceKey place;        ///< in its queue: that of people, else its age
        Lsn lsn;
        std::size_t queue = 0; ///< place in `queues`
        std::size_t cls = 0;   ///< place in `classes`
        LabelId label;
        double stands = 1; ///< for so many actions
        MonoTime notBefore{};
        bool keeping = false; ///< of one that runs: it holds no resources any more
        bool leased = false;  ///< of one that runs: a runner has it, and it may still wait there for a slot

        bool startsBefore(const Item& other) const {
            if (key != other.key) return key < other.key;
            return place != other.place ? place < other.place : lsn < other.lsn;
        }
    };
    struct QueuePart {
        QueueId id;
        QueueConfig config;
        std::vector<std::pair<LabelId, int>> labelLimits;
        double virtualTime = 0;
        std::uint32_t starts = 0;
        bool stands = false;      ///< it is held or cancelled: nothing of it starts
        double each = 1;          ///< an item that waits stands for about so many
        std::int64_t held = 0;    ///< actions that are held by themselves, not among the items
        std::int64_t unmet = 0;   ///< that wait for others; nor are these
        std::int64_t waiting = 0; ///< that the items which wait stand for
    };
    struct ClassPart {
        ClassId id;
        Resources resources;
        std::vector<LockId> locks;
        std::optional<std::pair<GateId, int>> gate; ///< with its number of places
        RetryLimits limits;
        Where where; ///< of several machines
    };
    /// More of this kind comes so often, as it did for a while.
    struct Coming {
        Item item; ///< of its key only the priority
        Duration every{};
    };
    std::vector<Item> running;
    std::vector<Item> waiting; ///< first those of the least key
    std::vector<Coming> coming;
    std::vector<QueuePart> queues;
    std::vector<ClassPart> classes;
    std::vector<std::pair<std::uint64_t, Resources>> holds; ///< beside the attempts
    std::vector<Passed> passed;                             ///< of classes by their place in `classes`
    Duration reserve{};                                     ///< Session::setReserve()
    std::vector<LockId> elsewhere;                          ///< locks that another engine has
    std::shared_ptr<Capacity> capacity;                     ///< with nothing in use
    std::shared_ptr<const SessionOptions> options;
    double virtualNow = 0;
};

} // namespace yard::session
