"""What hatchling puts into the wheel beside the Python files: the command, the libraries, manual and completion.

GPUSNAP_PARTS names a folder that `make parts` has filled (make wheel does that for old systems and other processors); without it
make is run here, and what it lacks is said. GPUSNAP_PLATFORM is then the wheel's platform, else this machine's."""
import os
import pathlib
import shutil
import subprocess
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LIBRARIES = 'zlib1g-dev libzstd-dev libsqlite3-dev libpng-dev libfreetype-dev libyajl-dev libdw-dev'
MODULES = 'zlib libzstd sqlite3 libpng freetype2 yajl libdw'


def missing():
    """The Debian packages that a build needs and this machine lacks, as words."""
    lacks = [package for tool, package in (('make', 'make'), ('gcc', 'gcc'), ('pkg-config', 'pkg-config')) if not shutil.which(tool)]
    if 'pkg-config' in lacks:
        return lacks + LIBRARIES.split()
    lacks += [package for module, package in zip(MODULES.split(), LIBRARIES.split())
              if subprocess.run(['pkg-config', '--exists', module]).returncode]
    if not pathlib.Path('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf').exists():
        lacks.append('fonts-dejavu-core')
    return lacks


class CustomBuildHook(BuildHookInterface):
    def parts(self):
        lacks = missing()
        if lacks:
            raise SystemExit('gpusnap: cannot be built here; these Debian packages are missing: ' + ' '.join(lacks)
                             + '\n(`make deps` in the source tree installs them; a wheel needs none)')
        folder = pathlib.Path(self.root, 'build', 'parts')
        subprocess.run(['make', '-C', self.root, f'-j{os.cpu_count()}', 'parts', f'PARTS={folder}'], check=True)
        return folder

    def initialize(self, version, build_data):
        given = os.environ.get('GPUSNAP_PARTS')
        folder = pathlib.Path(given) if given else self.parts()
        platform = os.environ.get('GPUSNAP_PLATFORM') or sysconfig.get_platform()
        build_data['pure_python'] = False
        build_data['tag'] = 'py3-none-' + platform.replace('-', '_').replace('.', '_')
        for file in sorted(folder.rglob('*')):
            if file.is_file():
                self.place(file, file.relative_to(folder), build_data)

    @staticmethod
    def place(file, name, build_data):
        kind = {'bin': 'shared_scripts', 'share': 'shared_data'}.get(name.parts[0], 'force_include')
        to = name.relative_to('bin') if kind == 'shared_scripts' else name if kind == 'shared_data' else pathlib.Path('gpusnap') / name
        build_data[kind][str(file)] = str(to)
