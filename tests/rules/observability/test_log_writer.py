"""Lines that an output takes, takes in part, refuses, or never takes: whoever writes them never waits and never fails."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import muted

from lastro.observability.log_writer import LineStream, LogWriter, to_descriptor
from lastro_sandbox.child import LogFile
from lastro_sim.log_writer import LogWriter as SimulatorsWriter


class Disk:
    """An output that takes so many bytes, and then none until there is room."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.held = b""

    def put(self, data: memoryview) -> int:
        if not self.room:
            raise OSError(28, "No space left on device")
        taken = min(self.room, len(data))
        self.room -= taken
        self.held += data[:taken]
        return taken


def test_lines_come_in_their_order() -> None:
    disk = Disk(1_000_000)
    writer = LogWriter(disk.put)
    for number in range(1000):
        writer.write(b"%d" % number)
    writer.flush(60)
    assert disk.held == b"".join(b"%d\n" % number for number in range(1000))
    assert writer.lost == 0


def test_what_a_full_disk_refuses_is_counted_and_what_it_has_cut_off_spoils_no_other_line() -> None:
    disk = Disk(7)
    told: list[int] = []
    writer = LogWriter(disk.put, told.append)
    for line in (b"first", b"second", b"third"):
        writer.write(line)
        writer.flush(60)
    assert (disk.held, writer.lost, told) == (b"first\ns", 2, [])
    disk.room = 100
    writer.write(b"fourth")
    writer.flush(60)
    assert (disk.held, writer.lost, told) == (b"first\ns\nfourth\n", 2, [2])
    writer.write(b"fifth")
    writer.flush(60)
    assert told == [2]


def test_an_output_that_stands_holds_nobody_up_and_no_more_than_so_much_waits_for_it() -> None:
    let_go = threading.Event()
    held: list[bytes] = []

    def put(data: memoryview) -> int:
        let_go.wait(60)
        held.append(bytes(data))
        return len(data)

    writer = LogWriter(put, most=10)
    for number in range(1000):
        writer.write(b"%d" % number)
    assert 900 <= writer.lost <= 990
    let_go.set()
    writer.flush(60)
    assert len(b"".join(held).splitlines()) == 1000 - writer.lost


@pytest.mark.parametrize("manner", muted.MANNERS)
def test_a_process_ends_whatever_its_output_does(manner: str) -> None:
    descriptor = muted.output(manner)
    writers = LogWriter(to_descriptor(descriptor)), SimulatorsWriter(descriptor)
    for writer in writers:
        for _ in range(100):
            writer.write(b"{}\n")
        writer.end()  # returns, though a pipe that nobody reads never takes a line
        assert writer.lost == (0 if manner == "standing" else 100)


def test_a_process_without_standard_output_loses_its_lines_and_nothing_else() -> None:
    writer = LogWriter(to_descriptor(None))
    stream = LineStream(writer, None)
    print("a line, and half of", "another", file=stream)
    print("the rest", end="", file=stream)
    stream.end()
    assert writer.lost == 2
    writer.write(b"behind the end")
    assert writer.lost == 3


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def test_a_pipe_that_another_made_unblocking_is_waited_for(pipe: tuple[int, int]) -> None:
    reads, writes = pipe
    os.set_blocking(writes, False)
    writer = LogWriter(to_descriptor(writes))
    for _ in range(1000):
        writer.write(b"x" * 999)
    read = 0
    while read < 1_000_000:
        read += len(os.read(reads, 65536))
    writer.flush(60)
    assert writer.lost == 0


def test_the_supervisor_reads_on_whatever_happens_to_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    with LogFile(folder / "api.log") as file:
        file.keep("nowhere\n")
        folder.mkdir()
        file.keep("somewhere\n")
    assert (folder / "api.log").read_text().splitlines() == [
        "somewhere", '{"event": "log.lines_lost", "level": "warning", "count": 1}',
    ]  # fmt: skip
    with LogFile(Path("/dev/full")) as full:
        for _ in range(3):
            full.keep("x\n")
    assert full.lost == 3
