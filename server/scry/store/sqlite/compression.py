"""Compress bytes as Zstandard frames with a checksum.

Bytes compressed as a frame of Zstandard (RFC 8878), with a checksum, by which all damage is found.
"""

from __future__ import annotations

import sys

from scry.core.errors import IndexDamaged

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def compress_frame(data: bytes, level: int = zstd.COMPRESSION_LEVEL_DEFAULT) -> bytes:
    """A frame of these bytes."""
    options: dict[int, int] = {
        zstd.CompressionParameter.compression_level: level,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    return zstd.compress(data, options=options)


def decompress_frame(frame: bytes) -> bytes:
    """The bytes of a frame. Raises IndexDamaged."""
    try:
        return zstd.decompress(frame)
    except (zstd.ZstdError, MemoryError) as error:
        raise damage_error(error) from error


def damage_error(error: Exception | str) -> IndexDamaged:
    """What is raised for what is packed in the index and makes no sense."""
    return IndexDamaged(f"the index is damaged: what is packed in it can't be read ({error}); rebuild the index")
