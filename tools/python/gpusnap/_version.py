"""The release: of an installed package what its metadata says, in the source tree what schema/version.h says."""
import pathlib
import re


def release() -> str:
    header = pathlib.Path(__file__).resolve().parents[3] / 'schema' / 'version.h'
    if header.exists():
        return re.search(r'GS_RELEASE "([^"]+)"', header.read_text())[1]
    from importlib import metadata
    try:
        return metadata.version('gpusnap')
    except metadata.PackageNotFoundError:  # put there by `make install`
        return 'unknown'
