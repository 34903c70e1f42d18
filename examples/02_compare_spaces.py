"""Compare spaces of two dimensions: the hyperbolic plane fits a tree best, and the sphere fits a cycle best.

Needs riemap alone: pip install riemap
"""

import riemap

for spec in ("tree(r=3,h=3)", "cycle(n=30)"):
    graph = riemap.generate(spec)
    print(f"{spec}: average distortion")
    for space in ("E2", "H2", "S2"):
        fit = riemap.embed(graph, space, loss="ad", epochs=600, seed=0)
        print(f"  {space}  {riemap.evaluate(fit.embedding, graph)['ad']:.3f}")
