"""cmake/check_lengths.py finds functions and files that are too long, and passes over tables."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "check_lengths.py"


def function(lines, name="void f", indent=""):
    """So many lines with its first and its last."""
    return f"{indent}{name}() {{\n" + f"{indent}    g();\n" * (lines - 2) + f"{indent}}}\n"


class CheckLengths(unittest.TestCase):
    def check(self, text, name="core/a.cpp"):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            run = subprocess.run([sys.executable, SCRIPT, directory], capture_output=True, text=True)
            self.assertEqual(run.stderr, "")
            return run.returncode, run.stdout

    def test_what_is_short_enough_passes_silently(self):
        self.assertEqual(self.check(function(60) + "\n" + function(60)), (0, ""))

    def test_a_function_that_is_too_long_is_told_with_its_place(self):
        self.assertEqual(self.check("\n" + function(61)), (1, "core/a.cpp:2: f: 61 lines, 60 at most\n"))

    def test_so_is_one_within_a_class(self):
        text = "class A {\npublic:\n" + function(61, "bool isWhole", "    ") + "};\n"
        self.assertEqual(self.check(text), (1, "core/a.cpp:3: isWhole: 61 lines, 60 at most\n"))

    def test_the_lines_of_parameters_and_members_count(self):
        text = "A::A(int one,\n     int two)\n    : one_(one)\n    , two_(two) {\n" + "    g();\n" * 56 + "}\n"
        self.assertEqual(self.check(text), (1, "core/a.cpp:1: A::A: 61 lines, 60 at most\n"))

    def test_loops_classes_and_namespaces_are_no_functions(self):
        loop = "void f() {\n    for (;;) {\n" + "        g();\n" * 50 + "    }\n}\n"
        wide = "class A {\n" + "    int a(int);\n" * 70 + "};\n"
        self.assertEqual(self.check("namespace a {\n\n" + loop + wide + "\n} // namespace a\n"), (0, ""))

    def test_tables_may_be_long(self):
        marked = "// NOLINTNEXTLINE(readability-function-size): a table\n" + function(99)
        self.assertEqual(self.check(marked + function(99, "void A::f_data")), (0, ""))

    def test_a_file_that_is_too_long_is_told(self):
        self.assertEqual(self.check("int a;\n" * 600)[0], 0)
        self.assertEqual(self.check("int a;\n" * 601), (1, "core/a.cpp: 601 lines, 600 at most\n"))

    def test_other_places_and_other_files_are_passed_over(self):
        for name in ("resources/a.h", "docs/a.cpp", "core/a.md"):
            with self.subTest(name):
                self.assertEqual(self.check("int a;\n" * 601, name), (0, ""))


if __name__ == "__main__":
    unittest.main()
