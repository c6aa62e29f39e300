"""tests/bench/all reads the figures of what measures, and tells a loss."""
import importlib.machinery
import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).resolve().parents[1] / "bench" / "all"
LOADER = importlib.machinery.SourceFileLoader("bench_all", str(PATH))
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_all", LOADER))
LOADER.exec_module(bench)

SPREAD = "median {}, least 0.1, most 0.9"
OUTPUTS = {
    "bench_engine": "ratio to R (at least 0.85): " + SPREAD.format("0.847") + "\nratio of CPU time         : " + SPREAD.format("0.9"),
    "bench_sandbox": "ratio to the bare sandbox (at least 0.85): " + SPREAD.format("1.49"),
    "bench_warm": "sent ahead, 32 a process: 83,000/s (at least 150,000); of bare sockets " + SPREAD.format("0.5") +
                  "; of SQLite alone " + SPREAD.format("0.18") +
                  "\nstrictly one at a time: 36,000/s (at least 40,000); of bare sockets " + SPREAD.format("0.37") +
                  "\nthe same in turns through a bare socket, of 60 us here: p50 " + SPREAD.format("5.0") + " (150 us …)",
    "bench_api": "submission in lists of 500: 1/s (at least 150,000); limit, SQLite inserts: 2/s; ratio " + SPREAD.format("0.43") +
                 "\nsubmission one by one over 16 connections: 1/s; limit, Beast alone: 2/s; ratio " + SPREAD.format("0.27"),
    "bench_cli.py": "/bin/true                         0.8 ms    0.7 ms           1.0\n"
                    "yardctl run -- true               5.2 ms    4.1 ms           6.5\n",
    "bench_window": "filter label:\"album 7\": first rows                       8.00 ms\n  all numbers      9.00 ms\n"
                    "filter album: first rows                            17.00 ms\n  all numbers     838.00 ms\n",
    "bench_simulation": "decisions: 853587 a second, 1.17 us each\nmakespan: 1 s of virtual time; lower bound 1 s (…); ratio 1.280\n",
    "bench_courtesy": "lateness under gentle, of the empty machine: " + SPREAD.format("1.07"),
    "bench_objects": "1000000 that wait: 115 B of memory each after a start (at most 100), 140.0 MB in all\n"
                     "a start with them: serving after 2.50 s (at most 3)\nthe slowest page: 9.5 ms (at most 20)\n"
                     "from retry_at to the frame of the look, idle, the process started for it: p50 4.10 ms, p99 6.20 (at most 5)\n"
                     "  no-op looks in C++: 5/s, 171.5 us of the engine's CPU each; engine 62.2 us\n"
                     "no-op looks in C++: 9000 looks/s (at least 30000), 90.0 us of the engine's CPU each\n"
                     "no-op looks in Python: 4000 looks/s (at least 3000), 120.0 us of the engine's CPU each\n",
    "bench_link.py": "over the link 900/s; of the same here (at least 0.90): " + SPREAD.format("0.8"),
}
FIGURES = [0.847, 1.49, 0.18, 0.37, 5.0, 0.43, 0.27, 5.2, 17, 838, 1.28, 853587, 1.07, 115, 2.5, 9.5, 9000, 4000, 6.2, 0.8]


def row(lower_is_better=False):
    return bench.Row("a row", "program", "([0-9.]+)", 1.0, lower_is_better)


class BenchAll(unittest.TestCase):
    def test_each_row_finds_its_figure(self):
        figures = [bench.figure(one, OUTPUTS[one.program.split()[0]]) for one in bench.ROWS]
        self.assertEqual(figures, FIGURES)

    def test_what_failed_has_no_figure(self):
        self.assertIsNone(bench.figure(row(), ""))
        self.assertEqual(bench.verdict(row(), None, 1.0), "not measured")
        self.assertEqual(bench.exit_code([row()], {}, {}), 2)

    def test_a_loss_of_over_five_per_cent_is_told(self):
        for lower, value in ((False, 0.94), (True, 1.06)):
            with self.subTest(lower):
                self.assertIn("LOST 6 %", bench.verdict(row(lower), value, 1.0))
                self.assertEqual(bench.exit_code([row(lower)], {"a row": value}, {"a row": 1.0}), 1)

    def test_less_is_noise(self):
        for lower, value in ((False, 0.96), (True, 1.04)):
            with self.subTest(lower):
                self.assertEqual(bench.verdict(row(lower), value, 1.0), "goal 1")
                self.assertEqual(bench.exit_code([row(lower)], {"a row": value}, {"a row": 1.0}), 0)

    def test_a_row_that_was_never_kept_is_compared_with_its_goal_alone(self):
        self.assertEqual(bench.verdict(row(), 1.0, None), "goal met")
        self.assertEqual(bench.exit_code([row()], {"a row": 0.1}, {}), 0)

    def test_the_table_has_a_line_for_each_row(self):
        lines = bench.table([row()], {"a row": 0.5}, {"a row": 0.5}).splitlines()
        self.assertEqual(lines[1].split(), ["a", "row", "0.5", "0.5", "goal", "1"])


if __name__ == "__main__":
    unittest.main()
