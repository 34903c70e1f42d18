"""Read JSON with lists of nodes and links, as NetworkX (``node_link_data``) and d3 write it."""

import json
from collections.abc import Hashable
from typing import Any

import numpy as np

from riemap.errors import InputError
from riemap.graphs.columns import WEIGHT_HEADINGS
from riemap.graphs.convert_tables import weights_of_objects
from riemap.graphs.node_names import node_labels, unknown_weight
from riemap.graphs.options import ReadOptions
from riemap.graphs.raw_edges import RawEdges
from riemap.graphs.text_file import TextFile
from riemap.specs import shown

JSON_EXAMPLE = 'e.g. \'{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}\''
"""A valid file, for messages."""

NAME_KEYS = ("label", "name")
"""Keys of a node that may hold its label, in the order in which they are looked for."""


def read_json(file: TextFile, options: ReadOptions) -> RawEdges:
    """Read a JSON file with ``nodes`` and ``links`` (or ``edges``), with the nodes in the order of the file.

    The ends of a link are ids of nodes. If no node has an ``id``, they are positions in the list of nodes, as
    in d3.
    """
    found = _parsed(file)
    nodes, links = _lists(found, file)
    place = "link {}".format
    ids = _ids(nodes, file)
    number = {node: i for i, node in enumerate(ids)}
    ends = np.empty((len(links), 2), np.int64)
    for i, link in enumerate(links):
        for side, key in enumerate(("source", "target")):
            ends[i, side] = _end(link.get(key), number, f"{file.filename}, {place(i)}", key)
    name, weights = _weights(links, options, file)
    names = next((key for key in NAME_KEYS if any(key in node for node in nodes)), "label")
    labels = [node.get(names) if isinstance(node.get(names), str) else None for node in nodes]
    others = dict.fromkeys(key for node in nodes for key in node if key not in ("id", names))
    return RawEdges(
        ends,
        weights_of_objects(weights, place, file.filename, options),
        node_labels(ids, labels, options, file.filename),
        place,
        "directed" if found.get("directed") else "once",
        name,
        {key: [node.get(key) for node in nodes] for key in others if _is_plain(key, nodes)},
    )


def _parsed(file: TextFile) -> dict[str, Any]:
    """Parse the file. Keys that are repeated are refused: all but the last would be lost."""
    file.require_memory(25, b"{", 200)  # measured: 310 bytes per link of 30 bytes, and 21 per byte of lists

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(pairs)
        if len(entries) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise InputError(
                f"{file.filename}: the key {shown(twice)} is there twice in one object; keep one"
            )
        return entries

    try:
        found = json.loads(b"\n".join(file.lines()), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        problem = shown(error.msg)[1:-1]
        raise file.error(error.lineno, f"malformed JSON ({problem}); is the file cut short?") from None
    except InputError:
        raise
    except (RecursionError, ValueError) as error:  # too many brackets, or a number of over 4300 digits
        raise InputError(f"{file.filename} is not JSON that we read: {shown(str(error), 80)}") from None
    if not isinstance(found, dict):
        raise InputError(f"{file.filename} holds no object with nodes and links; {JSON_EXAMPLE}")
    return found


def _lists(found: dict[str, Any], file: TextFile) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Look up the lists of nodes and links."""
    keys = [key for key in ("links", "edges") if key in found]
    if "nodes" not in found or len(keys) != 1:
        there = ", ".join(shown(key) for key in list(found)[:8]) or "nothing"
        raise InputError(
            f"{file.filename} holds {there}; accepted are 'nodes' with 'links' or 'edges', {JSON_EXAMPLE}"
        )
    for key in ("nodes", keys[0]):
        entries = found[key]
        if not isinstance(entries, list):
            raise InputError(f"{file.filename}: {key} is not a list; {JSON_EXAMPLE}")
        for i, entry in enumerate(entries):
            if not isinstance(entry, dict):
                raise InputError(f"{file.filename}, {key}[{i}]: {shown(entry)} is no object; {JSON_EXAMPLE}")
    return found["nodes"], found[keys[0]]


def _ids(nodes: list[dict[str, Any]], file: TextFile) -> list[Hashable]:
    """The ids of the nodes; their positions if no node has one."""
    if not any("id" in node for node in nodes):
        return list(range(len(nodes)))
    seen: set[Hashable] = set()
    for i, node in enumerate(nodes):
        own = node.get("id")
        if not _is_id(own) or own in seen:
            raise InputError(
                f"{file.filename}, nodes[{i}]: the id {shown(own)} is missing, repeated, or no text or number"
            )
        seen.add(own)
    return [node["id"] for node in nodes]


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value == value


def _end(value: Any, number: dict[Hashable, int], where: str, key: str) -> int:
    if isinstance(value, dict) and "id" in value:  # d3 replaces ids by nodes while it draws
        value = value["id"]
    if not _is_id(value) or value not in number:
        raise InputError(f"{where}: {key} {shown(value)} is not the id of a node; {JSON_EXAMPLE}")
    return number[value]


def _weights(links: list[dict[str, Any]], options: ReadOptions, file: TextFile) -> tuple[str, list[Any]]:
    """Find out what the weights are called, and look them up."""
    known = dict.fromkeys(key for link in links for key in link if key not in ("source", "target"))
    if options.weight is not None and options.weight not in known:
        raise unknown_weight(options, list(known), file.filename)
    name = options.weight or next((key for key in WEIGHT_HEADINGS if key in known), "weight")
    return name, [link.get(name) for link in links]


def _is_plain(key: str, nodes: list[dict[str, Any]]) -> bool:
    """Whether the values of a key are texts or numbers, or missing."""
    return all(node.get(key) is None or isinstance(node[key], str | int | float) for node in nodes)
