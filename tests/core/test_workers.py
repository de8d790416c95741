"""Threads that share work: every piece is done once, errors are raised, and unneeded threads end."""

from __future__ import annotations

import gc
import os
import threading

import pytest

from sackarmies_env.core.workers import Workers


@pytest.mark.parametrize("num_threads", [1, 2, 5])
def test_every_piece_is_done_once(num_threads):
    workers = Workers(num_threads)
    for num_pieces in (0, 1, 2, 100):
        done = []
        workers.share(done.append, num_pieces)
        assert sorted(done) == list(range(num_pieces))


def test_work_is_shared():
    names = set()
    barrier = threading.Barrier(2, timeout=30)

    def work(piece):
        barrier.wait()  # passes only if two threads are at work at once
        names.add(threading.current_thread().name)

    Workers(2).share(work, 2)
    assert names == {"batch-1", threading.current_thread().name}


@pytest.mark.parametrize("bad", [0, 7])
def test_errors_reach_the_caller_after_all_other_work(bad):
    workers, done = Workers(3), []

    def work(piece):
        if piece == bad:
            raise ValueError(f"piece {piece}")
        done.append(piece)

    with pytest.raises(ValueError, match=f"^piece {bad}$"):
        workers.share(work, 10)
    assert sorted(done) == [piece for piece in range(10) if piece != bad]
    workers.share(done.append, 2)  # the next work is done as usual
    assert len(done) == 11


def test_threads_end_with_their_owner():
    others = set(threading.enumerate())
    workers = Workers(4)
    assert set(threading.enumerate()) <= others  # they start with the first work
    workers.share(lambda piece: None, 4)
    mine = [thread for thread in threading.enumerate() if thread not in others]
    assert sorted(thread.name for thread in mine) == ["batch-1", "batch-2", "batch-3"]
    del workers
    gc.collect()
    for thread in mine:
        thread.join(30)
    assert not any(thread.is_alive() for thread in mine)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_forked_process_has_its_own_threads():
    workers = Workers(2)
    workers.share(lambda piece: None, 2)
    child = os.fork()
    if child == 0:
        done: list[int] = []
        workers.share(done.append, 50)
        os._exit(0 if sorted(done) == list(range(50)) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
