import builtins
from typing import Any

import numpy
import numpy.typing

def native_dtype(dtype: numpy.typing.DTypeLike) -> numpy.dtype[Any]: ...
def to_array(values: numpy.typing.ArrayLike) -> numpy.ndarray[Any, Any]: ...
def convert_array(values: numpy.typing.ArrayLike, dtype: numpy.typing.DTypeLike,
                  shape: tuple[int, ...]) -> numpy.ndarray[Any, Any]: ...

class Parameter:
    number: int
    name: str
    type: str
    bytes: int
    alignment: int
    elements: int
    def __init__(self, number: int, name: str, kind: str, size: int, alignment: int, elements: int) -> None: ...
    def pack(self, value: Any) -> builtins.bytes: ...
    def pack_address(self, address: int) -> builtins.bytes: ...
