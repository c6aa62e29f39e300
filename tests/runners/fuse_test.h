// The head of a test function that wants a directory which does not answer.
#pragma once

#include "tests/base/in_mount_namespace.h"
#include "tests/runners/fuse_mount.h"

#include <QTemporaryDir>
#include <QTest>

#include <string>

namespace yard::test {

/// In the inner run: where mounts may be made.
inline std::string mountedDirectory() {
    return qEnvironmentVariable(kMountedVariable).toStdString();
}

} // namespace yard::test

/// The rest of the function runs in a mount namespace of its own.
#define YARD_IN_FUSE_NAMESPACE()                                                                                   \
    static const QTemporaryDir yardMounts;                                                                         \
    YARD_IN_MOUNT_NAMESPACE(yardMounts.path(), "true")

/// Where the machine has no such mounts the test is skipped.
#define YARD_NEEDS_FUSE(mount)                                                                                     \
    if (!(mount).isThere()) QSKIP("no file system in user space can be mounted here")

/// Both, with one that is called `mount`.
#define YARD_WITH_FUSE_MOUNT(mount, script)                                                                        \
    YARD_IN_FUSE_NAMESPACE();                                                                                      \
    yard::test::FuseMount mount(yard::test::mountedDirectory() + "/m", script);                                    \
    YARD_NEEDS_FUSE(mount)
