// What the inside of a sandbox is made of, as a list of steps for the child that makes it: values, made beforehand
// by whoever starts it, carried out between clone and exec without an allocation (enter.h).
#pragma once

#include "core/base/error.h"
#include "core/sandbox/plan.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace yard::sandbox {

/// One step. Texts are borrowed from the Layout. `to` is relative to the new root, which is where the child stands.
struct Op {
    enum class Kind : unsigned char {
        Directory, ///< mkdir, 0755; one that is there is fine
        Link,      ///< symbolic link `to` -> `from`
        File,      ///< a file with the content `from`
        Bind,      ///< what is at `from` outside appears at `to`, submounts included
        Tmpfs,     ///< with the options `from`
        Overlay,   ///< with the options `from`; `attributes` as of Bind
        Own,       ///< what is at `to` becomes the inside user's
        Proc
    };
    Kind kind = Kind::Directory;
    const char* from = "";
    const char* to = "";
    std::uint64_t attributes = 0; ///< of Bind and Overlay: MOUNT_ATTR_…
};

/// Steps with the texts they need, and what of the outside they depend on. Moved, not copied: the texts stay where
/// they are.
class Layout {
public:
    Layout() = default;
    Layout(Layout&&) noexcept = default;
    Layout& operator=(Layout&&) noexcept = default;
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;

    const std::vector<Op>& ops() const { return ops_; }
    /// A file outside that this layout depends on changed, appeared or vanished, so that building it again may give
    /// another result. Blocks for as long as a stat of each does.
    bool isOutdated() const;

    /// Remembers what is there, or that nothing is, as steps will depend on it. Before anybody else looks at it:
    /// what is replaced in between is noticed the next time.
    void lookAt(const std::string& source);
    void directory(const std::string& to);
    /// Every directory on the way to it, it not included.
    void parentsOf(const std::string& to);
    void link(const std::string& to, const std::string& target);
    void file(const std::string& to, const std::string& content);
    /// `from` must be there. Makes what it is bound to.
    void bind(const std::string& from, const std::string& to, std::uint64_t attributes, bool isDirectory);
    /// `from`, a directory, appears at `to`, read-only, without what is mounted in it. Its sockets and pipes are
    /// seen, but nobody outside is at their other ends.
    void isolated(const std::string& from, const std::string& to);
    /// The same, but that it can be written to: what is written is kept below /tmp, which must be there by then. Once
    /// in a layout.
    void layered(const std::string& from, const std::string& to);
    void tmpfs(const std::string& to, const std::string& options);
    void proc(const std::string& to);

private:
    /// Of a file, and of what it leads to if it is a link: another one has others. Zeros: it is not there.
    struct Identity {
        std::array<std::uint64_t, 2> device{};
        std::array<std::uint64_t, 2> inode{};
        std::array<std::int64_t, 2> born{}; ///< a number may be given again
        friend bool operator==(const Identity&, const Identity&) = default;
    };
    struct Source {
        std::string path;
        Identity identity;
    };
    static Identity identityOf(const std::string& path);
    const char* keep(std::string text);
    void add(Op::Kind kind, const std::string& from, const std::string& to, std::uint64_t attributes = 0);
    std::vector<Op> ops_;
    std::deque<std::string> texts_;
    std::vector<Source> sources_; ///< what was looked at outside, there or not
};

/// "bind /usr read-only at /usr": of a step, for people.
std::string describe(const Op& op);

/// The part that all sandboxes of this machine share: system directories, a minimal /dev and /etc, /proc. Looks at
/// the disk: blocks. `root` is "" but in tests.
Layout systemLayout(const std::string& root = "");
/// The part of it that no two sandboxes share: /proc.
Layout processLayout();
/// What a sandbox with a network has beside it.
Layout networkLayout(const std::string& root = "");
/// The part of one plan. Looks at what is bound: blocks for as long as a stat does. NotFound when it is not there.
Result<Layout> layoutOf(const Plan& plan);

} // namespace yard::sandbox
