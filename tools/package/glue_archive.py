"""The archive that the wheel brings. usage: glue_archive.py TO.zip FOLDER…   FOLDER: …/PROCESSOR-RELEASE-ABI with *.so. The same bytes each time."""
import pathlib
import sys
import zipfile

to, *folders = map(pathlib.Path, sys.argv[1:])
with zipfile.ZipFile(to, 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for folder in sorted(folders):
        _, release, abi = folder.name.rsplit('-', 2)
        for library in sorted(folder.glob('*.so')):
            about = zipfile.ZipInfo(f'{".".join(release.split(".")[:2])}-abi{abi}/{library.name}')
            about.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(about, library.read_bytes(), compresslevel=9)
