# SPDX-License-Identifier: Apache-2.0
"""Interpreter of trials of kind `python`, as dlrun-worker starts it: run.py fork WORKER FILE FUNCTION, or
run.py serve FILE FUNCTION

It imports the file once. `fork`: a trial is a process below it, so that no trial can depend on those before it (forking.py).
`serve`: it runs the trials itself, one after another. A trial begins with a line of facts on descriptor 4, and says what it
measured on descriptor 3; then {"fault": …} where it failed, and in `serve` {"done": exit code}.
"""
import atexit
import importlib.util
import os
import signal
import sys
import threading
import traceback
from pathlib import Path

OWN = Path(__file__).resolve().parent


def load(name, path, **more):
    """The module of a file, by this name for all that import it."""
    spec = importlib.util.spec_from_file_location(name, path, **more)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


dlrun = load("dlrun", OWN / "__init__.py", submodule_search_locations=[str(OWN)])


class Function:
    """The study's function, imported with its file. What went wrong there is raised by each trial, for its own log."""

    def __init__(self, file, name):
        self.file, self._name, self._fault = file, name, None
        sys.path[0] = os.path.dirname(file)
        try:
            self._module = load(Path(file).stem, file)
        except (Exception, SystemExit) as fault:
            self._fault = fault

    def __call__(self, trial):
        if self._fault:
            raise self._fault
        function = self._module
        for part in self._name.split("."):
            function = getattr(function, part)
        return function(trial)


class Trials:
    """Runs trials in this process."""

    def __init__(self, function):
        self._function, self._trial = function, None
        self._link = dlrun.Link(3, 4)

    def next(self):
        """Facts of the next trial and the lines behind them; None: there is none."""
        try:
            while True:
                lines = self._link.lines(wait=True)
                for i, line in enumerate(lines):
                    if "trial" in line:
                        return line, lines[i + 1:]
        except dlrun.Ended:
            return None

    def run(self, facts, lines):
        """Runs one. Returns an exit code."""
        os.environ.update(facts["env"])
        dlrun.seed_generators(facts["seed"])
        self._trial = dlrun.RunningTrial.current = dlrun.RunningTrial(facts, self._link)
        self._trial._hear(lines)
        try:
            self._tell(self._function(self._trial), facts["objective"])
            return 0
        except dlrun.Ended:
            return 0
        except SystemExit as end:
            return exit_code(end)
        except BaseException as fault:
            return self._fail(fault)
        finally:
            self._trial = dlrun.RunningTrial.current = None
            flush()

    def over(self, code):
        self._link.say({"done": code})

    def end(self, *_):
        """The handler of SIGTERM: the function is left, as by an exception."""
        if self._trial is None:
            os._exit(0)
        if not self._trial._has_ended:
            self._trial._has_ended = True
            raise dlrun.Ended("the trial was ended")

    def _tell(self, value, objective):
        if value is not None and not self._trial._has_ended:
            self._trial.result(value if isinstance(value, dict) else {objective: value})

    def _fail(self, fault):
        own = (__file__, "<frozen")
        while fault.__traceback__.tb_next and fault.__traceback__.tb_frame.f_code.co_filename.startswith(own):
            fault.__traceback__ = fault.__traceback__.tb_next
        traceback.print_exception(type(fault), fault, fault.__traceback__)
        self._link.say({"fault": one_line(fault, self._function.file), "oom": isinstance(fault, MemoryError)})
        return 1


def one_line(fault, file):
    """For a message: what it is, and the line of the user's file in which it arose."""
    text = traceback.format_exception_only(type(fault), fault)[-1].strip().splitlines()
    lines = [frame.lineno for frame in traceback.extract_tb(fault.__traceback__) if frame.filename == file]
    if isinstance(fault, SyntaxError) and fault.filename == file:
        lines.append(fault.lineno)
    place = f" ({os.path.basename(file)}, line {lines[-1]})" if lines else ""
    return (text[0] if text else type(fault).__name__) + place


def exit_code(end):
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


def leave(code):
    """Ends a process below the interpreter. What the interpreter would take apart there is shared, and would be copied."""
    threading._shutdown()  # waits for threads, as the end of a program does
    atexit._run_exitfuncs()
    flush()
    os._exit(code & 0xFF)


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass


def main():
    *words, file, name = sys.argv[1:]
    function = Function(file, name)
    if words[0] == "fork":
        flush()  # else each process would print it again
        load("dlrun.forking", OWN / "forking.py").serve(words[1])  # returns in the process of each trial
    trials = Trials(function)
    signal.signal(signal.SIGTERM, trials.end)
    while (next_one := trials.next()) is not None:
        code = trials.run(*next_one)
        if words[0] == "fork":
            leave(code)
        trials.over(code)


if __name__ == "__main__":
    main()
