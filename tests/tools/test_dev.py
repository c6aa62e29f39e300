"""./dev with the system's commands replaced by little scripts: what it installs, refuses, builds and starts."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Each writes its name and arguments to the file calls; behaviour comes from files beside it.
FAKES = {
    "dpkg-query": """
        while (($#)); do case $1 in -*) ;; *) grep -qxF -- "$1" "$FAKES/absent" || echo "installed $1" ;; esac; shift; done""",
    "apt-get": """
        case "$*" in
          *-s\\ install*) [[ -e $FAKES/no-lists ]] && { echo "E: Unable to locate package"; exit 100; }
                         cat "$FAKES/simulation" ;;
          update*) rm -f "$FAKES/no-lists"; echo "Hit: a mirror" ;;
          install*) [[ ! -e $FAKES/stale-lists ]] || { rm "$FAKES/stale-lists"; exit 100; } ;;
        esac""",
    "sudo": '"$@"',
    "cmake": 'mkdir -p build/$2; touch build/$2/build.ninja; echo "-- configuring"',
    "ninja": '[[ ! -e $FAKES/broken ]] || { echo "ninja: build stopped"; exit 1; }; echo "ninja: no work to do."',
    "cpack": """
        echo "epoch $SOURCE_DATE_EPOCH" >>"$FAKES/calls"
        mkdir -p ../packages/_CPack_Packages; touch ../packages/yardmaster_1_all.deb ../packages/yardmaster-dbgsym_1_all.ddeb""",
    "dpkg-deb": """
        if [[ $1 == -R ]]; then mkdir -p "$3/DEBIAN"; echo "12  $PWD/x-dbgsym/usr/lib/a" >"$3/DEBIAN/md5sums"
        else cat "$4/DEBIAN/md5sums" >"$5"; fi""",
    "desktop-file-validate": "true",
    "appstreamcli": "true",
    "lintian": '[[ ! -e $FAKES/unclean ]] || { echo "W: yardmaster: something"; exit 2; }',
    "git": "echo 1700000000",
    "strip": "true",
    "ctest": r"""
        if [[ $* == *--print-labels* ]]; then printf 'Test project\nAll Labels:\n  base\n  slow\n'; else echo tested; fi""",
}
PROGRAM = 'pwd; printf "<%s>" "$@"; echo; exit 3'


class Dev(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="a tree ")))
        self.directory.chmod(0o755)
        self.tree = self.directory / "yard master"
        self.fakes = self.directory / "fakes"
        (self.tree / "build/release/bin").mkdir(parents=True)
        self.fakes.mkdir()
        shutil.copy(ROOT / "dev", self.tree / "dev")
        (self.tree / "CMakePresets.json").write_text("{}")
        for name, body in FAKES.items():
            self.script(self.fakes / name, f'echo "{name} $*" >>"$FAKES/calls"\n{textwrap.dedent(body)}')
        self.script(self.tree / "build/release/bin/yardmaster", PROGRAM)
        for name in ("absent", "simulation", "calls"):
            (self.fakes / name).write_text("")

    def enterContext(self, manager):  # unittest has it from Python 3.11 on
        self.addCleanup(manager.__exit__, None, None, None)
        return manager.__enter__()

    def script(self, path, body):
        path.write_text("#!/bin/bash\n" + body + "\n")
        path.chmod(0o755)

    def dev(self, *arguments, cwd="/", prefix=(), **variables):
        environment = {"PATH": f"{self.fakes}:/usr/bin:/bin", "FAKES": str(self.fakes), "HOME": str(self.directory),
                       **variables}
        return subprocess.run([*prefix, self.tree / "dev", *arguments], cwd=cwd, env=environment, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, check=False)

    def calls(self):
        lines = (self.fakes / "calls").read_text().splitlines()
        (self.fakes / "calls").write_text("")
        return [line for line in lines if not line.startswith("sudo ")]

    def absent(self, *names):
        (self.fakes / "absent").write_text("".join(name + "\n" for name in names))

    def test_with_everything_there_it_configures_and_builds(self):
        run = self.dev("build")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([call.split()[0] for call in self.calls()], ["dpkg-query", "cmake", "ninja"])

    def test_the_second_time_it_neither_looks_for_packages_nor_configures(self):
        self.dev("build")
        self.calls()
        self.dev("build")
        self.assertEqual([call.split()[0] for call in self.calls()], ["ninja"])

    def test_changed_presets_configure_anew(self):
        self.dev("build")
        self.calls()
        future = (self.tree / "build/release/build.ninja").stat().st_mtime + 10
        os.utime(self.tree / "CMakePresets.json", (future, future))
        self.dev("build")
        self.assertEqual([call.split()[0] for call in self.calls()], ["cmake", "ninja"])

    def test_only_what_is_missing_is_installed_and_removals_are_forbidden(self):
        self.absent("ccache", "libfmt-dev")
        run = self.dev("build")
        self.assertEqual(run.returncode, 0, run.stderr)
        installs = [call for call in self.calls() if call.startswith("apt-get install")]
        self.assertEqual(len(installs), 1)
        self.assertTrue(installs[0].endswith(" ccache libfmt-dev"), installs)
        self.assertIn("--no-remove", installs[0])

    def test_a_machine_without_package_lists_fetches_them(self):
        self.absent("ccache")
        (self.fakes / "no-lists").touch()
        self.assertEqual(self.dev("build").returncode, 0)
        self.assertIn("apt-get update", self.calls())

    def test_stale_package_lists_are_fetched_anew(self):
        self.absent("ccache")
        (self.fakes / "stale-lists").touch()
        self.assertEqual(self.dev("build").returncode, 0)
        installs = [call for call in self.calls() if call.startswith(("apt-get install", "apt-get update"))]
        self.assertEqual([call.split()[1] for call in installs], ["install", "update", "install"])

    def test_it_refuses_to_take_away_another_boost_and_says_what_to_do(self):
        self.absent("libboost1.81-dev")
        (self.fakes / "simulation").write_text("Inst a\nRemv libboost1.74-dev [1.74]\nRemv libboost-dev [1.74]\n")
        run = self.dev("build")
        self.assertEqual(run.returncode, 1)
        self.assertIn("would remove packages you have: libboost1.74-dev libboost-dev", run.stderr)
        self.assertIn("export BOOST_ROOT=", run.stderr)
        self.assertFalse([call for call in self.calls() if call.startswith(("apt-get install", "ninja"))])

    def test_it_refuses_to_take_away_anything_else(self):
        self.absent("cmake")
        (self.fakes / "simulation").write_text("Remv mycmake [1]\n")
        run = self.dev("build")
        self.assertEqual(run.returncode, 1)
        self.assertIn("would remove packages you have: mycmake", run.stderr)
        self.assertNotIn("BOOST_ROOT", run.stderr)

    def test_a_boost_of_ones_own_is_not_installed(self):
        self.absent("libboost1.81-dev", "libboost-json1.81-dev")
        run = self.dev("build", BOOST_ROOT="/opt/boost")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertFalse([call for call in self.calls() if call.startswith("apt-get")])

    @unittest.skipUnless(os.geteuid() == 0, "needs root to become somebody else")
    def test_without_root_and_sudo_it_says_what_to_install(self):
        self.absent("ccache")
        (self.fakes / "sudo").unlink()
        # A PATH without the system's own sudo.
        tools = self.directory / "tools"
        tools.mkdir()
        for name in ("bash", "dirname", "readlink", "grep", "mkdir", "flock", "env", "rm", "cat", "sed", "tail", "tr"):
            (tools / name).symlink_to(shutil.which(name))
        for path in (self.tree / "build", self.fakes / "calls"):
            path.chmod(0o777)
        run = self.dev("build", prefix=("/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
                       PATH=f"{self.fakes}:{tools}")
        self.assertEqual(run.returncode, 1)
        self.assertIn("As root: apt-get install --no-install-recommends ccache", run.stderr)

    def test_no_packages_can_be_asked_for(self):
        self.absent("ccache")
        self.assertEqual(self.dev("build", YARD_NO_PACKAGES="1").returncode, 0)
        self.assertEqual([call.split()[0] for call in self.calls()], ["cmake", "ninja"])

    def test_a_failed_build_ends_in_failure_and_packages_are_looked_for_again(self):
        (self.fakes / "broken").touch()
        run = self.dev("build")
        self.assertEqual(run.returncode, 1)
        self.assertIn("the build failed", run.stderr)
        self.calls()
        self.dev("build")
        self.assertTrue(self.calls()[0].startswith("dpkg-query"))

    def test_run_starts_the_program_where_one_is_with_its_arguments_and_code(self):
        run = self.dev("run", "--data-dir", "with space", cwd="/usr")
        self.assertEqual(run.stdout, "/usr\n<--data-dir><with space>\n", "stdout is the program's alone")
        self.assertEqual(run.returncode, 3)

    def test_run_builds_the_programs_only(self):
        self.dev("run")
        self.assertTrue(self.calls()[-1].endswith(" yardmaster yardctl"))

    def test_run_leaves_no_lock_or_descriptor_to_the_program(self):
        self.script(self.tree / "build/release/bin/yardmaster", "ls /proc/self/fd")
        open_numbers = self.dev("run").stdout.split()
        self.assertNotIn("9", open_numbers)

    def test_a_link_to_it_finds_its_tree(self):
        link = self.directory / "yard"
        link.symlink_to(self.tree / "dev")
        run = subprocess.run([link, "build"], cwd="/", capture_output=True, text=True, check=False,
                             env={"PATH": f"{self.fakes}:/usr/bin:/bin", "FAKES": str(self.fakes)})
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_tests_leave_out_the_slow_ones_or_take_one_group(self):
        self.assertEqual(self.dev("test").returncode, 0)
        self.assertIn("--label-exclude ^slow$", self.calls()[-1])
        self.assertEqual(self.dev("test", "slow").returncode, 0)
        self.assertIn("--label-regex ^slow$", self.calls()[-1])

    def test_an_unknown_group_is_refused_with_those_there_are(self):
        run = self.dev("test", "bas")
        self.assertEqual(run.returncode, 2)
        self.assertIn("no group 'bas'", run.stderr)
        self.assertIn("base", run.stderr)

    def test_packages_have_a_build_of_their_own_and_are_looked_at(self):
        run = self.dev("package")
        self.assertEqual(run.returncode, 0, run.stderr)
        names = [call.split()[0] for call in self.calls()]
        self.assertEqual([name for name in names if name not in ("dpkg-query", "dpkg-deb", "git")],
                         ["cmake", "ninja", "strip", "cmake", "ninja", "cpack", "epoch", "desktop-file-validate", "appstreamcli",
                          "lintian"])
        self.assertEqual(sorted(path.name for path in (self.tree / "build/packages").iterdir()),
                         ["yardmaster-dbgsym_1_all.deb", "yardmaster_1_all.deb"])
        self.assertEqual((self.tree / "build/packages/yardmaster-dbgsym_1_all.deb").read_text(), "12  usr/lib/a\n",
                         "no path of this machine")

    def test_packages_are_of_the_time_of_the_last_commit_or_of_the_one_that_is_asked_for(self):
        self.dev("package")
        self.assertIn("epoch 1700000000", self.calls())
        self.dev("package", SOURCE_DATE_EPOCH="42")
        self.assertIn("epoch 42", self.calls())

    def test_packages_that_are_not_clean_are_a_failure(self):
        (self.fakes / "unclean").touch()
        run = self.dev("package")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("W: yardmaster: something", run.stderr)

    def test_usage(self):
        self.assertEqual(self.dev("help").returncode, 0)
        for arguments in (("bild",), ("build", "x"), ("test", "a", "b"), ("check", "x"), ("package", "x"),
                          ("bundle", "x")):
            with self.subTest(arguments):
                run = self.dev(*arguments)
                self.assertEqual(run.returncode, 2)
                self.assertIn("usage:", run.stderr)
                self.assertEqual(self.calls(), [])


if __name__ == "__main__":
    unittest.main()
