"""One run on a cluster: which runs can be shared out, and what they need there."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from riemap.errors import InputError
from riemap.runs.spec import RunSpec
from riemap.training.ray_cluster import RayWorkers, ray_workers


@contextmanager
def workers_for(specs: Sequence[RunSpec], address: str | None) -> Iterator[RayWorkers | None]:
    """Join a cluster for some runs.

    Parameters
    ----------
    specs
        The runs.
    address
        Address of a Ray cluster, ``host:port``, or ``auto``; ``None`` or an empty text for this process.

    Yields
    ------
    RayWorkers or None
        The workers of the cluster; ``None`` does the tasks of a run in this process.

    Raises
    ------
    InputError
        If a run takes all pairs of nodes, if Ray is not installed, or if no cluster answers.
    """
    if not address:
        yield None
        return
    for spec in specs:
        if spec.sampler != "landmarks":
            raise InputError(
                f"a cluster (--ray {address}) shares out a run with landmarks, and {spec.graph} in "
                f"{spec.space} takes all pairs of nodes; --sampler landmarks asks for the former (in Python, "
                "sampler='landmarks')"
            )
    with ray_workers(address) as workers:
        yield workers
