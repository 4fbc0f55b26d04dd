# SPDX-License-Identifier: Apache-2.0
"""Interpreter of trials of kind `python`, as dlrun-worker starts it: run.py fork WORKER FILE FUNCTION, or
run.py serve FILE FUNCTION

The interpreter imports the file once. `fork`: a trial is a process below it, so that no trial can depend on those before it
(forking.py). `serve`: it runs the trials itself, one after another. A trial begins with a line of facts on descriptor 4, and says what it
measured on descriptor 3; then {"fault": …} if it failed, and {"done": exit code} when it is over.
"""
import atexit
import importlib.util
import os
import signal
import sys
import threading
import traceback
import weakref
from pathlib import Path

OWN = Path(__file__).resolve().parent
_MOST_SAID = 1000  # characters of an exception in a message


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
        self._function, self._trial, self._is_child = function, None, False
        self._link = dlrun.Link(3, 4)
        self._before_fork = threading.local()
        os.register_at_fork(before=self._hold_signal, after_in_parent=self._let_signal, after_in_child=self._in_child)

    def next(self, beginning=None):
        """Facts of the next trial and the lines behind them; None: there is none.

        beginning   bytes that were read already
        """
        try:
            while True:
                lines = self._link.cut(beginning) if beginning else self._link.lines(wait=True)
                beginning = None
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
        code = self._call(facts["objective"])
        if self._is_child:  # of a fork in the function, which did not end there
            flush()
            os._exit(code & 0xFF)
        self._trial._link, self._trial._has_ended = None, True  # for threads of it that live on
        self._trial = dlrun.RunningTrial.current = None
        flush()
        return code

    def over(self, code):
        self._link.say({"done": code})

    def end(self, *_):
        """The handler of SIGTERM: the function is left, as by an exception."""
        if self._trial is None:
            os._exit(0)
        if not self._trial._has_ended:
            self._trial._has_ended = True
            raise dlrun.Ended("the trial was ended")

    def _call(self, objective):
        try:
            self._tell(self._function(self._trial), objective)
            if not self._is_child:
                self._trial._end()
            return 0
        except dlrun.Ended:
            return 0
        except SystemExit as end:
            return exit_code(end)
        except BaseException as fault:
            return self._fail(fault)

    def _in_child(self):
        """A process that the function has forked is no interpreter: SIGTERM ends it, also one that came meanwhile."""
        self._is_child = True
        if threading.current_thread() is threading.main_thread():  # which a forking thread is from now on
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self._let_signal()

    def _hold_signal(self):
        self._before_fork.mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])

    def _let_signal(self):
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before_fork.mask)

    def _tell(self, value, objective):
        if value is None or self._is_child or self._trial._has_ended:
            return
        if not isinstance(value, dict):
            try:
                value = {objective: float(value)}
            except (TypeError, ValueError):
                raise TypeError(f"the function returned {type(value).__name__}; it may return a number, a dict of "
                                "metrics or nothing") from None
        self._trial.result(value)

    def _fail(self, fault):
        own = (__file__, "<frozen")
        while fault.__traceback__.tb_next and fault.__traceback__.tb_frame.f_code.co_filename.startswith(own):
            fault.__traceback__ = fault.__traceback__.tb_next
        traceback.print_exception(type(fault), fault, fault.__traceback__)
        if not self._is_child:
            self._link.say({"fault": one_line(fault, self._function.file), "oom": isinstance(fault, MemoryError)})
        return 1


def one_line(fault, file):
    """For a message: what it is, and the line of the user's file in which it arose."""
    name = type(fault).__name__
    parts = [part.strip() for part in traceback.format_exception_only(type(fault), fault)]  # a place before, notes behind
    text = next((part for part in parts if name in part.split(":")[0]), parts[-1]).splitlines()
    lines = [frame.lineno for frame in traceback.extract_tb(fault.__traceback__) if frame.filename == file]
    if isinstance(fault, SyntaxError) and fault.filename == file:
        lines.append(fault.lineno)
    place = f" ({os.path.basename(file)}, line {lines[-1]})" if lines else ""
    said = (text[0] if text else name)[:_MOST_SAID].encode("utf-8", "replace").decode()
    return said + place


def exit_code(end):
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


def forget_exits():
    """The ends of things that the import began are the interpreter's, not those of each process below it."""
    atexit._clear()
    for finalizer in list(weakref.finalize._registry):
        finalizer.atexit = False
    atexit.register(weakref.finalize._exitfunc)
    if "logging" in sys.modules:
        atexit.register(sys.modules["logging"].shutdown)
    if "multiprocessing.util" in sys.modules:
        atexit.register(sys.modules["multiprocessing.util"]._exit_function)


def leave(code):
    """Ends a process below the interpreter. What the interpreter would take apart there is shared, and would be copied."""
    name_threads()
    threading._shutdown()  # waits for threads, as the end of a program does
    atexit._run_exitfuncs()  # of the trial: forget_exits()
    flush()
    os._exit(code & 0xFF)


def name_threads():
    """Says which threads the process waits for: their trial seems to hang."""
    left = [one.name for one in threading.enumerate() if not one.daemon and one is not threading.current_thread()]
    if left:
        print(f"dlrun: the function is over, but its process waits for threads that are no daemons: {', '.join(left)}",
              file=sys.stderr, flush=True)


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass


def main():
    *words, file, name = sys.argv[1:]
    sys.argv = [file]
    is_forked = words[0] == "fork"
    if is_forked:  # before the user's file, whose name may be a module's
        forking = load("dlrun.forking", OWN / "forking.py")
    function = Function(file, name)
    if is_forked:
        flush()  # else each process would print it again
        forking.serve(words[1])  # returns below each keeper
        forget_exits()
        reader = forking.each_trial()  # returns in the process of each trial
    trials = Trials(function)
    signal.signal(signal.SIGTERM, trials.end)
    if is_forked:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
        leave(trials.run(*trials.next(forking.received(reader))))
    while (next_one := trials.next()) is not None:
        trials.over(trials.run(*next_one))


if __name__ == "__main__":
    main()
