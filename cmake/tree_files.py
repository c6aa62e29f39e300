"""The files of a tree, for the checks beside this file: those that git knows, or all where there is no repository."""
import pathlib
import subprocess


def files_of(root, endings):
    """(name, path) of each file below `root` with one of these endings, sorted by name. The name has slashes."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True)
    names = (listed.stdout.decode().split("\0") if listed.returncode == 0
             else (path.relative_to(root).as_posix() for path in root.rglob("*")))
    for name in sorted(filter(None, names)):
        path = pathlib.Path(root, name)
        if path.suffix in endings and path.is_file():
            yield name, path
