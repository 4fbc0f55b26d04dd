# SPDX-License-Identifier: Apache-2.0
"""Processes below an interpreter, one for each trial, each with a keeper (`dlrun-worker --keep PID`) as its parent.

The keeper is a process below the interpreter too, and becomes dlrun-worker when the trial's process is below it. So the two
are to each other as a program and the keeper that started it.
"""
import ctypes
import fcntl
import gc
import json
import os
import signal
import socket

_REQUESTS = 3  # descriptor: each byte comes with the keeper's two descriptors
_PLACES = (1, 2, 3, 4)  # of output, errors, reports and what dlrun says, in a trial's process
_DEATH_SIGNAL, _SUBREAPER = 1, 36  # of prctl(2)
_ABOVE = 64  # descriptors from here on are in nobody's way
_prctl = ctypes.CDLL(None, use_errno=True).prctl


def serve(worker):
    """Answers each request with the number of a keeper. Returns in the process of a trial."""
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
    """The answer to a request; None in the process of a trial."""
    try:
        keeper = os.fork()
    except OSError as fault:
        return {"fault": fault.strerror}
    return _begin(worker, given) if keeper == 0 else {"pid": keeper}


def _begin(worker, given):
    """In the process that becomes the keeper, and in the trial's below."""
    try:
        os.setpgid(0, 0)
        _prctl(_SUBREAPER, ctypes.c_ulong(1))
        ends = [os.pipe(), os.pipe(), os.pipe(), os.pipe()[::-1]]
        keeper, trial = os.getpid(), os.fork()
        if trial != 0:
            _place([*given, *(ours for ours, _ in ends)], range(3, 9))
            os.execv(worker, [worker, "--keep", str(trial)])
        os.setpgid(0, 0)
        _prctl(_DEATH_SIGNAL, ctypes.c_ulong(signal.SIGKILL))
        if os.getppid() == keeper:
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


def _place(descriptors, places):
    """Duplicates descriptors to their places, none over another one."""
    above = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _ABOVE) for fd in descriptors]
    for fd, place in zip(above, places):
        os.dup2(fd, place)
        os.close(fd)
