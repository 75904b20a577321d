"""A Dask cluster makes the very same files, and what is wrong with it is one line."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pypdfium2
import pytest

from kit_builder import gallery, library, run, store, work
from kit_builder.run import Run
from kit_builder.variants import Options
from tests.test_crew import AT_B, LONG, ROOT, SLUGS, STOPPED, add, ended, everywhere, line, said
from tests.test_run import Told, files

# Both say their address as soon as they are connected, so that nobody waits longer than needed.
SCHEDULER = """
import asyncio
from distributed import Scheduler

async def serve():
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()

asyncio.run(serve())
"""
WORKER = """
import asyncio, sys
from distributed import Worker

async def serve():
    async with Worker(
        sys.argv[1], nthreads=int(sys.argv[2]), dashboard=False, local_directory="scratch"
    ) as worker:
        print(worker.address, flush=True)
        await worker.finished()

asyncio.run(serve())
"""


class Network:
    """A scheduler and workers, each a process, on ports that the system chooses.

    Attributes:
        address: of the scheduler.
        workers: their processes.
    """

    def __init__(self, **configuration: str) -> None:
        self._configuration = configuration
        self.workers: list[subprocess.Popen[str]] = []
        self.scheduler, self.address = self._started(SCHEDULER)

    def add(self, path: Path = ROOT, threads: int = 2) -> str:
        """A worker, and the program that lies in a folder; its address."""
        worker, address = self._started(WORKER, self.address, str(threads), path=path)
        self.workers.append(worker)
        return address

    def _started(
        self, code: str, *arguments: str, path: Path = ROOT
    ) -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            env=os.environ | self._configuration | {"PYTHONPATH": f"{Path.cwd()}:{path}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return process, line(process.stdout).strip()

    def end(self) -> None:
        for process in (self.scheduler, *self.workers):
            process.kill()
            process.communicate(timeout=LONG)


@contextmanager
def network(workers: int, **configuration: str) -> Iterator[Network]:
    made = Network(**configuration)
    try:
        for _ in range(workers):
            made.add()
        yield made
    finally:
        made.end()


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four activities, two of them with cards."""
    monkeypatch.chdir(tmp_path)
    Path("activities").mkdir()
    for slug in SLUGS:
        add(slug, slug.upper())
    return tmp_path


def started(*arguments: str, code: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"{code}\nfrom kit_builder.cli import main; main()",
            "build",
            *arguments,
        ],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def here(out: str = "here", executor: Executor | None = None) -> dict[str, bytes]:
    """What a build in this process makes."""
    told = Told()
    order = Run(library.find([Path("activities")]), [], Options())
    with store.opened(Path(out), lambda: None) as opened:
        run.run(order, opened, told, executor, ahead=99)
    assert told.faults == []
    return files(Path(out))


def test_all_workers_with_all_their_threads_make_the_bytes_of_one_process() -> None:
    with network(2) as dask:
        assert ended(started("--dask", dask.address)) == (0, said(*SLUGS), "")
        assert files(Path("build")) == here()
        # Nothing is asked of the cluster that is up to date.
        up_to_date = said(made="8 PDFs in build, all up to date")
        assert ended(started("--dask", dask.address)) == (0, up_to_date, "")
        # Nor does it remember what was made of other texts.
        add("b", "Bears")
        made = said("b", made="8 PDFs in build: 2 made, 6 up to date")
        assert ended(started("--dask", dask.address)) == (0, made, "")
        assert files(Path("build")) == here()


def test_threads_of_one_process_do_not_disturb_each_other() -> None:
    for number in range(8):
        add(f"kit-{number}", f"Kit {number}")
    usual = here()
    work._prepared.cache_clear()
    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            assert here("threads", threads) == usual
    finally:
        sys.setswitchinterval(switching)


def test_no_two_threads_ask_pdfium_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pdf = here()["player/a.pdf"]
    usual = gallery.pictures(pdf, [0, 1])
    together = threading.Barrier(2)
    open_document = pypdfium2.PdfDocument

    def alone(raw: bytes) -> object:
        with pytest.raises(threading.BrokenBarrierError):
            together.wait(0.2)  # in vain, since nobody else comes
        return open_document(raw)

    monkeypatch.setattr(pypdfium2, "PdfDocument", alone)
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(gallery.pictures, [pdf] * 2, [[0, 1]] * 2)) == [usual] * 2


DIE_ONCE = """
        try:
            os.close(os.open("died", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_worker_that_is_killed_is_replaced_by_another() -> None:
    everywhere(AT_B.format(happens=DIE_ONCE))
    with network(2) as dask:
        assert ended(started("--dask", dask.address)) == (0, said(*SLUGS), "")
        assert Path("died").exists()
        assert files(Path("build")) == here()


# A worker has one job at a time, and has handed over the one before, so that it is plain which job
# killed it; and once is enough.
ONE_EACH = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_SATURATION": "1.0",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
}


KILL_LATER = """
        while not os.path.exists("build/host/a.host.pdf"):
            os.sched_yield()
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_job_that_kills_its_workers_is_named_and_the_rest_goes_on() -> None:
    everywhere(AT_B.format(happens=KILL_LATER))
    with network(0, **ONE_EACH) as dask:
        for _ in range(2):
            dask.add(threads=1)
        code, out, err = ended(started("--dask", dask.address))
    assert (code, out) == (1, said("a", "c", "d", made="6 PDFs in build"))
    assert err == (
        "activities/b.yaml: the process that made player/b.pdf was killed; "
        "free memory, and build again; or build with --jobs 1\n\n1 fault\n"
    )


def test_a_scheduler_that_is_lost_is_one_fault_and_what_was_made_stays() -> None:
    everywhere(AT_B.format(happens="signal.pause()"))
    with network(1) as dask:
        building = started("--dask", dask.address)
        assert line(building.stdout) == "a: player 2 pages, host 2 pages\n"
        dask.scheduler.kill()
        code, _, err = ended(building)
    assert (code, err) == (
        1,
        f"the Dask scheduler at {dask.address} does not answer any more; "
        "start it, and build again: what is done is not done again\n\n1 fault\n",
    )
    assert {"player/a.pdf", "host/a.host.pdf"} <= set(files(Path("build")))
    made = said("b", "c", "d", made="8 PDFs in build: 6 made, 2 up to date")
    assert ended(started("--jobs", "1")) == (0, made, "")


def test_ctrl_c_does_not_wait_for_the_cluster_which_goes_on() -> None:
    everywhere(AT_B.format(happens="signal.pause()"))
    with network(1) as dask:
        building = started("--dask", dask.address)
        line(building.stdout)
        os.killpg(building.pid, signal.SIGINT)
        code, _, err = ended(building)
        assert (code, err) == (130, STOPPED)
        # One of the two threads is still at it, the other makes the rest.
        assert ended(started("activities/c.yaml", "--out", "c", "--dask", dask.address))[0] == 0


def test_a_worker_with_another_program_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other"
    without = shutil.ignore_patterns("__pycache__")
    for name in ("kit_builder", "templates", "fonts"):
        shutil.copytree(ROOT / name, other / name, ignore=without)
    with (other / "kit_builder" / "units.py").open("a") as code:
        code.write("# another\n")
    with network(1) as dask:
        address = dask.add(other)
        assert ended(started("--dask", dask.address)) == (
            1,
            "",
            f"the Dask worker {address} has another Kit Builder, or other libraries; "
            "install the same on all machines\n\n1 fault\n",
        )
    assert files(Path("build")) == {}


def test_a_scheduler_without_workers_is_one_fault() -> None:
    with network(0) as dask:
        assert ended(started("--dask", dask.address)) == (
            1,
            "",
            f"the Dask scheduler at {dask.address} has no workers; "
            f"start some: dask worker {dask.address}\n\n1 fault\n",
        )


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "http://x", "tls://x:1"])
def test_where_no_scheduler_answers_is_one_fault(address: str) -> None:
    impatient = "from kit_builder import cluster; cluster._PATIENCE = 0.1"
    assert ended(started("--dask", address, code=impatient)) == (
        1,
        "",
        f"no Dask scheduler answers at {address}; "
        "start one (dask scheduler), and write the address that it tells\n\n1 fault\n",
    )


def test_without_dask_it_is_told_how_to_install_it() -> None:
    absent = "import sys; sys.modules['distributed'] = None"
    code, _, err = ended(started("--dask", "tcp://127.0.0.1:9", code=absent))
    assert (code, err.splitlines()[0]) == (
        1,
        "--dask needs Dask, which is not installed; "
        'install it with: pip install "kit-builder[cluster]"',
    )


def test_a_cluster_has_its_own_number_of_jobs() -> None:
    code, _, err = ended(started("--dask", "tcp://127.0.0.1:9", "--jobs", "2"))
    assert (code, err) == (
        2,
        "Invalid value for --jobs: the cluster has its own; leave out --dask or --jobs\n",
    )
