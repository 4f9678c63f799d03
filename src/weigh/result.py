"""Results as JSON documents and back, and what every result can do.

A result is a frozen dataclass of plain values: numbers, texts, arrays, sequences, mappings with
text keys, and other such dataclasses. Its fields are its document.
"""

from __future__ import annotations

import math
import sys
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import EnumType
from functools import cache, wraps
from os import PathLike
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from weigh import __version__
from weigh.errors import InputError, MissingExtraError, UsageError, WeighError, WeighWarning
from weigh.wording import REORDERING

if TYPE_CHECKING:
    from weigh.report.view import Depth, View

SCHEMA = "weigh/3"
# Fields that are new since then have their defaults.
_READABLE = (SCHEMA, "weigh/2")
# What is said of a document that no verb can have written.
REMEDY = "give a file that weigh has written"

T = TypeVar("T")
Given = ParamSpec("Given")
Returned = TypeVar("Returned", bound="Result")
Method = TypeVar("Method", bound=Callable[..., Any])

_WORDS = {str: "text", int: "a whole number", bool: "true or false"}
_LONGEST_SHOWN = 40
MOST_DECIMALS = 12  # a double has few more digits
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in REORDERING}
LIBRARIES = ("pandas", "polars", "pyarrow")


@dataclass(frozen=True, slots=True)
class Extent:
    """The size of a test set; it may have no references or no documents.

    Of people's answers, the segments are those that they have judged.
    """

    segments: int
    references: int
    documents: int | None = None


NO_TEST_SET = Extent(0, 0)
"""The default where the extent is unknown."""


class Result:
    """What every result can do: be printed, shown in a notebook, and kept in files.

    `command` is the verb that makes such results; a view in `weigh.report` shows them.
    """

    __slots__ = ()
    command: ClassVar[str]

    def __init_subclass__(cls) -> None:
        # Before the dataclass is made, which would otherwise write a __repr__ with every field.
        cls.__repr__ = Result.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """One line: the kind of result and the lengths of its lists."""
        kind: Any = type(self)
        members = {name: getattr(self, name) for name, _ in saved_members(kind)}
        lists = [f" {name}={len(member)}" for name, member in members.items() if _is_list(member)]
        return f"<{kind.__name__}{''.join(lists)}>"

    def __str__(self) -> str:
        """The table that the command prints."""
        return self.to_text()

    def to_text(self, form: str = "table", depth: Depth = "usual") -> str:
        """The result in a format: table, markdown, latex, tsv or json.

        Tables, Markdown and LaTeX show as much as `depth` says: brief or usual.
        """
        from weigh.report.view import Screen, show

        return show(self, form, Screen(depth=depth))

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """The document that `weigh.load` and other programs read; write it where asked."""
        return _kept(document(self), path)

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """A page that needs nothing but itself; write it where asked."""
        from weigh.report.view import show

        return _kept(show(self, "html"), path)

    def to_frame(self, library: str | None = None) -> Any:
        """The result's list as a data frame: a row per comparison, per score and so on.

        It has the columns of `to_text("tsv")`. The library is pandas, polars or pyarrow: that of
        the data that were given, or else the first that is installed.
        """
        from weigh.report.view import columns

        return _frame(columns(self), library or getattr(self, "library", None))

    def within_page(self) -> Result:
        """The result as a page stores it; data that the page shows elsewhere are left out."""
        return self

    def view(self) -> View:
        """The parts that are shown: headings, grids, sentences and pictures."""
        from weigh.report.view import view

        return view(self)

    def _repr_html_(self) -> str:
        from weigh.report.view import show

        return show(self, "notebook")


def _is_list(value: object) -> bool:
    return isinstance(value, tuple | list) and bool(value) and is_dataclass(value[0])


def _kept(text: str, path: str | PathLike[str] | None) -> str:
    if path is not None:
        from weigh.files import write_whole

        text = text if text.endswith("\n") else f"{text}\n"
        write_whole(path, text.encode("utf-8", "backslashreplace"))
    return text


def _frame(columns: Mapping[str, Sequence[Any]], library: str | None) -> Any:
    from importlib import import_module

    if library is not None and library not in LIBRARIES:
        raise UsageError(f"unsupported library {library!r}; give one of {', '.join(LIBRARIES)}")
    for name in LIBRARIES if library is None else (library,):
        try:
            module = import_module(name)
        except ImportError:
            continue
        make = module.table if name == "pyarrow" else module.DataFrame
        return make({title: _of_one_kind(cells) for title, cells in columns.items()})
    raise MissingExtraError(
        f"a data frame needs {library or 'pandas, polars or pyarrow'}; run pip install "
        f"{library or LIBRARIES[0]}"
    )


def _of_one_kind(cells: Sequence[Any]) -> Sequence[Any]:
    """A column that frames can hold: whole numbers as floats if others are floats.

    In texts, what UTF-8 cannot encode is escaped.
    """
    if {type(cell) for cell in cells} - {types.NoneType} == {int, float}:
        return [None if cell is None else float(cell) for cell in cells]
    return [
        cell.encode("utf-8", "backslashreplace").decode() if isinstance(cell, str) else cell
        for cell in cells
    ]


def library_of(data: Any) -> str | None:
    """The library of a data frame or of a mapping's series, if it is one that is known."""
    if isinstance(data, Mapping):
        data = next(iter(data.values()), None)
    name = type(data).__module__.partition(".")[0]
    return name if name in LIBRARIES else None


def warns(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Make a function warn its caller of what its result remarks on, each once.

    What weigh itself calls is silent: the command prints remarks, and results hold them.
    """

    @wraps(function)
    def warning(*args: Given.args, **options: Given.kwargs) -> Returned:
        result = function(*args, **options)
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.partition(".")[0] != __name__.partition(".")[0]:
            remarks = (*getattr(result, "warnings", ()), *getattr(result, "remarks", ()))
            warn_caller(remarks)
        return result

    return warning


def warn_caller(remarks: Iterable[str]) -> None:
    """Warn the code that called weigh, each remark once."""
    package = __name__.partition(".")[0]
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    for remark in dict.fromkeys(remarks):
        warnings.warn(remark.translate(_ESCAPES), WeighWarning, stacklevel=level)


def unsaved(default: Any = MISSING, *, default_factory: Any = MISSING, compare: bool = True) -> Any:
    """Declare a field of a result that its documents leave out, since it is bulky or follows.

    Where it follows from nothing that is saved, it is not for results to `compare` either.
    """
    return field(
        default=default,
        default_factory=default_factory,
        metadata={"saved": False},
        compare=compare,
        repr=compare,
    )


def sometimes(default: Any = None) -> Any:
    """Declare a field that documents leave out where it has its default: it does not apply."""
    return field(default=default, metadata={"omitted": default})


def derived(method: Method) -> Method:
    """Mark the function of a property whose value follows from fields, and is in documents too."""
    method.__dict__["derived"] = True
    return method


def signature(parts: Mapping[str, object]) -> str:
    """Names and values as one word, the program's version last."""
    named = {**parts, "version": f"weigh-{__version__}"}
    return "|".join(f"{name}:{value}" for name, value in named.items())


def checked(fits: bool, why: str) -> None:
    """Refuse a result whose parts do not fit each other; for `__post_init__`."""
    if not fits:
        raise InputError(f"{why}; {REMEDY}")


def checked_decimals(decimals: int, metric: str) -> None:
    """Refuse to show a metric with more decimals than numbers have."""
    checked(
        0 <= decimals <= MOST_DECIMALS,
        f"{decimals} decimals of {metric!r}, but 0 to {MOST_DECIMALS} can be shown",
    )


def checked_p_value(p_value: float) -> None:
    """Refuse what cannot be a p-value."""
    checked(0 <= p_value <= 1, f"a p_value of {p_value}, which is not from 0 to 1")


def document(result: Result) -> str:
    """A result as JSON, every entry of its lists on a line of its own."""
    return rendered(result.command, result)


def rendered(command: str, value: Any) -> str:
    """A dataclass as a document of weigh's, whether it is a result or not."""
    head = {"schema": SCHEMA, "weigh": __version__, "command": command}
    lines = [
        f"  {_compact(name)}: {_lines(entry)}" for name, entry in (head | encode(value)).items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}"


def _lines(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(f"    {_compact(entry)}" for entry in value) + "\n  ]"
    return _compact(value)


def _compact(value: Any) -> str:
    """A value on one line; characters that reorder the text around them are escaped."""
    import json

    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isascii() else text.translate(_ESCAPES)


def encode(value: Any) -> Any:
    """A value as JSON has it; NaN and infinities are null."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if is_dataclass(value) or hasattr(value, "_fields"):
        return dict(_members_of(value))
    if isinstance(value, Mapping):
        return {_key(key): encode(entry) for key, entry in value.items()}
    if isinstance(value, Sequence):
        return [encode(entry) for entry in value]
    if hasattr(value, "tolist"):  # NumPy's, which need not be imported for this
        return encode(value.tolist())
    raise TypeError(f"{type(value).__name__} cannot be saved in a document")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a mapping with the key {key!r}; documents have texts as keys")
    return key


def _members_of(value: Any) -> Iterator[tuple[str, Any]]:
    kind: Any = type(value)
    for name, default in saved_members(kind):
        member = getattr(value, name)
        # An array is never the default, and cannot be compared with it as a whole.
        if default is MISSING or type(member) is not type(default) or member != default:
            yield name, encode(member)


@cache
def saved_members(kind: Any) -> tuple[tuple[str, Any], ...]:
    """The names that documents hold of a class: its fields, then values derived from them.

    The second of each pair is the value with which a name is left out, or MISSING.
    """
    if not is_dataclass(kind):
        return tuple((name, MISSING) for name in kind._fields)
    members = [
        (member.name, member.metadata.get("omitted", MISSING))
        for member in fields(kind)
        if member.metadata.get("saved", True)
    ]
    return (*members, *((name, MISSING) for name in _derived(kind)))


def _derived(kind: Any) -> Iterator[str]:
    for base in reversed(kind.__mro__):
        for name, member in vars(base).items():
            if isinstance(member, property) and getattr(member.fget, "derived", False):
                yield name


@cache
def saved_types(kind: Any) -> dict[str, Any]:
    """The type of every name that documents hold of a class."""
    derived_types = {
        name: get_type_hints(getattr(kind, name).fget)["return"] for name in _derived(kind)
    }
    return get_type_hints(kind) | derived_types


def parse(text: str, name: str) -> dict[str, Any]:
    """A document of weigh's as it stands, unchecked but for its schema."""
    import json

    try:
        content = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{name}: not JSON ({error}); give a result saved with --format json"
        ) from None
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema == "weigh/1":
        raise InputError(
            f"{name}: a result of weigh 0.1 (schema weigh/1), which this version does not read; "
            "run the command again"
        )
    if schema not in _READABLE:
        raise InputError(
            f"{name}: expected a result with the schema {SCHEMA}, found {shortly(schema)}; "
            "give a result saved with --format json"
        )
    return dict(content)


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON number")


def likeliest(kinds: Iterable[type[T]], document: Mapping[str, Any]) -> type[T]:
    """The kind that knows most of what a document says, and misses least in it."""

    def fit(kind: Any) -> tuple[int, int]:
        shared = sum(name in document for name, _ in saved_members(kind))
        return shared, -sum(needed and name not in document for name, needed in _members(kind))

    return max(kinds, key=fit)


def decode(kind: type[T], value: Any, where: str) -> T:
    """Build a dataclass from JSON, checked against its type hints; `where` is for errors.

    Keys that it does not know are left alone, since later versions may add some.
    """
    decoded: T = _decode(kind, value, where)
    return decoded


def _decode(kind: Any, value: Any, where: str) -> Any:
    origin = get_origin(kind)
    if kind is Any:
        return value
    if origin in (Union, types.UnionType):
        return _decode_union(get_args(kind), value, where)
    if origin is Literal:
        # Of the same type too: 1, 1.0 and true are equal.
        if not any(type(value) is type(choice) and value == choice for choice in get_args(kind)):
            raise _wrong(where, f"one of {', '.join(map(str, get_args(kind)))}", value)
        return value
    if isinstance(kind, EnumType):
        members: list[Any] = list(kind)  # of texts, each of which is its own value
        if value not in members or not isinstance(value, str):
            raise _wrong(where, f"one of {', '.join(map(str, members))}", value)
        return kind(value)
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        return _decode_object(kind, _expect(dict, value, where, "an object"), where)
    if origin is tuple:
        return _decode_tuple(get_args(kind), _expect(list, value, where, "a list"), where)
    if origin in (Sequence, list, Iterable):
        return tuple(_decode_list(get_args(kind)[0], value, where))
    if origin in (dict, Mapping):
        _, of = get_args(kind)
        entries = _expect(dict, value, where, "an object")
        return {key: _decode(of, entry, f"{where}.{_place(key)}") for key, entry in entries.items()}
    # NumPy's alias NDArray is told by its own name since NumPy 2.5.
    if getattr(origin, "__name__", "") in ("ndarray", "NDArray"):
        return _decode_array(kind, _expect(list, value, where, "a list"), where)
    return _decode_plain(kind, value, where)


def _decode_union(kinds: Sequence[Any], value: Any, where: str) -> Any:
    if value is None and types.NoneType in kinds:
        return None
    candidates = [kind for kind in kinds if kind is not types.NoneType]
    if {int, float} <= set(candidates):  # a whole number where it is one, and else any
        candidates.remove(float if isinstance(value, int) else int)
    error: InputError | None = None
    for kind in candidates:
        try:
            return _decode(kind, value, where)
        except InputError as refusal:
            error = error or refusal
    raise error or _wrong(where, "nothing", value)


def _decode_list(kind: Any, value: Any, where: str) -> Iterator[Any]:
    for at, entry in enumerate(_expect(list, value, where, "a list")):
        yield _decode(kind, entry, f"{where}[{at}]")


def _decode_tuple(kinds: Sequence[Any], values: Sequence[Any], where: str) -> tuple[Any, ...]:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_decode_list(kinds[0], values, where))
    if len(kinds) != len(values):
        raise _wrong(where, f"a list of {len(kinds)}", values)
    return tuple(
        _decode(kind, value, f"{where}[{at}]")
        for at, (kind, value) in enumerate(zip(kinds, values, strict=True))
    )


def _decode_array(kind: Any, value: Any, where: str) -> Any:
    """An array; rows of a matrix must be alike, and null is NaN."""
    import numpy as np

    *_, of = get_args(kind)  # dtype[float64], or since NumPy 2.5 what NDArray is of: float64
    [dtype] = get_args(of) or [of]
    allowed: set[type] = {int}
    if dtype in (np.bool_, np.float64):
        allowed = {bool} if dtype is np.bool_ else {int, float, types.NoneType}
    try:
        entries = np.array(value, dtype=object)
        if not {type(entry) for entry in entries.flat} <= allowed:
            raise TypeError
        if dtype is np.float64:
            entries = np.where(entries == None, np.nan, entries)  # noqa: E711
        array = entries.astype(dtype)
        if dtype is np.float64 and np.isinf(array).any():  # 1e999 is
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        raise _wrong(where, "numbers", value) from None
    array.setflags(write=False)
    return array


def _decode_object(kind: Any, value: Mapping[str, Any], where: str) -> Any:
    values = {}
    hints = saved_types(kind)
    for name, needed in _members(kind):
        if name in value:
            values[name] = _decode(hints[name], value[name], f"{where}.{name}")
        elif needed:
            raise InputError(f"{where} has no {name!r}; {REMEDY}")
    try:
        return kind(**values)
    except WeighError as error:  # of a plan, say, that no command would have accepted
        raise InputError(f"{where}: {error}") from None


@cache
def _members(kind: Any) -> tuple[tuple[str, bool], ...]:
    """The names of what an object may be told, and whether it must be."""
    if is_dataclass(kind):
        return tuple(
            (member.name, member.default is MISSING and member.default_factory is MISSING)
            for member in fields(kind)
            if member.init and member.metadata.get("saved", True)
        )
    return tuple((name, name not in kind._field_defaults) for name in kind._fields)


def _decode_plain(kind: Any, value: Any, where: str) -> Any:
    if kind is float:
        if value is None:  # what JSON has for numbers that do not exist
            return math.nan
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                number = float(value)
            except OverflowError:
                raise _wrong(where, "a number", value) from None
            if math.isfinite(number):  # 1e999 is not
                return number
        raise _wrong(where, "a number", value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _wrong(where, _WORDS.get(kind, kind.__name__), value)
    return value


def _expect(kind: type, value: Any, where: str, word: str) -> Any:
    if not isinstance(value, kind):
        raise _wrong(where, word, value)
    return value


def _wrong(where: str, expected: str, value: Any) -> InputError:
    return InputError(f"{where}: expected {expected}, found {shortly(value)}; {REMEDY}")


def shortly(value: Any) -> str:
    """A value as errors show it: on one line, and not more than fits there."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def _place(key: str) -> str:
    return key if key.isprintable() and len(key) <= _LONGEST_SHOWN else shortly(key)
