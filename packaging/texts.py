#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of an installation that dlrun prints itself: man pages, completions, the schema of a study.

  texts.py PROGRAM PREFIX     `cmake --install` calls it (cmake/Install.cmake)

A man page is the text of `dlrun help VERB` with its headings; no second text has to be kept up to date.
"""
import re
import subprocess
import sys
from pathlib import Path

COMPLETIONS = {"bash": "bash-completion/completions/dlrun", "zsh": "zsh/site-functions/_dlrun",
               "fish": "fish/vendor_completions.d/dlrun.fish"}
HEADING = re.compile(r"(usage(?=: )|[a-z][a-z ]*(?=:$)):( .*)?$")


def printed(program, *arguments):
    return subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def escaped(line):
    """A line that troff prints as it is."""
    line = line.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return "\\&" + line if line.startswith(".") else line


def sections(lines):
    """(title, lines) of a help text without its first line; the paragraphs after the usage are the description."""
    found = []
    for line in lines:
        heading = HEADING.match(line)
        if heading:
            found.append((heading.group(1).upper(), [(heading.group(2) or "").strip()]))
        elif found and found[-1][0] == "USAGE" and found[-1][1][-1] == "" and line:
            found.append(("DESCRIPTION", [line]))
        elif found:
            found[-1][1].append(line)
    return found


def man_page(name, version, text):
    """The page of a text that begins with `NAME - summary`; lines stay as they are."""
    first, *rest = text.split("\n")
    summary = first.split(" - ", 1)[1]
    page = [f'.TH {name.upper()} 1 "" "dlrun {version}" "dlrun"', ".SH NAME", f"{name} \\- {escaped(summary)}"]
    for title, lines in sections(rest):
        body = "\n".join(map(escaped, lines)).strip("\n")
        page += [f".SH {'SYNOPSIS' if title == 'USAGE' else title}", ".nf", body, ".fi"]
    return "\n".join(page) + "\n"


def verbs(overview):
    return re.findall(r"^  ([a-z]+)  +\S", overview, flags=re.M)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    program, share = sys.argv[1], Path(sys.argv[2]) / "share"
    version = printed(program, "--version").split()[1]
    overview = printed(program, "help")
    write(share / "man/man1/dlrun.1", man_page("dlrun", version, overview))
    for verb in verbs(overview):
        write(share / f"man/man1/dlrun-{verb}.1", man_page(f"dlrun-{verb}", version, printed(program, "help", verb)))
    for shell, place in COMPLETIONS.items():
        write(share / place, printed(program, "completion", shell))
    write(share / "dlrun/study.schema.json", printed(program, "schema"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
