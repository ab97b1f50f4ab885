"""From a path to text that is safe to parse: a file below the root, small, UTF-8, without hidden characters."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final

from compiler.diagnostics import Diagnostic, Place
from compiler.errors import EnvironmentFailure, InputError
from compiler.load import rules
from compiler.load.document import place_at
from compiler.load.rules import Rule

MAX_BYTES: Final = 1 << 20

# C0 and C1 controls, DEL, line separators that only some readers take for line ends, byte-order marks, surrogates and
# non-characters; and the marks that make text look, in a review, like something else than a program reads.
_UNSAFE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
_LINE_END: Final = re.compile("\r\n|\r|\n")
_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_MOST_FINDINGS: Final = 20


def read_bytes(path: Path, root: Path) -> tuple[bytes, str]:
    """Read an input file that must lie below `root`.

    Returns its bytes and its path relative to the root with forward slashes.

    Raises:
        InputError: it is missing, not an ordinary file, leads out of the root, or is larger than 1 MiB.
        EnvironmentFailure: the operating system refuses.
    """
    name = shown_path(path, root)
    try:
        real = os.path.realpath(path, strict=True)
        if not Path(real).is_relative_to(os.path.realpath(root)):
            raise _failure(
                rules.OUTSIDE_ROOT, name, "leads out of the repository", "Put the file itself here, not a link to it."
            )
        if not stat.S_ISREG(Path(real).stat().st_mode):
            raise _failure(rules.NOT_A_FILE, name, "is not an ordinary file", "Put a YAML file here.")
        # The file may have been exchanged since: never wait on a pipe, never follow a new link.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(real, flags), "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise _failure(rules.NOT_A_FILE, name, "does not exist", "Create it, or correct the path.") from None
    except OSError as error:
        message = f"cannot read {name}: {error.strerror or error}"
        help_ = "Give the user who runs gpuc permission to read it."
        raise EnvironmentFailure(Diagnostic(rules.UNREADABLE.code, message, Place(name), help=help_)) from None
    if len(data) > MAX_BYTES:
        raise _failure(rules.TOO_LARGE, name, "is larger than 1 MiB", "Move what is not the GPU stack out of it.")
    return data, name


def shown_path(path: Path, root: Path) -> str:
    """Return how findings name `path`: relative to the root, with forward slashes; as given where it is not below."""
    try:
        return Path(os.path.normpath(path.absolute())).relative_to(os.path.normpath(root.absolute())).as_posix()
    except ValueError:
        return path.as_posix()


def decode(data: bytes, path: str) -> str:
    """Return the text of a file, without a byte-order mark.

    Raises:
        InputError: it is larger than 1 MiB, not UTF-8, or has characters that hide what it says.
    """
    if len(data) > MAX_BYTES:
        raise _failure(rules.TOO_LARGE, path, "is larger than 1 MiB", "Move what is not the GPU stack out of it.")
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            raise _failure(rules.NOT_UTF8, path, f"is {encoding}, not UTF-8", "Save the file as UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # utf-8-sig counts from behind the mark.
        offset = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        before = data[:offset].decode("utf-8-sig", "replace")
        line = len(split_lines(before + "x"))
        rest = split_lines(before + data[offset:].decode("utf-8", "replace"))
        column = len(split_lines(before + "x")[-1]) - 1
        message = f"byte 0x{data[offset]:02x} at offset {offset} (line {line}) is not UTF-8"
        place = place_at(path, rest, line - 1, column)
        raise InputError(
            Diagnostic(rules.NOT_UTF8.code, message, place, help="Save the file as UTF-8; is it text at all?")
        ) from None
    check_characters(text, path)
    return text


def split_lines(text: str) -> tuple[str, ...]:
    """Return the lines of `text` without their ends, exactly as the parser counts them (CR, LF and CRLF end one)."""
    lines = _LINE_END.split(text)
    if lines[-1] == "":
        lines.pop()
    return tuple(lines)


def check_characters(text: str, path: str) -> None:
    """Refuse characters that hide what a file says.

    Raises:
        InputError: with a finding for each of the first ones.
    """
    if not _UNSAFE.search(text):
        return
    lines = split_lines(text)
    if "\x00" in text:
        number = next(i for i, line in enumerate(lines) if "\x00" in line)
        place = place_at(path, lines, number, lines[number].index("\x00"))
        message = "the file holds a NUL byte, so it is not text (or not UTF-8)"
        raise InputError(Diagnostic(rules.UNSAFE_CHARACTER.code, message, place, help="Save the file as UTF-8 text."))
    found: list[Diagnostic] = []
    for number, line in enumerate(lines):
        for match in _UNSAFE.finditer(line):
            code = ord(match.group())
            message = f"character U+{code:04X} cannot be seen, or reads differently in other programs"
            escape = f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"  # noqa: PLR2004 - the longest \x escape
            help_ = f'Delete it; where it is really meant, write it as "{escape}" in double quotes.'
            place = place_at(path, lines, number, match.start())
            found.append(Diagnostic(rules.UNSAFE_CHARACTER.code, message, place, help=help_))
            if len(found) == _MOST_FINDINGS:
                raise InputError(found)
    raise InputError(found)


def _failure(rule: Rule, path: str, what: str, help_: str) -> InputError:
    return InputError(Diagnostic(rule.code, f"{path} {what}", Place(path), help=help_))
