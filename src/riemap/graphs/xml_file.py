"""Parse XML files of graphs, without entities, and with the line of each element.

The parser refuses documents that define entities, which could expand to fill the memory. It keeps the line
number of each element for messages, which ``xml.etree`` does not.
"""

from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from riemap.errors import InputError
from riemap.graphs.text_file import TextFile, parse_number
from riemap.specs import shown


@dataclass(slots=True)
class Element:
    """An element of the document, with the line where it starts."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: "list[Element]" = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    def all(self, tag: str) -> "list[Element]":
        """Return the children with a tag."""
        return [child for child in self.children if child.tag == tag]


def parse_xml(file: TextFile) -> Element:
    """Parse a document.

    Parameters
    ----------
    file
        The file.

    Returns
    -------
    Element
        The root element. Only elements called ``data`` and ``default`` have their text.

    Raises
    ------
    InputError
        If the document is malformed, or has a DOCTYPE, which may define entities.
    """
    file.require_memory(20, b"<", 300)  # measured: 290 bytes of memory per element, 16 per byte of attributes
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    root = Element("", {}, 0)
    stack = [root]

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag.rpartition(" ")[2], attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def characters(text: str) -> None:
        if stack[-1].tag in ("data", "default"):
            stack[-1].text.append(text)

    def refuse(*_: Any) -> None:
        raise file.error(parser.CurrentLineNumber, "a DOCTYPE, which may define entities, is not accepted")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(file.data, True)
    except expat.ExpatError as error:
        problem = expat.ErrorString(error.code)
        raise file.error(error.lineno, f"malformed XML ({problem}); is the file cut short?") from None
    except InputError:
        raise
    except (LookupError, ValueError) as error:  # of the declared encoding, which is any that Python knows
        raise file.error(1, f"{shown(str(error))}; save the file as UTF-8") from None
    return root.children[0]


def node_numbers(nodes: list[Element], file: TextFile) -> dict[str, int]:
    """Number the nodes of a document by their ids.

    Parameters
    ----------
    nodes
        The elements of the nodes.
    file
        The file, for messages.

    Returns
    -------
    dict
        The number of each node, by its id.
    """
    numbers: dict[str, int] = {}
    for node in nodes:
        name = node.attributes.get("id")
        if name is None or name in numbers:
            raise file.error(node.line, f"the id of this node, {shown(name)}, is missing or repeated")
        numbers[name] = len(numbers)
    return numbers


def edge_ends(edge: Element, nodes: dict[str, int], file: TextFile, example: str) -> tuple[int, int]:
    """Look up the numbers of the two nodes of an edge.

    Parameters
    ----------
    edge
        The element of the edge.
    nodes
        The number of each node, by its id.
    file, example
        The file and a valid edge, for messages.

    Returns
    -------
    tuple
        Both numbers.
    """
    ends = edge.attributes.get("source"), edge.attributes.get("target")
    for name in ends:
        if name not in nodes:
            raise file.error(edge.line, f"this edge names {shown(name)}, which is not a node; {example}")
    return nodes[ends[0] or ""], nodes[ends[1] or ""]


def weight_of_text(text: str, line: int, file: TextFile) -> float:
    """Read the weight of an edge."""
    try:
        return parse_number(text.encode())
    except ValueError:
        raise file.error(line, f"weight {shown(text)} is not a number, e.g. '2.5'") from None
