# SPDX-License-Identifier: Apache-2.0
"""Transcripts and figures of the documents, compared with what dlrun prints.

A document's ```console blocks run from top to bottom in one empty folder, where `examples` is the examples of this
checkout. Both output streams are compared together. Only seconds may differ, and progress lines may be missing. A line
`...` in a block stands for any number of lines.

Words after ```console say when a block runs: `long` only under DLRUN_FIGURES=long, any other word only where Python has
the module of that name, or PATH a program.

Figures of a training depend on the CPU's vector instructions. These tests use the oldest ones, which every x86-64 CPU
has, so that every machine must print the same.
"""
import difflib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("DLRUN_BIN", ROOT / "build" / "release" / "bin")).resolve()
LONG = os.environ.get("DLRUN_FIGURES") == "long"
HAS_TRAINER = (BIN / "libdlrun_trainer.so").exists()
DOCUMENTS = sorted([ROOT / "README.md", *ROOT.glob("examples/*/README.md"), *ROOT.glob("docs/*.md")])
PICTURES = {"digits.svg": "curves digits", "digits-slice.svg": "slice digits",
            "digits-parallel.svg": "parallel digits", "digits-contour.svg": "contour digits --parameters lr,drop"}
OLDEST_CPU = {"ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41", "MKL_CBWR": "COMPATIBLE"}
PROGRESS = re.compile(r"\d+(/\d+)? trials, .* (s|left)")


def module(path):
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(f"dlrun_{path.stem}", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


transcripts = module(ROOT / "tests" / "cli" / "run.py")


def blocks(document):
    """[(words after `console`, [(command, expected lines)])] of the document's console blocks, in order."""
    found = []
    for words, body in re.findall(r"^```console *(.*)\n((?:.*\n)*?)```$", document.read_text(), re.MULTILINE):
        steps = []
        for line in body.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
        found.append((words.split(), steps))
    return found


def without_seconds(lines):
    """The lines as patterns of a transcript: numbers in a table's column `seconds` may be any."""
    patterns, end = [], 0
    for line in lines:
        if re.search(r"\bseconds\b", line):
            end = re.search(r"\bseconds\b", line).end()
        elif end and re.fullmatch(r" *\d+\.\d+", line[end - len("seconds"):end]):
            line = line[:end - len("seconds")] + "<*>" + line[end:]
        else:
            end = 0
        patterns.append("<...>" if line == "..." else line)
    return patterns


class Place:
    """An empty folder with `examples` in it; removed by close()."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="dlrun-docs-")
        self.folder = pathlib.Path(self.temporary.name)
        (self.folder / "examples").symlink_to(ROOT / "examples")
        self.env = {**transcripts.environment(self.folder, BIN), **OLDEST_CPU}

    def run(self, command):
        """The lines of both streams; a command that hangs is a failure."""
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=3600 if LONG else 300)
        lines = [line.rstrip() for line in transcripts.readable(done.stdout).splitlines()]
        return [line for line in lines if not PROGRESS.match(line)]

    def close(self):
        self.temporary.cleanup()


def is_there(name):
    return importlib.util.find_spec(name) is not None or shutil.which(name) is not None


def differences(document, run):
    """The differences between a document and run(command), as text; empty where they agree."""
    text = ""
    for words, steps in blocks(document):
        if ("long" in words and not LONG) or not all(is_there(word) for word in words if word != "long"):
            continue
        for command, expected in steps:
            wanted, printed = without_seconds(expected), run(command)
            if not transcripts.matches(wanted, printed):
                printed = transcripts.merged(wanted, printed, "dlrun-docs-")
                diff = difflib.unified_diff(wanted, printed, document.name, "printed", lineterm="")
                text += f"\n$ {command}\n" + "\n".join(diff)
    return text


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class Transcripts(unittest.TestCase):
    """Each document with console blocks is a subtest."""

    def test_documents_show_what_is_printed(self):
        for document in DOCUMENTS:
            if blocks(document):
                with self.subTest(str(document.relative_to(ROOT))):
                    place = Place()
                    self.addCleanup(place.close)
                    text = differences(document, place.run)
                    if text:
                        self.fail(text)

    def test_the_study_of_the_readme_has_no_fault(self):
        place = Place()
        self.addCleanup(place.close)
        study = re.search(r"^```yaml\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)[1]
        (place.folder / "study.yaml").write_text(study)
        self.assertEqual(place.run("dlrun check study.yaml --data examples/digits > /dev/null && echo sound"), ["sound"])

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_the_pictures_show_the_study(self):
        place = Place()
        self.addCleanup(place.close)
        place.run("dlrun tune examples/digits/study.yaml")
        for name, words in PICTURES.items():
            place.run(f"dlrun plot {words} -o {name}")
            shown, drawn = ((folder / name).read_text() for folder in (ROOT / "docs", place.folder))
            versions = [re.search(r"GNUPLOT \S+", picture, re.IGNORECASE)[0] for picture in (shown, drawn)]
            if versions[0] != versions[1]:
                self.skipTest(f"the picture was drawn by {versions[0]}, this is {versions[1]}")
            self.assertEqual(shown.splitlines(), drawn.splitlines(), name)


class Comparison(unittest.TestCase):
    """The comparison itself: a wrong figure is found, other seconds are not."""
    PRINTED = ["trial  objective  seconds     lr", "   17     0.9888    0.586  0.008", "    4     0.9851   12.000  0.007",
               "test.accuracy 0.9741"]

    def compare(self, *lines):
        with tempfile.TemporaryDirectory() as folder:
            document = pathlib.Path(folder, "README.md")
            document.write_text("```console\n$ dlrun tune\n" + "\n".join(lines) + "\n```\n")
            return differences(document, lambda command: self.PRINTED)

    def test_the_same_agrees(self):
        self.assertEqual(self.compare(*self.PRINTED), "")

    def test_seconds_may_differ(self):
        self.assertEqual(self.compare(*(line.replace(" 0.586", "34.001") for line in self.PRINTED)), "")

    def test_lines_may_be_left_out_where_the_document_says_so(self):
        self.assertEqual(self.compare(self.PRINTED[0], "...", self.PRINTED[3]), "")
        self.assertNotEqual(self.compare(self.PRINTED[0], self.PRINTED[3]), "")

    def test_any_other_figure_may_not_differ(self):
        for right, wrong in (("0.9888", "0.9880"), ("0.008", "0.009"), ("0.9741", "0.9852"), ("17", "18")):
            with self.subTest(wrong):
                text = self.compare(*(line.replace(right, wrong) for line in self.PRINTED))
                self.assertIn(wrong, text)
                self.assertIn(right, text)


class Settings(unittest.TestCase):
    """Settings that documents name beside recorded figures are those of the benchmark and of the studies."""
    BENCHMARKS = (ROOT / "docs" / "benchmarks.md").read_text()

    def test_the_table_of_accuracies_names_the_options_of_the_benchmark(self):
        rows = re.findall(r"^\| `(\w+/\w+\.yaml)`[^|]*\| ([^|]*)\|", self.BENCHMARKS, re.MULTILINE)
        shown = {study: re.findall("`([^`]*)`", options) for study, options in rows}
        measured = module(ROOT / "tests" / "bench" / "bench_accuracy.py").ALL
        self.assertEqual(shown, {example.study: list(example.options) for example in measured})

    def test_the_weather_has_its_window(self):
        study = (ROOT / "examples" / "weather" / "study.yaml").read_text()
        days = re.search(r"window: (\d+)", study)[1]
        readme = (ROOT / "examples" / "weather" / "README.md").read_text()
        for text in (study, readme, self.BENCHMARKS):
            self.assertEqual(set(re.findall(r"(?:LSTM of|last|reads) (\d+) days", text)), {days})

    def test_every_document_can_be_reached_from_the_first(self):
        links = set(re.findall(r"\]\(([^)#]*)[^)]*\)", (ROOT / "README.md").read_text()))
        for document in DOCUMENTS:
            if document != ROOT / "README.md":
                self.assertIn(str(document.relative_to(ROOT)), links)

    def test_links_of_documents_lead_somewhere(self):
        for document in DOCUMENTS:
            for link in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
                if "://" not in link:
                    self.assertTrue((document.parent / link).exists(), f"{document.relative_to(ROOT)}: {link}")


if __name__ == "__main__":
    unittest.main()
