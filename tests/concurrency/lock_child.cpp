// What the tests of locks start as other processes, by its first argument. Says what it did in lines on its output,
// goes on when a line comes in.
#include "core/locks/janitor.h"
#include "core/locks/named_lock.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

using namespace yard;

namespace {

void say(const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

void waitForLine() {
    char line[64];
    if (!std::fgets(line, sizeof line, stdin)) std::exit(0);
}

locks::LockHolder self() {
    locks::LockHolder holder;
    holder.pid = ::getpid();
    holder.engineId = "e1";
    holder.dataDir = "/data/of/another engine";
    holder.lsn = Lsn(7);
    holder.since = wallNow();
    return holder;
}

// hold DIR NAME: takes it, says so, keeps it until a line comes.
int hold(const char* directory, const char* name, bool withChild) {
    auto taken = locks::NamedLock::tryTake(directory, name, self());
    if (!taken || taken->isBusy) return 1;
    if (withChild && ::fork() == 0) {
        ::execlp("sleep", "sleep", "1000", nullptr);
        ::_exit(99);
    }
    say("held");
    waitForLine();
    taken->lock.release();
    say("released");
    waitForLine();
    return 0;
}

// take DIR NAME: tries until it has it, says how often it was busy first.
int take(const char* directory, const char* name) {
    for (int busy = 0;; ++busy) {
        auto taken = locks::NamedLock::tryTake(directory, name, self());
        if (!taken) return 1;
        if (taken->isBusy) {
            if (busy == 0) say("busy");
            ::usleep(1000);
            continue;
        }
        say("held");
        waitForLine();
        return 0;
    }
}

// count DIR NAME FILE ROUNDS: adds one to the number in FILE, ROUNDS times, each time with the lock.
int count(const char* directory, const char* name, const char* path, int rounds) {
    waitForLine();
    for (int done = 0; done < rounds;) {
        auto taken = locks::NamedLock::tryTake(directory, name, self());
        if (!taken) return 1;
        if (taken->isBusy) continue;
        long number = 0;
        if (FILE* file = std::fopen(path, "r")) {
            if (std::fscanf(file, "%ld", &number) != 1) return 2;
            std::fclose(file);
        }
        FILE* file = std::fopen(path, "w");
        std::fprintf(file, "%ld", number + 1);
        std::fclose(file);
        ++done;
    }
    return 0;
}

// janitor SCRATCH: one pass when a line comes, says how many it reaped.
int janitor(const char* scratch) {
    locks::Claims claims;
    locks::Janitor::Places places;
    places.scratch = scratch;
    locks::Janitor janitor(places, claims);
    say("ready");
    waitForLine();
    while (janitor.step(Duration(1'000'000))) {
    }
    say(std::to_string(janitor.takeReport().reaped));
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const std::string role = argc > 2 ? argv[1] : "";
    if (role == "hold" && argc == 4) return hold(argv[2], argv[3], false);
    if (role == "hold-with-child" && argc == 4) return hold(argv[2], argv[3], true);
    if (role == "take" && argc == 4) return take(argv[2], argv[3]);
    if (role == "count" && argc == 6) return count(argv[2], argv[3], argv[4], std::atoi(argv[5]));
    if (role == "janitor") return janitor(argv[2]);
    return 64;
}
