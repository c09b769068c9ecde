"""Values for a device: arrays in its memory, and arguments of kernels. A value is converted exactly, except that
floating-point numbers are rounded to the type of their destination, or it is refused."""
import math
import numbers
import struct

import numpy

_FORMATS = {('f', 2): '<e', ('f', 4): '<f', ('f', 8): '<d'}


def native_dtype(dtype):
    """The same type in this processor's order of bytes. Types that device memory does not have are refused."""
    dtype = numpy.dtype(dtype)
    if dtype.kind not in 'biufc' or (dtype.kind == 'f' and dtype.itemsize > 8) or dtype.itemsize > 16:
        raise TypeError('arrays of dtype %s cannot be in device memory: it has numbers and booleans' % dtype)
    return dtype.newbyteorder('=')


def to_array(values):
    """The values as an array without a mask, in this processor's order of bytes."""
    if isinstance(values, numpy.ma.MaskedArray):
        if numpy.ma.getmaskarray(values).any():
            raise TypeError('a masked array has elements without a value: fill them first')
        values = values.data
    values = numpy.asarray(values)
    return values.astype(native_dtype(values.dtype), copy=False)


def convert_array(values, dtype, shape):
    """The values in a contiguous array of this shape and type."""
    values = to_array(values)
    with numpy.errstate(all='ignore'):
        data = values.astype(dtype)
        good = _are_exact(values, data)
    if not numpy.all(good):
        raise ValueError('values of %s have none of %s that are equal' % (values.dtype, dtype))
    return numpy.array(numpy.broadcast_to(data, shape), order='C')


def _are_exact(values, data):
    """Which values were converted as they have to be."""
    if values.dtype.kind in 'fc' and data.dtype.kind in 'fc':
        complete = data.dtype.kind == 'c' or values.dtype.kind == 'f' or values.imag == 0
        return complete & (numpy.isfinite(data) | ~numpy.isfinite(values))
    good = data.astype(values.dtype) == values
    if values.dtype.kind in 'iu' and data.dtype.kind in 'iu':
        return good & ((values < 0) == (data < 0))
    if values.dtype.kind in 'iu' and data.dtype.kind in 'fc':  # rounded up, it may not fit on the way back
        return good & (data.real < 2.0 ** (8 * values.dtype.itemsize - (values.dtype.kind == 'i')))
    return good


class Parameter:
    """A parameter of a kernel: `name`, `type` without a dot, size in `bytes`, `alignment` and, for an array,
    the number of its `elements` (else 0)."""

    def __init__(self, number, name, kind, size, alignment, elements):
        self.number, self.name, self.type, self.bytes = number, name, kind, size
        self.alignment, self.elements = alignment, elements

    def __repr__(self):
        length = '[%d]' % self.elements if self.elements else ''
        return '<Parameter .%s %s%s, %d bytes>' % (self.type, self.name, length, self.bytes)

    def _refuse(self, error, text):
        raise error("argument %d, for '.%s %s': %s" % (self.number + 1, self.type, self.name, text))

    def pack(self, value):
        """The bytes of the value as the parameter has them."""
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self._exact(bytes(value), 'bytes')
        if self.elements or self.type[0] not in 'usbf' or self.type.startswith('f16x') or self.bytes > 8:
            return self._pack_record(value)
        if isinstance(value, numpy.ndarray) and not value.shape:
            value = value[()]
        if not isinstance(value, (numbers.Real, numpy.bool_)):
            self._refuse(TypeError, 'a %s is no number' % type(value).__name__)
        return self._pack_float(value) if self.type[0] == 'f' else self._pack_integer(value)

    def pack_address(self, address):
        """The bytes of an address in the device."""
        if self.elements or self.type[0] not in 'usb' or self.bytes not in (4, 8):
            self._refuse(TypeError, 'a buffer is an address, which the parameter does not hold')
        if address >= 1 << 8 * self.bytes:
            self._refuse(ValueError, 'the address of the buffer has more than %d bytes' % self.bytes)
        return int(address).to_bytes(self.bytes, 'little')

    def _exact(self, data, what):
        if len(data) != self.bytes:
            self._refuse(ValueError, '%d %s are given, and it has %d bytes' % (len(data), what, self.bytes))
        return data

    def _pack_record(self, value):
        """Arrays, and structs as arrays of bytes: a numpy array or record of the same size."""
        if not isinstance(value, (numpy.ndarray, numpy.generic)) or value.dtype.hasobject or \
                value.dtype.kind not in 'biufcV':
            self._refuse(TypeError, 'it takes bytes, or a numpy array or record, of %d bytes' % self.bytes)
        array = numpy.asarray(value)
        return self._exact(array.astype(array.dtype.newbyteorder('='), copy=False).tobytes(), 'bytes')

    def _pack_float(self, value):
        exact = isinstance(value, (numbers.Integral, numpy.bool_))
        try:
            data = struct.pack(_FORMATS['f', self.bytes], value)
        except (OverflowError, struct.error):
            self._refuse(OverflowError, '%r is too large' % (value,))
        if exact and struct.unpack(_FORMATS['f', self.bytes], data)[0] != int(value):
            self._refuse(ValueError, '%r is not exact in this type' % (value,))
        return data

    def _pack_integer(self, value):
        if not isinstance(value, (numbers.Integral, numpy.bool_)):
            value = self._whole(value)
            if isinstance(value, bytes):
                return value
        value, bits = int(value), 8 * self.bytes
        # Compilers declare signed and unsigned parameters alike.
        least, most = -(1 << bits - 1), (1 << bits - (self.type[0] == 's')) - 1
        if not least <= value <= most:
            self._refuse(OverflowError, '%d is not from %d to %d' % (value, least, most))
        return (value & (1 << bits) - 1).to_bytes(self.bytes, 'little')

    def _whole(self, value):
        """A floating-point number for an integer, if it is whole; for untyped bits, those of a numpy scalar."""
        if self.type[0] == 'b':
            if isinstance(value, numpy.floating) and value.dtype.itemsize == self.bytes:
                return value.astype(value.dtype.newbyteorder('=')).tobytes()
            self._refuse(TypeError, 'bits have no type: a floating-point number is a numpy scalar of %d bytes'
                         % self.bytes)
        if not math.isfinite(value) or value != int(value):
            self._refuse(ValueError, '%r is no whole number' % (value,))
        return int(value)
