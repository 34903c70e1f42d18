"""A real Ray cluster on loopback, for tests and benchmarks."""

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

from own_network import loopback_only

NODE: Any = {"num_cpus": 1, "object_store_memory": 80 << 20}


@contextmanager
def ray_nodes(count: int, node: Any = NODE) -> Iterator[Any]:
    """Start so many nodes; nothing is written outside of a temporary folder, and no process is left."""
    from ray.cluster_utils import Cluster

    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        # Ray notes the address of a cluster below this folder, whatever `temp_dir` says. Its workers are nice
        # unless told otherwise, and wait for long on a busy machine.
        mock.patch.dict(os.environ, {"RAY_TMPDIR": folder, "RAY_worker_niceness": "0"}),
        loopback_only() as alone,
    ):
        found: Any = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
        assert not alone or found.address.startswith("127.0.0.1:")
        for _ in range(count - 1):
            found.add_node(**node)
        try:
            yield found
        finally:
            left = children(found)
            for each in found.list_all_nodes():
                each.kill_all_processes(check_alive=False, allow_graceful=False)
            for pid in left:  # Ray's own agents outlive the process that started them
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def children(nodes: Any) -> dict[int, bytes]:
    """Processes that the nodes have started, and what they call themselves."""
    parents = {str(n.all_processes["raylet"][0].process.pid) for n in nodes.list_all_nodes()}
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (folder / "stat").read_text().rpartition(")")[2].split()[1] in parents:
                found[int(folder.name)] = (folder / "cmdline").read_bytes()
    return found
