# SPDX-License-Identifier: Apache-2.0
"""Processes below an interpreter that has imported the study's file, which three kinds of process share:

- The interpreter starts a keeper (`dlrun-worker --keep PID`) and a server below it when dlrun-worker asks for them.
- A server forks a process for each trial of its keeper, one after another. The next one is forked before its trial comes.
- The process of a trial runs the function and ends.

A keeper whose trial waits is busy, so each trial that runs beside it needs a keeper and a server more. Rival: a keeper for
each trial, which costs 10 ms of CPU time, because dlrun-worker is loaded anew.
"""
import ctypes
import fcntl
import gc
import json
import os
import signal
import socket

_REQUESTS = 3  # descriptor: each byte comes with the keeper's two descriptors
_PLACES = _, _, _REPORT, _CONTROL = 1, 2, 3, 4  # of output, errors, reports and what dlrun says, below a keeper
_DEATH_SIGNAL, _SUBREAPER = 1, 36  # of prctl(2)
_ABOVE = 64  # descriptors from here on are in nobody's way
_MOST_READ = 1 << 16
_prctl = ctypes.CDLL(None, use_errno=True).prctl


def serve(worker):
    """Answers each request with the number of a keeper. Returns in the server below it."""
    asked, keepers = socket.socket(fileno=_REQUESTS), set()
    asked.set_inheritable(False)
    gc.collect()
    gc.freeze()  # else collecting would copy what the processes share
    while True:
        byte, given, *_ = socket.recv_fds(asked, 1, 2, socket.MSG_CMSG_CLOEXEC)
        if not byte:
            os._exit(0)
        keepers = {pid for pid in keepers if os.waitpid(pid, os.WNOHANG)[0] == 0}
        answer = _start(worker, given)
        if answer is None:
            asked.detach()
            return
        keepers |= {answer["pid"]} if "pid" in answer else set()
        for fd in given:
            os.close(fd)
        asked.sendall((json.dumps(answer) + "\n").encode())


def _start(worker, given):
    """The answer to a request; None in the server."""
    try:
        keeper = os.fork()
    except OSError as fault:
        return {"fault": fault.strerror}
    return _begin(worker, given) if keeper == 0 else {"pid": keeper}


def _begin(worker, given):
    """In the process that becomes the keeper, and in the server below."""
    try:
        os.setpgid(0, 0)
        _prctl(_SUBREAPER, ctypes.c_ulong(1))
        ends = [os.pipe(), os.pipe(), os.pipe(), os.pipe()[::-1]]
        keeper, server = os.getpid(), os.fork()
        if server != 0:
            _place([*given, *(ours for ours, _ in ends)], range(3, 9))
            os.execv(worker, [worker, "--keep", str(server)])
        os.setpgid(0, 0)
        _end_with(keeper)
        _place([theirs for _, theirs in ends], _PLACES)
        for fd in [*given, *(ours for ours, _ in ends), *(theirs for _, theirs in ends)]:
            if fd not in _PLACES:
                os.close(fd)
        for fd in _PLACES[2:]:
            os.set_inheritable(fd, False)
        return None
    except OSError:
        pass  # the keeper's end of the channel is closed, which says it
    os._exit(1)


def each_trial():
    """In a server: forks a process for each trial, and says how it ended. Returns in these processes, each of which finds the
    beginning of its trial at the descriptor that is returned.
    """
    signal.signal(signal.SIGTERM, lambda *_: None)  # it is for the trial
    began = b""
    while True:
        trial, (reader, writer) = _fork_ahead()
        if trial == 0:
            os.close(writer)
            return reader
        os.close(reader)
        began = began or _beginning()
        is_alive = os.waitpid(trial, os.WNOHANG)[0] == 0  # else another one gets the trial, for this one did not have it
        if is_alive:
            _hand(writer, began)
            began = b""
        os.close(writer)
        if is_alive:
            _say_end(*os.wait4(trial, 0)[1:])


def received(reader):
    """The bytes that begin a trial. Ends the process if there is none."""
    got = b""
    while more := os.read(reader, _MOST_READ):
        got += more
    os.close(reader)
    return got or os._exit(0)


def _fork_ahead():
    """As fork(), with a pipe to the new process, which ends with the server and has SIGTERM blocked."""
    for fd in _PLACES:  # a trial may have changed what they share
        os.set_blocking(fd, True)
    ends, server = os.pipe(), os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    trial = os.fork()
    if trial == 0:
        os.setpgid(0, 0)
        _end_with(server)
    else:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    return trial, ends


def _beginning():
    """Bytes up to the line that begins a trial, with what came behind it. Words to the trial before may come first."""
    got = b""
    while not any(b'"trial"' in line for line in got.split(b"\n")[:-1]):
        more = os.read(_CONTROL, _MOST_READ)
        if not more:
            os._exit(0)
        got += more
    return got


def _hand(writer, bytes_):
    try:
        while bytes_:
            bytes_ = bytes_[os.write(writer, bytes_):]
    except BrokenPipeError:
        pass  # it has died, and its status says how


def _say_end(status, used):
    """The line feed in front ends a line that the trial could not finish."""
    facts = {"done": os.WEXITSTATUS(status), "peak_kb": used.ru_maxrss}
    if os.WIFSIGNALED(status):
        facts["signal"] = os.WTERMSIG(status)
    os.write(_REPORT, f"\n{json.dumps(facts)}\n".encode())


def _end_with(parent):
    _prctl(_DEATH_SIGNAL, ctypes.c_ulong(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(1)


def _place(descriptors, places):
    """Duplicates descriptors to their places, none over another one."""
    above = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _ABOVE) for fd in descriptors]
    for fd, place in zip(above, places):
        os.dup2(fd, place)
        os.close(fd)
