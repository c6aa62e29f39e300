"""The Debian packages in a Debian 12 that has neither compiler nor source: installed, used, upgraded, removed.

`./dev package-test`, after `./dev package`; needs root, mmdebstrap and Debian's mirror. Takes some minutes, most of it
apt. The tests go on from each other, in the order of their names.
"""
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = pathlib.Path(os.environ.get("YARD_PACKAGES", ROOT / "build/packages"))
DATA = "home/kim/.local/share/yardmaster"
ACTIONS = 300


def run(*words, **more):
    return subprocess.run(words, check=True, text=True, capture_output=True, stdin=subprocess.DEVNULL, **more).stdout


class Machine:
    """A tree that processes are started in, each call in a process namespace of its own."""

    def __init__(self, path):
        self.path = path

    def sh(self, script, user="root", limit=600, check=True):
        """What it prints, both streams; what it starts ends with it."""
        home = "/root" if user == "root" else f"/home/{user}"
        inner = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "env", "-i",
                 f"HOME={home}", f"USER={user}", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
                 "DEBIAN_FRONTEND=noninteractive", "bash", "-euc", f"cd {home}; {script}"]
        # A root of its own, not chroot(): in a changed one the kernel makes no user namespaces, which workers' sandbox needs.
        mounts = (f"mount --bind {self.path} {self.path}; mount -t proc proc {self.path}/proc; "
                  f"mount -t sysfs sys {self.path}/sys 2>/dev/null || true; "
                  f"mount --rbind /dev {self.path}/dev; mount -t tmpfs tmp {self.path}/tmp -o mode=1777; "
                  f"cd {self.path}; mkdir -p .old; pivot_root . .old; umount -l /.old; exec \"$@\"")
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", mounts, "sh", *inner],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              timeout=limit, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"exit {done.returncode} of: {script}\n{done.stdout[-4000:]}")
        return done.stdout

    def apt(self, *words):
        return self.sh("apt-get -y --no-install-recommends -o Dpkg::Use-Pty=0 " + " ".join(words))


# Of a shell that uses an engine: where it serves is known once the file is there; an end is waited for.
START = """
start() { yardmaster --headless "$@" >"$HOME/said" 2>&1 & engine=$!
  for i in $(seq 600); do [ ! -s ~/.local/share/yardmaster/address ] || return 0
    kill -0 $engine 2>/dev/null || break; sleep 0.1; done; cat "$HOME/said"; return 1; }
end() { kill -TERM $engine; wait $engine; }
"""


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0:
            raise unittest.SkipTest("making a Debian needs root")
        if not list(PACKAGES.glob("yardmaster-engine_*.deb")):
            raise unittest.SkipTest(f"there are no packages in {PACKAGES}: ./dev package")
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="yard-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        cls.machine = Machine(cls.directory / "debian")
        made = subprocess.run(["mmdebstrap", "--variant=minbase", "--include=mount,xvfb,xauth,x11-utils,procps", "bookworm",
                               str(cls.machine.path)], text=True, capture_output=True, check=False)
        if made.returncode != 0:
            raise unittest.SkipTest(f"no Debian to be had: {made.stderr[-400:]}")
        shutil.copy("/etc/resolv.conf", cls.machine.path / "etc/resolv.conf")
        cls.machine.sh("apt-get update")
        cls.machine.sh("useradd -m kim; mkdir /debs /next")
        for package in PACKAGES.glob("*.deb"):
            shutil.copy(package, cls.machine.path / "debs")
        cls.version = run("dpkg-deb", "-f", str(next(PACKAGES.glob("yardmaster-engine_*.deb"))), "Version").strip()

    def audit(self):
        self.assertEqual(self.machine.sh("dpkg --audit"), "")

    def test_1_the_engine_is_installed_without_qt_and_runs_a_command(self):
        self.machine.apt("install", "/debs/yardmaster-engine_*.deb")
        self.audit()
        self.assertEqual(self.machine.sh("dpkg-query -W -f '${Package}\\n' | grep -i qt || true"), "")
        self.assertIn("yardmaster:", self.machine.sh("getent passwd yardmaster"))
        self.machine.sh(START + "start; yardctl run -- true; test \"$(yardctl run -- echo hello)\" = hello; end", user="kim")
        self.assertIn("yardctl", self.machine.sh("zcat /usr/share/man/man1/yardctl-run.1.gz"))

    def test_1a_the_program_for_other_machines_is_where_the_engine_looks(self):
        self.machine.apt("install", "/debs/yardmaster-bundle_*.deb")
        self.audit()
        bundle = "/usr/lib/yardmaster/yardmaster-bundle"
        self.assertEqual(self.machine.sh("dpkg-query -W -f '${Depends}' yardmaster-bundle"), "")
        # A machine that has nothing of this one: without its libraries it still says its version.
        said = self.machine.sh(f"mkdir -p /srv/bare && cp {bundle} /srv/bare/program && chroot /srv/bare /program --version; "
                               "rm -r /srv/bare")
        self.assertEqual(said, self.machine.sh("yardmaster --version"))
        self.assertEqual(self.machine.sh("readlink -f /usr/bin/../lib/yardmaster/yardmaster-bundle").strip(), bundle)

    def test_2_systemd_takes_its_units(self):
        self.assertEqual(self.machine.sh("systemd-analyze verify --man=no yardmaster@farm.service 2>&1"), "")
        self.assertEqual(self.machine.sh("XDG_RUNTIME_DIR=/tmp systemd-analyze --user verify --man=no "
                                         "/usr/lib/systemd/user/yardmaster.service 2>&1"), "")

    def test_3_the_window_opens_as_its_menu_entry_says(self):
        self.machine.apt("install", "/debs/yardmaster_*.deb")
        self.audit()
        shown = self.machine.sh(
            "Xvfb :77 -screen 0 1280x800x24 >/dev/null 2>&1 & export DISPLAY=:77; "
            "for i in $(seq 100); do xwininfo -root >/dev/null 2>&1 && break; sleep 0.1; done; "
            "command=$(sed -n 's/^Exec=//p' /usr/share/applications/org.yardmaster.Yardmaster.desktop); "
            "$command >said 2>&1 & "
            "for i in $(seq 600); do tree=$(xwininfo -root -tree); "
            "case $tree in *Yardmaster*) echo shown; kill -TERM $!; wait $!; exit;; esac; sleep 0.1; done; cat said", user="kim")
        self.assertEqual(shown.split()[:1], ["shown"], shown)

    def test_4_the_sample_of_the_readme_packs_what_is_here(self):
        self.machine.sh("mkdir -p /usr/share/doc/made-up && echo text >/usr/share/doc/made-up/file")
        said = self.machine.sh(START + """start
            cd /usr/share/yardmaster/samples; yardctl workers add treepack >/dev/null
            queue=$(yardctl queue create docs | cut -d' ' -f1)
            treepack/make-actions /usr/share/doc 20 | yardctl submit --queue "$queue" - >~/lsns
            yardctl wait --out ~/packed $(cat ~/lsns) >~/waited || { cat ~/waited ~/said; exit 1; }
            ls ~/packed | wc -l; end""", user="kim")
        self.assertEqual(said.split()[-1:], ["20"], said)

    def test_4a_the_client_for_python_and_the_documents_are_there(self):
        self.machine.apt("install", "/debs/python3-yardmaster_*.deb /debs/yardmaster-doc_*.deb")
        self.audit()
        said = self.machine.sh("python3 -c 'import yardmaster, importlib.metadata as m; "
                               "print(yardmaster.__version__, m.version(\"yardmaster\"))'", user="kim")
        self.assertEqual(len(set(said.split())), 1, said)
        self.assertIn("Queues", self.machine.sh("head -1 /usr/share/doc/yardmaster-doc/docs/queues.md"))

    def test_4b_the_archiver_keeps_the_pages_of_a_site(self):
        # Its kit is a link to the one beside the samples: it has to lead there from where the package puts it.
        self.machine.sh("mkdir -p /site && echo '<a href=\"/other.html\">other</a>' >/site/index.html && "
                        "echo last >/site/other.html")
        said = self.machine.sh(START + """start --no-sandbox
            python3 -m http.server -d /site --bind 127.0.0.1 8799 >/dev/null 2>&1 & site=$!
            cd /usr/share/yardmaster/samples/archiver; yardctl workers add .
            for type in crawl snapshot result; do yardctl types add types/$type.json; done
            crawl=$(yardctl objects create crawl url=http://127.0.0.1:8799/ depth=1)
            yardctl objects wait "$crawl" || { cat ~/said; exit 1; }
            index=~/archive/crawl-"$crawl".jsonl # its lines are side effects, which may come after the end
            for i in $(seq 600); do [ "$(cat "$index" 2>/dev/null | wc -l)" -lt 2 ] || break; sleep 0.1; done
            kill $site; wc -l <"$index"; end""", user="kim")
        self.assertEqual(said.split()[-1:], ["2"], said)

    def newer(self, package):
        """The same package as of the next version."""
        tree = self.directory / f"next-{package}"
        run("dpkg-deb", "-R", str(next(PACKAGES.glob(f"{package}_*.deb"))), str(tree))
        control = tree / "DEBIAN/control"
        control.write_text(re.sub(rf"(?m)^(Version: |.*yardmaster-engine \(= ){re.escape(self.version)}",
                                  rf"\g<1>{self.version}+next", control.read_text()))
        run("dpkg-deb", "--root-owner-group", "-b", str(tree), str(self.machine.path / "next"))

    def test_5_an_upgrade_below_a_running_engine_loses_nothing(self):
        for package in ("yardmaster-engine", "yardmaster"):
            self.newer(package)
        # apt and the engine in one process namespace, as on a machine; the engine is kim's. All but the first actions wait
        # for a file, which is made once the upgraded engine serves: so the queue is full below the upgrade.
        script = START + f"""start
            queue=$(yardctl queue create nightly | cut -d' ' -f1)
            for i in $(seq {ACTIONS}); do printf '{{"worker":"exec","argv":["sh","-c","%s; echo %s"]}}\\n' \\
                "$([ $i -le 100 ] && echo true || echo 'until [ -e /home/kim/go ]; do sleep 0.1; done')" $i; done |
                yardctl submit --queue "$queue" - >lsns
            touch /tmp/full
            until [ -e /tmp/upgraded ]; do sleep 0.1; done
            yardctl show "$(head -1 lsns)" >/dev/null
            end; start
            touch go
            yardctl wait $(cat lsns) >waited
            sort -u lsns | wc -l >completed; end"""
        self.machine.sh("cat >/tmp/kim <<'END'\n" + script + "\nEND\n"
                        "runuser -u kim -- env HOME=/home/kim bash -euc 'cd; . /tmp/kim' >/tmp/out 2>&1 & kim=$!\n"
                        "until [ -e /tmp/full ]; do kill -0 $kim || { cat /tmp/out; exit 1; }; sleep 0.1; done\n"
                        "apt-get -y --no-install-recommends install /next/*.deb; dpkg --audit\n"
                        "touch /tmp/upgraded; wait $kim || { cat /tmp/out; exit 1; }")
        self.assertEqual(self.machine.sh("cat /home/kim/completed").strip(), str(ACTIONS))
        self.assertIn("+next", self.machine.sh("dpkg-query -W yardmaster-engine"))

    def test_6_an_older_program_refuses_the_journal_of_a_newer_one(self):
        journal = self.machine.path / DATA / "journal.sqlite"
        with sqlite3.connect(journal) as database:
            version = database.execute("PRAGMA user_version").fetchone()[0]
            database.execute(f"PRAGMA user_version={version + 1}")
        database.close()
        said = self.machine.sh("if yardmaster --headless; then echo served; fi", user="kim")
        self.assertIn("was written by a newer yardmaster", said)
        self.assertNotIn("served", said)
        with sqlite3.connect(journal) as database:
            database.execute(f"PRAGMA user_version={version}")
        database.close()
        self.machine.sh(f"chown -R kim: /{DATA}")

    def test_7_purged_it_leaves_the_users_data_alone_and_says_where_it_is(self):
        self.machine.sh("mkdir -p /var/lib/yardmaster/farm")
        said = self.machine.apt("purge", "yardmaster", "yardmaster-engine", "yardmaster-bundle", "python3-yardmaster", "yardmaster-doc")
        self.audit()
        self.assertIn("/var/lib/yardmaster", said)
        self.assertIn("~/.local/share/yardmaster", said)
        self.assertTrue((self.machine.path / DATA / "journal.sqlite").exists())
        self.assertTrue((self.machine.path / "var/lib/yardmaster/farm").exists())
        left = self.machine.sh("find / -xdev \\( -path /home -o -path /proc -o -path /debs -o -path /next -o -path "
                               "/var/cache -o -path /var/log -o -path /var/lib/yardmaster \\) -prune -o -iname "
                               "'*yard*' -print")
        self.assertEqual(left, "")


if __name__ == "__main__":
    unittest.main(verbosity=2, failfast=True, argv=[sys.argv[0], *sys.argv[1:]])
