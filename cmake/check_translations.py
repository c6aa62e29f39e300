#!/usr/bin/env python3
"""Texts of the window and their translations: translations/yardmaster_*.ts have every text of the sources, nothing is
unfinished, and what stands for numbers and names (%1, %n) is the same on both sides. Exits 1 with what to do.

--update: brings the files up to the sources; what is new is then unfinished in them."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ["ui", "app/window"]
# English is the language of the sources: only its plurals are written down.
PLURALS_ONLY = {"yardmaster_en.ts"}


def lupdate():
    for name in ("/usr/lib/qt6/bin/lupdate", shutil.which("lupdate6"), shutil.which("lupdate")):
        if name and pathlib.Path(name).exists():
            return name
    sys.exit("lupdate is missing: Debian has it in qt6-l10n-tools (./dev installs it)")


def update(file, name):
    command = [lupdate(), "-silent", *SOURCES, "-I", ".", "-no-obsolete", "-no-ui-lines", "-locations", "none",
               "-source-language", "en", "-target-language", name.removeprefix("yardmaster_").removesuffix(".ts")]
    if name in PLURALS_ONLY:
        command.append("-pluralonly")
    done = subprocess.run([*command, "-ts", str(file)], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"lupdate failed: {done.stdout}{done.stderr}")


def messages(file):
    """(context, text) -> element"""
    found = {}
    for context in ElementTree.parse(file).getroot().iter("context"):
        for message in context.iter("message"):
            found[(context.findtext("name"), message.findtext("source"), message.findtext("comment"))] = message
    return found


def placeholders(text):
    return set(re.findall(r"%L?\d|%L?n", text))


def problems_of(file):
    have = messages(file)
    with tempfile.TemporaryDirectory() as directory:
        copy = pathlib.Path(directory) / file.name
        shutil.copy(file, copy)
        update(copy, file.name)
        wanted = messages(copy)
    for context, text, _ in sorted(wanted.keys() - have.keys(), key=str):
        yield f"lacks \"{text}\" of {context}"
    for context, text, _ in sorted(have.keys() - wanted.keys(), key=str):
        yield f"has \"{text}\" of {context}, which is nowhere in the sources"
    for (context, text, _), message in have.items():
        translation = message.find("translation")
        forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
        if translation.get("type") is not None or not all(forms):
            yield f"is unfinished: \"{text}\" of {context}"
            continue
        for form in forms:
            # A form for one may leave the number out.
            if (placeholders(text) ^ placeholders(form)) - {"%n", "%Ln"}:
                yield f"does not have the same %1… as \"{text}\" of {context}: \"{form}\""


def main():
    files = sorted((ROOT / "translations").glob("yardmaster_*.ts"))
    if sys.argv[1:] == ["--update"]:
        for file in files:
            update(file, file.name)
        return
    found = [f"{file.relative_to(ROOT)} {problem}" for file in files for problem in problems_of(file)]
    for line in found:
        print(line)
    if found:
        sys.exit("\nRun: ./dev translations, then translate what is unfinished in translations/*.ts "
                 "(type=\"unfinished\" goes away with it).")


main()
