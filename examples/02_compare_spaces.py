"""Which space of two dimensions fits a graph? A tree wants room, a ring wants to close up."""

import riemap

for spec in ("tree(r=3,h=3)", "cycle(n=30)"):
    graph = riemap.generate(spec)
    print(f"{spec}: average distortion")
    for space in ("E2", "H2", "S2"):
        fit = riemap.embed(graph, space, loss="ad", epochs=600, seed=0)
        print(f"  {space}  {riemap.evaluate(fit.embedding, graph)['ad']:.3f}")
