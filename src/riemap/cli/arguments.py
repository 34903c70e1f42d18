"""Arguments that several verbs take, each spelled and explained once."""

from typing import Annotated, TypeAlias

import typer

GraphText: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        help="A file of edges, a dataset such as karate, or a generator such as 'tree(r=4,h=5)'.",
        show_default=False,
    ),
]
Symmetrise: TypeAlias = Annotated[
    bool, typer.Option("--symmetrise", help="Take a directed graph, and forget its directions.")
]
Whole: TypeAlias = Annotated[
    bool,
    typer.Option("--whole", help="Refuse a graph in several pieces instead of keeping the largest."),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
