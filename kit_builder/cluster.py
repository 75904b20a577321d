"""Jobs on the machines of a Dask cluster. The only module that knows Dask."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager
from typing import Any

from kit_builder import keys
from kit_builder.errors import fault

_PATIENCE = 10  # seconds in which a scheduler must answer


class Cluster(Executor):
    """An executor of all workers of a cluster.

    A call whose workers are killed again and again raises `BrokenExecutor`.

    Attributes:
        size: how many calls are made at once.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self.size = sum(client.ncores().values())

    def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Has a worker make the call."""
        outer: Future[Any] = Future()
        # Two calls with equal texts are two calls: a worker may have been replaced between them.
        inner = self._client.submit(call, *given, pure=False, **named)
        # In the client's own loop: a thread of ours would wait for ever when the client is closed.
        self._client.loop.add_callback(_hand_over, inner, outer)
        return outer


class _LostError(Exception):
    """The scheduler does not answer any more."""


async def _hand_over(inner: Any, outer: Future[Any]) -> None:
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        outer.set_result(await inner)
    except KilledWorker as error:
        outer.set_exception(BrokenExecutor(str(error)))
    except (CancelledError, CommClosedError) as error:
        outer.set_exception(_LostError(str(error)))
    except Exception as error:
        outer.set_exception(error)


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """The cluster whose scheduler is at an address, such as tcp://192.168.1.5:8786.

    Raises:
        KitError: Dask is not installed, no scheduler answers, or not any more, it has no workers,
            or one of them has another version of this program.
    """
    try:
        from distributed import Client
    except ImportError:
        raise fault(
            None,
            "--dask needs Dask, which is not installed",
            'install it with: pip install "kit-builder[cluster]"',
        ) from None
    # It tells of a lost scheduler at length; here that is a fault.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=_PATIENCE)
    except (OSError, TypeError, ValueError) as error:
        raise fault(
            None,
            f"no Dask scheduler answers at {address}",
            "start one (dask scheduler), and write the address that it tells",
        ) from error
    with client:
        _check(client, address)
        try:
            yield Cluster(client)
        except _LostError:
            raise fault(
                None,
                f"the Dask scheduler at {address} does not answer any more",
                "start it, and build again: what is done is not done again",
            ) from None


def _check(client: Any, address: str) -> None:
    """Looks whether all workers would make the bytes that this process makes.

    Raises:
        KitError: they would not.
    """
    try:
        programs = client.run(keys.program)
    except ModuleNotFoundError:
        programs = {"?": ""}
    if not programs:
        raise fault(
            None,
            f"the Dask scheduler at {address} has no workers",
            f"start some: dask worker {address}",
        )
    others = [worker for worker, program in programs.items() if program != keys.program()]
    if others:
        raise fault(
            None,
            f"the Dask worker {others[0]} has another Kit Builder, or other libraries",
            "install the same on all machines",
        )
