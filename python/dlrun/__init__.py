# SPDX-License-Identifier: Apache-2.0
"""dlrun from Python. Nothing but Python's standard library is needed, and this file may be copied.

Ask for trials and tell what they measured (trials of kind `asked`, docs/asking.md):

    import dlrun

    study = dlrun.open("coffee.yaml", lanes=2)
    for trial in study:
        study.tell(trial, taste=brew(**trial.params))
    print(study.best)

Each call runs the program `dlrun`, which holds the study only that long, so several processes may ask at the same time. The
program is the one of DLRUN_PROGRAM, else the one installed beside this file, else that in PATH.

Report from within a trial (kinds `python` and `command`, docs/python.md):

    trial = dlrun.trial(lr=0.1)         # a function of kind `python` gets it as its argument
    for step in trial.steps:
        loss = train(trial.params["lr"])
        if not trial.report(step, loss=loss):
            break
"""
import atexit
import json
import math
import os
import random
import select
import sys
from pathlib import Path

__all__ = ["Ended", "Error", "RunningTrial", "Study", "Trial", "Waiting", "trial"]  # not open, which would hide Python's

_MISSING = 3  # exit codes: no such study or trial
_WAITING = 75  # a result has to be told first
_PAGE = 5_000  # rows of one answer: dlrun gives no more than 10,000


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
        parameters = self._rows("select name, choices from parameters where choices is not null order by name")
        choices = {row["name"]: json.loads(row["choices"]) for row in parameters}
        for row in self._rows("select trial, name, value from params order by trial, name"):
            value = _choice(row["value"], choices.get(row["name"]))
            params.setdefault(row["trial"], {})[row["name"]] = value  # a trial may have come in between
        return [{**row, "params": params[row["trial"]]} for row in rows]

    def dataframe(self):
        """trials() as a pandas DataFrame, a column for each parameter; `param.` is in front where a name is taken."""
        import pandas
        trials = self.trials()
        columns = _columns([name for trial in trials for name in trial["params"]])
        return pandas.DataFrame([{**{k: v for k, v in trial.items() if k != "params"},
                                  **{columns[name]: value for name, value in trial["params"].items()}}
                                 for trial in trials])

    @property
    def best(self):
        """The best completed trial, as trials() has it; None: there is none yet."""
        try:
            rows = self._query("select trial from best limit 1")
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
            words = ["check", self._file, *self._store, "--format", "json", "--quiet"]
            self._known = _run(words)["title"][len("plan of "):]
        return self._known

    def _query(self, statement):
        return self._json("report", self.name, "--timeout", "60", "--sql", statement)["rows"]

    def _rows(self, statement):
        """All rows of a statement that orders them, page by page."""
        rows = []
        while True:
            page = self._query(f"{statement} limit {_PAGE} offset {len(rows)}")
            rows += page
            if len(page) < _PAGE:
                return rows

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


def _choice(value, choices):
    """A value as ask() gives it. The store shows true, false and lists as their text in JSON.

    choices   of its parameter; None: it is a number
    """
    is_json = choices is not None and isinstance(value, str) and value not in choices
    return json.loads(value) if is_json else value


def _columns(names):
    """{parameter: column}, each column once and none of a trial's own."""
    taken, columns = {"trial", "state", "objective", "epochs"}, {}
    for name in dict.fromkeys(names):
        free, number = f"param.{name}" if name in taken else name, 2
        while free in taken:
            free, number = f"param.{name}.{number}", number + 1
        columns[name] = free
        taken.add(free)
    return columns


def _number(name, value):
    """The value as a float; NumPy's numbers are numbers too."""
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"the value of '{name}' is to be a number, not {value!r}")
    return float(value)


def _program():
    import shutil  # the interpreters of trials start sooner without it
    beside = Path(__file__).resolve().parent / "bin" / "dlrun"
    chosen = os.environ.get("DLRUN_PROGRAM") or (str(beside) if beside.exists() else shutil.which("dlrun"))
    if not chosen:
        raise Error("the program dlrun is not in PATH; DLRUN_PROGRAM names it", 127)
    return chosen


def _run(words):
    import subprocess  # likewise
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


class Ended(BaseException):
    """The trial is over before its function is: it was pruned and the function went on, or the study ends."""


class RunningTrial:
    """A trial as its own code sees it.

    number, replicate, fold, attempt   which member of the trial it is, and the attempt's number
    params                             {name: value} of its active parameters
    seed                               a whole number, other for each replicate
    from_step, to_step                 steps behind `resume` (0: it begins), and all steps of the trial
    resume                             path of the checkpoint to go on from; None: it begins
    init                               path of weights to begin with; None: there are none
    folder                             a folder of this attempt's own, made when it is first read
    """

    current = None  # that of this process

    def __init__(self, facts, link=None):
        self.number, self.replicate, self.fold = facts["trial"], facts["replicate"], facts["fold"]
        self.attempt, self.params, self.seed = facts["attempt"], facts["params"], facts["seed"]
        self.from_step, self.to_step = facts["from_step"], facts["to_step"]
        self.resume, self.init = facts.get("resume") or None, facts.get("init") or None
        self._folder = Path(facts["folder"])
        self._link, self._newest, self._examples, self._held = link, self.from_step, None, {}
        self._piece_end, self._let_on, self._has_ended = self.from_step, -1, False
        if link:
            link.say({"client": 1})

    @property
    def is_by_dlrun(self):
        """False: its script is tried by hand."""
        return self._link is not None

    @property
    def folder(self):
        _make(self._folder)
        return self._folder

    @property
    def steps(self):
        """The steps to do."""
        return range(self.from_step + 1, self.to_step + 1)

    def report(self, step, values=None, **metrics):
        """Says what was measured after a step, and waits where a pruner has to judge it.

        step     an epoch, say; the first one is 1
        values   {name: value}, for names that are no Python names ("val.loss"); others as keywords
        Returns whether to go on: False after the last step, and where the trial is pruned or the study ends.
        Raises Ended where it returned False for one of the latter before.
        """
        if self._has_ended:
            raise Ended(f"trial {self.number} has ended")
        twice = set(values or {}) & set(metrics)
        if twice:
            raise TypeError(f"reported twice: {', '.join(sorted(twice))}")
        step, values = _whole("step", step), {**(values or {}), **metrics}
        lines = [{"metric": name, "step": step, "value": _number(name, value)} for name, value in values.items()]
        self._newest = max(self._newest, step)
        self._hand_in(step)
        if not self._link:
            print(f"step {step}: " + ", ".join(f"{line['metric']} {line['value']:g}" for line in lines), flush=True)
            return step < self.to_step
        self._link.say(*lines)
        return self._may_go_on(step)

    def checkpoint(self, path, step=None):
        """A file to go on from, which is complete. Said before the report of its step.

        path   relative to `folder`, unless it is absolute; other for each step
        step   that the file was made after; None: the one that is reported next, which may be some steps ahead
        """
        self._take("checkpoint", self._folder / path, step)

    def examples(self, ids, values, step=None):
        """Results of single validation examples, for an ablation with `claims: model` and for `dlrun export --examples`. Said
        before the report of their step: a trial that was pruned leaves none.

        ids      a whole number or a text for each example, the same in every trial
        values   a finite number for each: its loss, or 1 for a hit and 0 for a miss
        step     that they were measured after; None: the one that is reported next, the last one if none is
        Both may be lists, arrays or tensors of one dimension. A later call replaces an earlier one.
        """
        step = None if step is None else _whole("step", step)
        rows = _example_rows(ids, values)
        if self._has_ended:
            return
        if not self._link:
            print(f"results of {len(rows)} examples", flush=True)
            return
        file = self.folder / "examples-next.csv"
        part = file.with_suffix(".part")
        part.write_bytes(("id,value\n" + "".join(rows)).encode())
        part.replace(file)
        self._take("examples", file, step)

    def result(self, values):
        """Values at the end: {name: value}."""
        if self._link:
            self._link.say({"result": {name: _number(name, value) for name, value in values.items()}})

    def _take(self, kind, file, step):
        """A file of this step; None: it is held back until its step is known, and a later one of its kind replaces it."""
        self._held.pop(kind, None)
        if step is None and self._newest < self.to_step:
            self._held[kind] = file
        else:
            self._say_file(kind, file, self.to_step if step is None else _whole("step", step))

    def _hand_in(self, step):
        """Says the files that were held back, as those of this step."""
        held, self._held = self._held, {}
        for kind, file in held.items():
            self._say_file(kind, file, step if kind == "checkpoint" else min(step, self.to_step))

    def _say_file(self, kind, file, step):
        if not self._link:
            return
        if kind == "checkpoint":
            self._link.say({"checkpoint": str(file), "step": step})
            return
        named, earlier = self.folder / f"examples-{step}.csv", self._examples
        file.replace(named)
        self._link.say({"examples": str(named), "step": step})
        self._examples = named
        if earlier and earlier != named:
            earlier.unlink(missing_ok=True)  # its step is over: dlrun has taken it, or wants the newer one

    def _end(self, has_returned=True):
        """The function or script is over: files that no report followed belong to the last step.

        has_returned   False: a script, which may have failed on its way to a report: its checkpoint is none of a step that
                       has values
        """
        has_reported = self._newest > self.from_step
        last = min(self._newest, self.to_step) if has_reported else self.to_step
        held, self._held = self._held, {}
        if self._has_ended:
            return
        for kind, file in held.items():
            is_unsure = kind == "checkpoint" and has_reported and not has_returned
            self._say_file(kind, file, self._newest + 1 if is_unsure else last)

    def __repr__(self):
        return f"<trial {self.number}, steps {self.from_step + 1} to {self.to_step}, {self.params}>"

    def _may_go_on(self, step):
        self._hear(self._link.lines())
        if not self._knows(step):
            self._link.say({"waits": step})
        while not self._knows(step):
            self._hear(self._link.lines(wait=True))
        return not self._has_ended and step < self.to_step

    def _knows(self, step):
        return self._has_ended or step >= self.to_step or step < self._piece_end or step == self._let_on

    def _hear(self, lines):
        for line in lines:
            self._piece_end = line.get("to", self._piece_end)
            self._has_ended = self._has_ended or "stop" in line
            self._let_on = line.get("on", self._let_on)


class Link:
    """Lines to dlrun by one descriptor, and from it by another."""

    def __init__(self, out, into):
        self._out, self._into, self._pending = out, into, b""

    def say(self, *facts):
        bytes_ = "".join(json.dumps(line) + "\n" for line in facts).encode()
        while bytes_:
            bytes_ = bytes_[os.write(self._out, bytes_):]

    def lines(self, wait=False):
        """Lines that have come; at least one, if it is to wait. Raises Ended: nobody is there any more."""
        got = []
        while (wait and not got) or select.select([self._into], [], [], 0)[0]:
            more = os.read(self._into, 65536)
            if not more:
                raise Ended("dlrun has ended")
            got += self.cut(more)
        return got

    def cut(self, bytes_):
        """Lines that these bytes complete."""
        *whole, self._pending = (self._pending + bytes_).split(b"\n")
        return [json.loads(line) for line in whole]


def trial(**defaults):
    """The trial that this script is (kind `command`), or that a function runs in, as a RunningTrial. Generators are seeded
    (seed_generators()) when it is made; later calls give the same trial again.

    defaults   parameters that the trial does not have, or that are not active in it, and all of them where no dlrun runs
               the script, as when it is tried by hand: reports are printed then, and `steps` is how many steps there are.
               By hand, other defaults make another trial.
    """
    if _is_current({"steps": 1, **defaults}, has_defaults=bool(defaults)):
        return RunningTrial.current
    make = _trial_of_dlrun if "DLRUN_REPORT_FD" in os.environ else _trial_by_hand
    RunningTrial.current = make(**defaults)
    return RunningTrial.current


def _is_current(wanted, has_defaults):
    now = RunningTrial.current
    return now and (now.is_by_dlrun or not has_defaults or wanted == {**now.params, "steps": now.to_step})


def _trial_by_hand(steps=1, **params):
    seed_generators(0)
    return RunningTrial({"trial": 0, "replicate": 0, "fold": 0, "attempt": 0, "params": params, "seed": 0,
                         "from_step": 0, "to_step": _whole("steps", steps), "folder": "."})


def _trial_of_dlrun(steps=None, **defaults):
    """By the variables that dlrun gives to a program, which say the steps."""
    with Path(os.environ["DLRUN_PARAMS"]).open(encoding="utf-8") as file:
        params = json.load(file)
    numbers = {name: int(os.environ["DLRUN_" + name.upper()])
               for name in ("trial", "replicate", "fold", "attempt", "from_step", "to_step")}
    seed = int(os.environ["DLRUN_SEED"]) + numbers["replicate"]
    seed_generators(seed)
    facts = {**numbers, "params": {**defaults, **params}, "seed": seed, "resume": os.environ.get("DLRUN_RESUME"),
             "init": os.environ.get("DLRUN_INIT"), "folder": os.environ["DLRUN_DIR"]}
    running, own = RunningTrial(facts, Link(int(os.environ["DLRUN_REPORT_FD"]), int(os.environ["DLRUN_CONTROL_FD"]))), os.getpid()
    atexit.register(lambda: running._end(has_returned=False) if os.getpid() == own else None)
    return running


def seed_generators(number):
    """Seeds Python's random, and NumPy, torch and TensorFlow, as far as they are imported."""
    random.seed(number)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(number % 2**32)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(number % 2**63)
    if "tensorflow" in sys.modules:
        sys.modules["tensorflow"].random.set_seed(number % 2**63)


def _make(folder):
    """Makes a folder, and those above it, for this user alone."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _whole(name, value):
    """A whole number, also one of NumPy's."""
    if int(value) != value:
        raise TypeError(f"'{name}' is to be a whole number, not {value!r}")
    return int(value)


_MOST_EXAMPLES, _LONGEST_ID = 1_000_000, 200  # as dlrun takes them


def _example_rows(ids, values):
    """Lines of CSV, by id."""
    ids, values = _listed("ids", ids), [_finite(value) for value in _listed("values", values)]
    if len(ids) != len(values):
        raise ValueError(f"there are {len(ids)} ids, but {len(values)} values")
    if not 0 < len(ids) <= _MOST_EXAMPLES:
        raise ValueError(f"there are {len(ids)} examples; 1 to {_MOST_EXAMPLES} are possible")
    kinds = {isinstance(one, str) for one in ids}
    if len(kinds) > 1:
        raise TypeError("ids are whole numbers or texts, not both")
    by_id = {}
    for one, value in zip(ids if True in kinds else [_whole("id", one) for one in ids], values):
        if one in by_id:
            raise ValueError(f"the id {one!r} is there twice")
        by_id[one] = value
    return [f"{_id_text(one)},{by_id[one]!r}\n" for one in sorted(by_id)]


def _listed(name, items):
    """The elements, also of NumPy's arrays and torch's tensors."""
    items = items.tolist() if hasattr(items, "tolist") else items
    if isinstance(items, (str, bytes, dict)) or not hasattr(items, "__iter__"):
        raise TypeError(f"'{name}' is to be a list, an array or a tensor, not {type(items).__name__}")
    return list(items)


def _finite(value):
    try:
        number = float("" if isinstance(value, (str, bytes)) else value)
    except (TypeError, ValueError):
        raise TypeError(f"'values' is to have a number for each example, not {value!r:.80}") from None
    if not math.isfinite(number):
        raise ValueError(f"the value of an example is to be finite, not {number}")
    return number


def _id_text(one):
    if not isinstance(one, str):
        return str(one)
    is_text = all(c >= " " and not "\ud800" <= c <= "\udfff" for c in one)
    if not is_text or not 0 < len(one.encode()) <= _LONGEST_ID:
        raise ValueError(f"an id is a text of 1 to {_LONGEST_ID} bytes without control characters, not {one[:50]!r}")
    return '"' + one.replace('"', '""') + '"' if set(one) & set(',"') else one
