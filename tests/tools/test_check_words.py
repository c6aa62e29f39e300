"""cmake/check_words.py finds words that are not of today, and says which are."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "check_words.py"


class CheckWords(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            run = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)
            self.assertEqual(run.stderr, "")
            return run.returncode, run.stdout

    def test_plain_words_pass_silently(self):
        self.assertEqual(self.check({"core/a.h": "/// Starts again.\n", "docs/a.md": "It recommends a limit.\n"}), (0, ""))

    def test_a_word_of_the_list_is_told_with_its_place_and_what_to_say(self):
        code, output = self.check({"core/a.cpp": "int a;\n// It is made anew.\n"})
        self.assertEqual((code, output), (1, "core/a.cpp:2: anew: say again.\n"))

    def test_every_form_and_case_is_found(self):
        for text in ("Heeded by nobody", "It SHALL", "runs for ever", "mended", "a milliard"):
            with self.subTest(text):
                self.assertEqual(self.check({"README.md": text + "\n"})[0], 1)

    def test_the_changelog_keeps_what_it_said(self):
        self.assertEqual(self.check({"CHANGELOG.md": "made anew\n"}), (0, ""))


if __name__ == "__main__":
    unittest.main()
