"""cmake/check_includes.py finds every include that points the wrong way, and says where."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "cmake" / "check_includes.py"
TABLE = (ROOT / "cmake" / "include-edges.txt").read_text()

GOOD_TREE = {
    "core/base/error.h": "#include <string>\n",
    "core/base/error.cpp": '#include "core/base/error.h"\n#include <fmt/format.h>\n',
    "core/model/queue.h": "#include <queue>\n",
    "core/model/action.h": '#include "core/model/queue.h"\n' '#include "core/base/error.h"\n',
    "core/http/server.h": '#include "core/base/error.h"\n',
    "core/http/session.h": "#include <boost/beast/http.hpp>\n",
    "core/http/server.cpp": '#include "core/http/server.h"\n#include "core/http/session.h"\n#include <boost/beast.hpp>\n',
    "core/engine/engine.h": '#include "core/model/action.h"\n',
    "app/yardmaster/main.cpp": '#include "core/engine/engine.h"\n#include "core/http/server.h"\n#include <boost/beast/core.hpp>\n',
    "tests/base/tst_x.cpp": '#include <QTest>\n#include "core/http/session.h"\n#include "tst_x.moc"\n',
    "ui/shell/window.h": '#include <QWidget>\n#include "core/model/queue.h"\n',
}


class CheckIncludes(unittest.TestCase):
    def check(self, changes, table=TABLE):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            for name, text in {**GOOD_TREE, "cmake/include-edges.txt": table, **changes}.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            run = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)
            self.assertEqual(run.stderr, "")
            return run.returncode, run.stdout

    def assert_refused(self, changes, where, *words, table=TABLE):
        code, output = self.check(changes, table)
        self.assertEqual(code, 1, output)
        self.assertEqual(len(output.splitlines()), 1, output)
        self.assertTrue(output.startswith(where), output)
        for word in words:
            self.assertIn(word, output)

    def test_a_tree_that_keeps_the_rules_passes_silently(self):
        self.assertEqual(self.check({}), (0, ""))

    def test_an_upward_include_is_refused_with_file_and_line(self):
        self.assert_refused({"core/base/bad.cpp": '// why\n#include "core/engine/engine.h"\n'},
                            "core/base/bad.cpp:2: core/base may not include from core/engine", "nothing else")

    def test_an_upward_include_with_odd_spacing_is_found(self):
        self.assert_refused({"core/base/bad.h": '  #  include   "core/model/action.h"\n'}, "core/base/bad.h:1:")

    def test_a_sideways_include_is_refused(self):
        self.assert_refused({"core/session/s.h": "", "core/store/bad.h": '#include "core/session/s.h"\n'},
                            "core/store/bad.h:1: core/store may not include from core/session",
                            "core/base, core/model")

    def test_the_window_sees_of_core_only_values(self):
        self.assert_refused({"ui/shell/bad.cpp": '#include "core/http/server.h"\n'},
                            "ui/shell/bad.cpp:1: ui/shell may not include")

    def test_core_may_not_include_the_programs(self):
        self.assert_refused({"app/yardmaster/a.h": "", "core/http/bad.cpp": '#include "app/yardmaster/a.h"\n'}, "core/http/bad.cpp:1:")

    def test_qt_in_core_is_refused_in_every_spelling(self):
        for header in ("<QString>", "<QtCore/QString>", "<qstring.h>", '"QString"', "<QtCore>"):
            with self.subTest(header):
                self.assert_refused({"core/base/bad.h": f"#include {header}\n"}, "core/base/bad.h:1: core/ links no Qt")

    def test_beast_outside_http_is_refused(self):
        self.assert_refused({"core/engine/bad.cpp": "#include <boost/beast/http.hpp>\n"},
                            "core/engine/bad.cpp:1: only core/http knows Boost.Beast")
        for name in ("app/yardmaster/bad.h", "core/cloud/bad.h"):
            self.assert_refused({name: "#include <boost/beast/http.hpp>\n"}, f"{name}:1:", "keep it in a .cpp")

    def test_a_header_that_brings_beast_along_stays_in_its_folder(self):
        self.assert_refused({"app/yardmaster/bad.cpp": '#include "core/http/session.h"\n'}, "app/yardmaster/bad.cpp:1:", "private")
        self.assert_refused({"core/http/through.h": '#include "core/http/session.h"\n',
                             "app/yardmaster/bad.cpp": '#include "core/http/through.h"\n'}, "app/yardmaster/bad.cpp:1:", "private")

    def test_a_relative_include_is_refused(self):
        self.assert_refused({"core/base/bad.cpp": '#include "error.h"\n'}, "core/base/bad.cpp:1:", "repository root")

    def test_our_headers_in_brackets_are_refused(self):
        self.assert_refused({"core/base/bad.cpp": "#include <core/engine/engine.h>\n"}, "core/base/bad.cpp:1:", "quotes")

    def test_a_folder_within_a_room_has_its_own_line_where_there_is_one(self):
        self.assert_refused({"core/engine/kernel/k.h": "",
                             "core/engine/state/bad.h": '#include "core/engine/kernel/k.h"\n'},
                            "core/engine/state/bad.h:1: core/engine/state may not include from core/engine/kernel")
        self.assertEqual(self.check({"ui/pages/actions/a.h": "",
                                     "ui/pages/pool/b.h": '#include "ui/pages/actions/a.h"\n'}), (0, ""))

    def test_a_folder_without_a_line_is_reported(self):
        self.assert_refused({"core/novel/x.cpp": "\n"}, "core/novel/x.cpp:1:", "no line")

    def test_a_table_that_points_upwards_is_refused(self):
        self.assert_refused({}, "", "core/base may not include from core/engine", "upwards",
                            table=TABLE.replace("core/base:\n", "core/base: core/engine\n"))

    def test_a_table_line_that_makes_no_sense_is_refused(self):
        self.assert_refused({}, "", "folder: folders", table=TABLE + "core/what\n")
        self.assert_refused({}, "", "two lines", table=TABLE + "core/base:\n")


if __name__ == "__main__":
    unittest.main()
