"""Read Parquet and Feather files, with pyarrow."""

from riemap.errors import InputError
from riemap.graphs.compression import LESS_MEMORY, refuse_bomb
from riemap.graphs.convert_tables import edges_of_frame
from riemap.graphs.options import ReadOptions
from riemap.graphs.raw_edges import RawEdges
from riemap.graphs.text_file import TextFile
from riemap.memory import require
from riemap.specs import shown


def read_columnar(file: TextFile, options: ReadOptions) -> RawEdges:
    """Read a table of edges. Its columns are named as in a CSV file, e.g. source, target and weight."""
    try:
        import pyarrow as pa
        from pyarrow import feather, parquet
    except ImportError:
        raise InputError(
            f"{file.filename} needs pyarrow, which is not installed: pip install 'riemap[tables]'"
        ) from None
    try:
        stream = pa.BufferReader(file.data)
        if file.extension == ".parquet":
            facts = parquet.read_metadata(stream)
            _require(facts.num_rows, facts.num_columns, file)
            stream.seek(0)
            table = parquet.read_table(stream)
        else:
            table = feather.read_table(stream)
            refuse_bomb(table.nbytes, len(file.data), file.filename)
            _require(table.num_rows, table.num_columns, file)
        table.validate(full=True)  # texts are UTF-8, and offsets are in range
    except (pa.ArrowException, OSError, ValueError) as error:
        kind = file.extension[1:].capitalize()
        raise InputError(
            f"{file.filename} is not a whole {kind} file: {shown(str(error), 80)}; "
            "pandas.DataFrame.to_parquet writes one"
        ) from None
    names = [name for name in table.column_names if not name.startswith("__index_level_")]  # of pandas
    return edges_of_frame(table.select(names), file.filename, options)


def _require(rows: int, columns: int, file: TextFile) -> None:
    """Check that there is enough memory for a table: up to 100 bytes for each value as a Python object."""
    require(100 * rows * columns, f"{rows:,} rows of {file.filename}", LESS_MEMORY)
