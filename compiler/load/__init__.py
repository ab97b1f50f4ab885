"""First stage: finds the inputs and reads them, strictly, into plain data that knows its place in the file."""

from compiler.load.discover import Inputs, find_inputs
from compiler.load.document import Document, Route
from compiler.load.reader import load_document, load_text

__all__ = ["Document", "Inputs", "Route", "find_inputs", "load_document", "load_text"]
