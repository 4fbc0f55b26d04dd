# SPDX-License-Identifier: Apache-2.0
"""dlrun from Python: ask for trials and tell what they measured.

    import dlrun

    study = dlrun.open("coffee.yaml", lanes=2)
    for trial in study:
        study.tell(trial, taste=brew(**trial.params))
    print(study.best)

The study's trials are of kind `asked` (docs/asking.md). Each call runs the program `dlrun`, which holds the study only that
long, so several processes may ask at the same time. Nothing but Python's standard library is needed, and this file may be
copied. The program is the one of DLRUN_PROGRAM, else the one installed beside this file, else that in PATH.
"""
import json
import os
import shutil
import subprocess
from pathlib import Path

__all__ = ["Error", "Study", "Trial", "Waiting"]  # not open, which would hide Python's

_MISSING = 3  # exit codes: no such study or trial
_WAITING = 75  # a result has to be told first


class Error(Exception):
    """The program refused: its message, and its exit code as `code` (2 usage, 3 no such study or trial, 4 store, …)."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


class Waiting(Error):
    """The next decision has to see results that were not told yet; `trials` has their numbers."""

    def __init__(self, message, trials):
        super().__init__(message, _WAITING)
        self.trials = trials


class Trial:
    """A piece of a trial to carry out.

    number                    of the trial
    params                    {name: value} of its active parameters
    from_step, to_step        steps done before, and steps done after it
    replicate, fold, attempt  which member of the trial, and which try
    """

    def __init__(self, facts):
        self.number = facts["trial"]
        self.params = facts["params"]
        self.from_step, self.to_step = facts["from_step"], facts["to_step"]
        self.replicate, self.fold, self.attempt = facts["replicate"], facts["fold"], facts["attempt"]

    @property
    def steps(self):
        """The steps to measure."""
        return range(self.from_step + 1, self.to_step + 1)

    def __repr__(self):
        return f"<trial {self.number}, steps {self.from_step + 1} to {self.to_step}, {self.params}>"


class Study:
    """A study, as open() gives it. Iterating asks until it is finished."""

    def __init__(self, study, store=None, lanes=None):
        is_file = str(study).endswith((".yaml", ".yml"))
        store = store or os.environ.get("DLRUN_STORE") or "dlrun-store"
        self._file = os.path.abspath(study) if is_file else str(study)  # the working directory may change
        self._store = ["--store", os.path.abspath(store)]
        self._known = None if is_file else self._file
        self._lanes = [] if lanes is None else ["--lanes", str(lanes)]

    def ask(self, trial=None):
        """The next piece to carry out; None: the study is finished. Raises Waiting.

        trial   a number: what this trial is to do, also if it was asked for before, as by a process that has ended
        """
        answer = self._json("ask", self._file, *self._lanes, *([] if trial is None else ["--trial", str(trial)]))
        return None if answer.get("finished") else Trial(answer)

    def __iter__(self):
        return iter(self.ask, None)

    def tell(self, trial, values=None, *, step=None, **metrics):
        """Tells what a trial measured.

        trial    as ask() gave it, or its number
        values   {name: value}, for names that are no Python names ("val.loss"); others as keywords
        step     the step that they belong to; None: the last one of the piece
        Returns {"state": …, "objective": …, "missing": metrics still needed, "known": whether it was told before}.
        The same again does no harm; another value for the same step raises Error.
        """
        twice = set(values or {}) & set(metrics)
        if twice:
            raise TypeError(f"told twice: {', '.join(sorted(twice))}")
        if step is None and isinstance(trial, Trial):
            step = trial.to_step
        words = [f"{name}={_number(name, value)!r}" for name, value in {**(values or {}), **metrics}.items()]
        return self._tell(trial, words, *([] if step is None else ["--step", str(step)]))

    def fail(self, trial, reason):
        """The trial cannot be carried out."""
        return self._tell(trial, [], "--failed", str(reason))

    def trials(self):
        """[{"trial": …, "state": …, "objective": …, "epochs": …, "params": {…}}, …], by number."""
        rows = self._rows("select trial, state, objective, epochs from trials order by trial")
        params = {row["trial"]: {} for row in rows}
        for row in self._rows("select trial, name, value from params order by trial"):
            params[row["trial"]][row["name"]] = row["value"]
        return [{**row, "params": params[row["trial"]]} for row in rows]

    def dataframe(self):
        """trials() as a pandas DataFrame, a column for each parameter."""
        import pandas
        return pandas.DataFrame([{**{k: v for k, v in trial.items() if k != "params"}, **trial["params"]}
                                 for trial in self.trials()])

    @property
    def best(self):
        """The best completed trial, as trials() has it; None: there is none yet."""
        try:
            rows = self._rows("select trial from best limit 1")
        except Error as fault:
            if fault.code != _MISSING:
                raise
            return None
        return next((trial for trial in self.trials() if rows and trial["trial"] == rows[0]["trial"]), None)

    def _tell(self, trial, metrics, *options):
        number, member = trial, []
        if isinstance(trial, Trial):
            number, member = trial.number, ["--replicate", str(trial.replicate), "--fold", str(trial.fold)]
        return self._json("tell", *options, *member, words=[self._file, str(number), *metrics])

    @property
    def name(self):
        """As the store has it."""
        if self._known is None:
            self._known = _run(["check", self._file, "--format", "json", "--quiet"])["title"][len("plan of "):]
        return self._known

    def _rows(self, statement):
        return self._json("report", self.name, "--sql", statement)["rows"]

    def _json(self, verb, *options, words=()):
        answer = _run([verb, *options, *self._store, "--format", "json", "--quiet", *(["--", *words] if words else [])])
        self._known = answer.get("study", self._known)
        return answer


def open(study, store=None, lanes=None):
    """A study by its file (made when it is first asked), or by its name in the store.

    store   folder; None: DLRUN_STORE, else ./dlrun-store
    lanes   of a new study: how many trials may be out at a time
    """
    return Study(study, store, lanes)


def _number(name, value):
    """The value as a float; NumPy's numbers are numbers too."""
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"the value of '{name}' is to be a number, not {value!r}")
    return float(value)


def _program():
    beside = Path(__file__).resolve().parent / "bin" / "dlrun"
    chosen = os.environ.get("DLRUN_PROGRAM") or (str(beside) if beside.exists() else shutil.which("dlrun"))
    if not chosen:
        raise Error("the program dlrun is not in PATH; DLRUN_PROGRAM names it", 127)
    return chosen


def _run(words):
    program = _program()
    try:
        done = subprocess.run([program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    except OSError as fault:
        raise Error(f"cannot run '{program}': {fault}", 127) from fault
    if done.returncode == 0:
        return json.loads(done.stdout)
    message = done.stderr.strip()
    message = message[len("error: "):] if message.startswith("error: ") else message
    if done.returncode == _WAITING and done.stdout.startswith("{"):
        raise Waiting(message, [piece["trial"] for piece in json.loads(done.stdout)["waiting"]])
    raise Error(message, done.returncode)
