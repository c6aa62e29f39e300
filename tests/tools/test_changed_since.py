"""cmake/changed_since.py tells which tests and sources a change can have touched, in a small tree of its own."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "changed_since.py"

TREE = {
    "cmake/include-edges.txt": "core/base:\ncore/pool: core/base\ncore/store: core/base\ncore/engine: core/base core/store\n"
                               "ui: core/base\ntests: core/base core/pool core/store core/engine ui\n",
    "core/base/text.h": "", "core/base/text.cpp": '#include "core/base/text.h"\n',
    "core/pool/pool.h": "", "core/pool/pool.cpp": '#include "core/pool/pool.h"\n', "core/pool/CMakeLists.txt": "",
    "core/store/rows.h": '#include "core/base/text.h"\n', "core/store/rows.cpp": '#include "core/store/rows.h"\n',
    "core/engine/engine.cpp": '#include "core/store/rows.h"\n', "core/engine/engine.h": "",
    "ui/window.cpp": '#include <QWidget>\n', "ui/window.h": "",
    "tests/CMakeLists.txt": "", "tests/support/waiting.h": "", "tests/support/defaults.cpp": "",
    "tests/base/CMakeLists.txt": "", "tests/base/tst_text.cpp": '#include "core/base/text.h"\n',
    "tests/pool/CMakeLists.txt": "",
    "tests/pool/tst_pool.cpp": '#include "core/pool/pool.h"\n#include "tests/support/waiting.h"\n',
    "tests/store/CMakeLists.txt": "", "tests/store/tst_rows.cpp": '#include "core/store/rows.h"\n',
    "tests/engine/CMakeLists.txt": "", "tests/engine/tst_engine.cpp": '#include "core/engine/engine.h"\n',
    "tests/ui/CMakeLists.txt": "", "tests/ui/tst_window.cpp": '#include "ui/window.h"\n',
    "tests/python/CMakeLists.txt": "", "tests/python/test_client.py": "",
    "tests/sandbox/CMakeLists.txt": "", "tests/sandbox/test_escapes.py": "",
    "docs/api.md": "", "README.md": "", "dev": "", "clients/python/client.py": "",
    "resources/app.desktop": "", "resources/kits/cpp/kit.hpp": "", "resources/kits/README.md": "",
}


class ChangedSince(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        for name, text in TREE.items():
            self.write(name, text)
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all")

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.root, *arguments], check=True, capture_output=True)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def told(self, what, *changed):
        for name in changed:
            self.write(name, TREE.get(name, "") + "// another line\n")
        run = subprocess.run([sys.executable, SCRIPT, "HEAD", what, self.root], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout.split()

    def test_nothing_changed_touches_nothing(self):
        self.assertEqual(self.told("groups"), [])
        self.assertEqual(self.told("sources"), [])

    def test_a_source_touches_its_room_and_the_rooms_above(self):
        self.assertEqual(self.told("groups", "core/store/rows.cpp"), ["engine", "python", "sandbox", "store"])
        self.assertEqual(self.told("sources"), ["core/store/rows.cpp"])

    def test_a_header_touches_who_includes_it_through_others_too(self):
        self.assertEqual(self.told("sources", "core/base/text.h"),
                         ["core/base/text.cpp", "core/engine/engine.cpp", "core/store/rows.cpp"])

    def test_what_all_rooms_stand_on_touches_all_their_tests(self):
        self.assertEqual(self.told("groups", "core/base/text.cpp"),
                         ["base", "engine", "pool", "python", "sandbox", "store", "ui"])

    def test_the_window_touches_no_test_of_the_core(self):
        self.assertEqual(self.told("groups", "ui/window.h"), ["python", "sandbox", "ui"])

    def test_a_test_touches_its_group_alone(self):
        self.assertEqual(self.told("groups", "tests/pool/tst_pool.cpp"), ["pool"])
        self.assertEqual(self.told("sources"), [])

    def test_a_header_of_all_tests_touches_those_that_include_it(self):
        self.assertEqual(self.told("groups", "tests/support/waiting.h"), ["pool"])

    def test_a_file_beside_tests_touches_its_group(self):
        self.assertEqual(self.told("groups", "tests/python/test_client.py"), ["python"])

    def test_a_list_of_sources_stands_for_its_room(self):
        self.assertEqual(self.told("groups", "core/pool/CMakeLists.txt"), ["pool", "python", "sandbox"])
        self.assertEqual(self.told("sources"), ["core/pool/pool.cpp"])

    def test_a_file_that_is_new_or_gone_counts(self):
        self.assertEqual(self.told("groups", "core/pool/more.cpp"), ["pool", "python", "sandbox"])
        (self.root / "core/pool/more.cpp").unlink()
        (self.root / "core/engine/engine.cpp").unlink()
        self.assertEqual(self.told("groups"), ["engine", "python", "sandbox"])

    def test_papers_touch_nothing(self):
        papers = ("docs/api.md", "README.md", "resources/app.desktop", "resources/kits/README.md")
        self.assertEqual(self.told("groups", *papers), [])

    def test_the_build_and_what_has_no_include_lines_touch_everything(self):
        for name in ("dev", "tests/CMakeLists.txt", "tests/support/defaults.cpp", "clients/python/client.py",
                     "resources/kits/cpp/kit.hpp", "cmake/include-edges.txt", "CMakeLists.txt"):
            with self.subTest(name):
                text = TREE.get(name)
                self.write(name, (text or "") + "\n# another line\n")
                self.assertEqual(self.told("groups"), ["all"])
                self.assertEqual(self.told("sources"), ["all"])
                self.write(name, text) if text is not None else (self.root / name).unlink()

    def test_a_commit_that_git_does_not_know_is_told(self):
        run = subprocess.run([sys.executable, SCRIPT, "nothing", "groups", self.root], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("nothing", run.stderr)


if __name__ == "__main__":
    unittest.main()
