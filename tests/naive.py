"""Slow, obvious versions of fast functions, written from their definitions."""

import os
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
from scipy import special, stats


def layers(distances, u):
    """Return the layer of each node as seen from ``u``: 1 for the nearest nodes, 2 for the next nearest, …"""
    lengths = sorted({d for v, d in enumerate(distances[u]) if v != u})
    return [0 if v == u else 1 + lengths.index(d) for v, d in enumerate(distances[u])]


def f1_curve(distances, sqdist):
    """Return F1@k for every layer k, and the number of pairs in it."""
    n = len(distances)
    found = {}
    for u in range(n):
        layer = layers(distances, u)
        visited = []
        for v in sorted((v for v in range(n) if v != u), key=lambda v: (sqdist[u][v], v)):
            visited.append(v)
            k = layer[v]
            good = [w for w in visited if layer[w] <= k]
            wanted = [w for w in range(n) if 1 <= layer[w] < k] + [w for w in visited if layer[w] == k]
            precision, recall = len(good) / len(visited), len(good) / len(wanted)
            found.setdefault(k, []).append(2 * precision * recall / (precision + recall))
    return [np.mean(found[k]) for k in sorted(found)], [len(found[k]) for k in sorted(found)]


def area_under(curve):
    """Return the mean area of the trapezoids between consecutive layers."""
    areas = [(a + b) / 2 for a, b in pairwise(curve)]
    return sum(areas) / len(areas) if areas else curve[0]


def mean_average_precision(graph, sqdist):
    """Return the mean average precision by a loop over nodes and their neighbours."""
    total = 0.0
    for u in range(graph.n):
        neighbours = set(graph.indices[graph.indptr[u] : graph.indptr[u + 1]].tolist())
        precisions = []
        for v in neighbours:
            ball = {w for w in range(graph.n) if w != u and sqdist[u][w] <= sqdist[u][v]}
            precisions.append(len(neighbours & ball) / len(ball))
        total += np.mean(precisions)
    return total / graph.n


def pair_scores(distances, sqdist):
    """Return the metrics that are computed over all pairs."""
    upper = np.triu_indices(len(distances), 1)
    g = distances[upper] / distances.max()
    d = np.sqrt(sqdist[upper])
    ratio = d / g
    candidates = [np.mean(np.abs(ratio / r - 1.0)) for r in ratio if r > 0.0]
    return {
        "ad": np.mean(np.abs(d - g) / g),
        "ad_rescaled": min(candidates, default=1.0),
        "worst": ratio.max() / ratio.min() if ratio.min() > 0.0 else np.inf,
        "stress": np.sqrt(np.sum((d - g) ** 2) / np.sum(g**2)),
        "pearson": stats.pearsonr(d, g).statistic if np.ptp(d) and np.ptp(g) else None,
        "spearman": stats.spearmanr(d, g).statistic if np.ptp(d) and np.ptp(g) else None,
    }


def as_edges(graph):
    """Return the length of every edge, by the labels of its ends."""
    lengths = np.ones(2 * graph.m) if graph.weights is None else graph.weights
    source = np.repeat(np.arange(graph.n), graph.degrees)
    ends = zip(source, graph.indices, lengths, strict=True)
    return {frozenset((graph.labels[i], graph.labels[j])): float(w) for i, j, w in ends}


def shortest_paths(graph):
    """Return all distances by NetworkX, one pair at a time."""
    other = nx.Graph()
    number = {label: i for i, label in enumerate(graph.labels)}
    for ends, weight in as_edges(graph).items():
        other.add_edge(*(number[label] for label in ends), weight=weight)
    lengths = dict(nx.all_pairs_dijkstra_path_length(other))
    return np.array([[lengths[u][v] for v in range(graph.n)] for u in range(graph.n)])


def others(row, i):
    """Return the entries of row ``i`` without the diagonal."""
    return np.delete(np.asarray(row), i)


def stress(target, sqdist):
    """Return the mean squared difference of distances, pair by pair."""
    n = len(target)
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    return np.mean([(np.sqrt(target[i][j]) - np.sqrt(sqdist[i][j])) ** 2 for i, j in pairs])


def distortion(target, sqdist, power=1.0):
    """Return the mean of |(sqdist/target)^power - 1|, pair by pair."""
    n = len(target)
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    return np.mean([abs((sqdist[i][j] / target[i][j]) ** power - 1.0) for i, j in pairs])


def rsne(target, sqdist, T, exclusive=False):
    """Return the mean divergence of two softmaxes, by SciPy."""
    found = []
    for i in range(len(target)):
        p, q = special.softmax(-others(target[i], i) / T), special.softmax(-others(sqdist[i], i))
        found.append(stats.entropy(q, p) if exclusive else stats.entropy(p, q))
    return np.mean(found)


def neighbourhood(target, sqdist):
    """Return the negative log-likelihood of each edge against the pairs that are not edges."""
    n, dist = len(target), np.sqrt(sqdist)
    least = min(others(target[i], i).min() for i in range(n))
    total = 0.0
    for i in range(n):
        strangers = [np.exp(-dist[i][k]) for k in range(n) if target[i][k] > least * (1 + 1e-9)]
        for j in range(n):
            if j != i and target[i][j] <= least * (1 + 1e-9):
                near = np.exp(-dist[i][j])
                total -= np.log(near / (near + sum(strangers)))
    return total / n


def edges(target, sqdist, T):
    """Return the smooth excess of each edge over the pairs of its node that are no edges."""
    n, dist = len(target), np.sqrt(sqdist)
    least = min(others(target[i], i).min() for i in range(n)) * (1 + 1e-9)
    tau, found = T * np.sqrt(least), []
    for i in range(n):
        near = [j for j in range(n) if j != i and target[i][j] <= least]
        far = [k for k in range(n) if target[i][k] > least]
        costs = [special.logsumexp([0.0, *((dist[i][j] - dist[i][k]) / tau for k in far)]) for j in near]
        found.append(tau * np.mean(costs) if near else 0.0)
    return np.mean(found)


def linked(distances, threshold):
    """Return the graph of all pairs at less than a threshold, pair by pair."""
    graph = nx.Graph()
    graph.add_nodes_from(range(len(distances)))
    for u in range(len(distances)):
        for v in range(u):
            if distances[u][v] < threshold:
                graph.add_edge(u, v)
    return graph


def deltas(distances):
    """Return δ of every quadruple, by the four-point condition."""
    d, found = distances, []
    for a, b, c, e in combinations(range(len(d)), 4):
        sums = sorted([d[a][b] + d[c][e], d[a][c] + d[b][e], d[a][e] + d[b][c]])
        found.append((sums[2] - sums[1]) / 2)
    return found


def ricci(graph, alpha):
    """Return the Ollivier-Ricci curvature of every edge, by POT; the limit α → 1 is taken at 0.99."""
    os.environ.setdefault("POT_BACKEND_DISABLE_PYTORCH", "1")  # importing PyTorch takes seconds
    import ot

    stays = min(alpha, 0.99)
    distances, measures = shortest_paths(graph), np.zeros((graph.n, graph.n))
    for x in range(graph.n):
        near = graph.indices[graph.indptr[x] : graph.indptr[x + 1]]
        measures[x, near] = (1 - stays) / len(near)
        measures[x, x] = stays
    edges = graph.edges()
    kappa = [1 - ot.emd2(measures[x], measures[y], distances) / distances[x, y] for x, y in edges]
    return np.array(kappa) / (1 - stays if alpha == 1 else 1)


def sectional(graph, ends=False):
    """Return the deviations from the parallelogram law at each node, for all pairs of its neighbours."""
    d, found = shortest_paths(graph), []
    for m in range(graph.n):
        values = []
        near = graph.indices[graph.indptr[m] : graph.indptr[m + 1]]
        for y, z in combinations(near, 2):
            seen_from = [x for x in range(graph.n) if x != m and (ends or x not in (y, z))]
            squares = [d[x, m] ** 2 + d[y, z] ** 2 / 4 - (d[x, y] ** 2 + d[x, z] ** 2) / 2 for x in seen_from]
            values.append(np.mean([k / (2 * d[x, m]) for k, x in zip(squares, seen_from, strict=True)]))
        found.append(values)
    return found
