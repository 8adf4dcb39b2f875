"""The pytest plugin and the callbacks of trainers. usage: check_plugins.py PYTHON BUILD [CASE…]; PYTHON has torch, pytest, pytest-xdist,
lightning, transformers and accelerate."""
import os
import re
import tempfile

import harness
from harness import Run, ask, case, finish, package, program

ROOT = os.path.dirname(os.path.dirname(package))
TESTS = '''
import pytest, torch
kept = []
def keep(n): kept.append(torch.empty(n << 20, dtype=torch.uint8, device='cuda'))
def carve(n): return torch.empty(n << 20, dtype=torch.uint8, device='cuda')
'''
LEAKS = TESTS + '''
@pytest.mark.gpu_memory(growth=0)
def test_leaks():
    keep(40)
'''
FITS = TESTS + '''
@pytest.mark.gpu_memory(peak='100 MiB', growth=0)
def test_fits():
    x = carve(100)
@pytest.mark.gpu_memory(growth='40 MiB')
def test_may_grow():
    keep(40)
def test_unmarked():
    keep(1)
'''


def installed():
    """A folder that makes the package an installed one, with the entry points that pyproject.toml names."""
    text = open(ROOT + '/pyproject.toml', encoding='utf-8').read()
    point = re.search(r'\[project\.entry-points\.pytest11\]\n(\w+) = "([\w.]+)"', text)
    folder = tempfile.mkdtemp()
    os.mkdir(folder + '/gpusnap-0.dist-info')
    for name, content in (('METADATA', 'Metadata-Version: 2.1\nName: gpusnap\nVersion: 0\n'),
                          ('entry_points.txt', f'[pytest11]\n{point[1]} = {point[2]}\n')):
        with open(f'{folder}/gpusnap-0.dist-info/{name}', 'w') as f:
            f.write(content)
    return folder


PATH = installed() + ':' + package


def pytest(text, *options, folder=None, **env):
    folder = folder or tempfile.mkdtemp()
    with open(folder + '/test_it.py', 'w') as f:
        f.write(text)
    r = Run('-m', 'pytest', '-rs', '--rootdir', folder, '-p', 'no:cacheprovider', *options, folder, PYTHONPATH=PATH, **env)
    return r


def has(r, *words):
    for word in words:
        assert re.search(word, r.out), f'no {word!r} in: {r.out[-2500:]} {r.err[-500:]}'


@case
def a_test_that_leaks_fails_with_the_line_named():
    r = pytest(LEAKS, '--gpusnap')
    assert r.status == 1, r.out
    has(r, 'growth 40.00 MiB, allowed 0 bytes', r'grown since the test began:\n +40.00 MiB  \S*test_it.py:4 keep, called by \S*test_it.py:9 test_leaks')


@case
def a_leak_is_told_apart_from_what_was_there_before():
    r = pytest(TESTS + "def test_first():\n    keep(70)\n" + LEAKS.replace(TESTS, ''), '--gpusnap')
    grown = r.out.split('grown since')[1].split('held at')[0]
    assert '40.00 MiB' in grown and '70.00' not in grown, r.out
    has(r, 'held at the peak, 110.00 MiB')


@case
def what_keeps_to_its_limits_passes_and_is_summed_up():
    r = pytest(FITS, '--gpusnap')
    assert r.status == 0, r.out
    has(r, '3 passed', r'peak +100.00 MiB  growth +0 bytes  \S*test_fits', r'growth +40.00 MiB  \S*test_may_grow')


@case
def a_peak_above_the_limit_fails_with_its_holders_even_where_the_program_has_steps_of_its_own():
    r = pytest(TESTS + '''
import gpusnap
@pytest.mark.gpu_memory(peak='99 MiB')
def test_peak():
    gpusnap.step(0); torch.cuda.reset_peak_memory_stats()
    x = carve(100); del x
    gpusnap.step(1); torch.cuda.reset_peak_memory_stats()
''', '--gpusnap')
    assert r.status == 1, r.out
    has(r, 'peak 100.00 MiB, allowed 99.00 MiB', r'held at the peak, 100.00 MiB:\n +100.00 MiB  \S*test_it.py:5 carve, called by \S*test_it.py:11 test_peak')


@case
def more_events_than_are_kept_are_said_and_not_passed():
    r = pytest(TESTS + '''
@pytest.mark.gpu_memory(peak='1 GiB')
def test_long():
    for i in range(400): carve(2)
''', '--gpusnap', GPUSNAP_EVENTS=200)
    assert r.status == 1, r.out
    has(r, 'more events than are kept')


@case
def without_the_option_the_mark_does_nothing():
    r = pytest(LEAKS, '--strict-markers')
    assert r.status == 0, r.out
    assert 'GPU memory' not in r.out, r.out


@case
def a_test_that_fails_by_itself_keeps_its_own_words():
    r = pytest(LEAKS + '    assert 1 == 2\n', '--gpusnap')
    has(r, 'assert 1 == 2')
    assert 'growth 40' not in r.out, r.out


@case
def a_baseline_is_written_kept_to_and_compared_with():
    text = TESTS + "@pytest.mark.gpu_memory(baseline='b/base.gsnap', tolerance='5%')\ndef test_it():\n    x = carve(100)\n"
    folder = tempfile.mkdtemp()
    r = pytest(text, '--gpusnap', folder=folder)
    assert r.status == 1 and not os.path.exists(folder + '/b'), r.out
    has(r, 'there is no baseline .*--gpusnap-update')
    assert pytest(text, '--gpusnap-update', folder=folder).status == 0
    assert os.listdir(folder + '/b') == ['base.gsnap']
    assert pytest(text, '--gpusnap', folder=folder).status == 0
    assert pytest(text.replace('carve(100)', 'carve(104)'), '--gpusnap', folder=folder).status == 0
    r = pytest(text.replace('carve(100)', 'carve(100); y = carve(10)'), '--gpusnap', folder=folder)
    assert r.status == 1, r.out
    has(r, r'peak 110.00 MiB, in the baseline b/base.gsnap 100.00 MiB \(tolerance 5%\)', r'than in the baseline:\n +10.00 MiB  \S*test_it.py:5 carve')


@case
def it_works_under_xdist():
    r = pytest(FITS + LEAKS.replace(TESTS, ''), '--gpusnap', '-n', '2')
    assert r.status == 1, r.out
    has(r, '1 failed, 3 passed', 'growth 40.00 MiB, allowed 0 bytes', r'test_it.py:4 keep, called by', r'peak +100.00 MiB  growth +0 bytes  \S*test_fits')


@case
def without_cuda_marked_tests_are_skipped_with_a_reason():
    r = pytest('import pytest\n@pytest.mark.gpu_memory(peak=1)\ndef test_marked(): pass\ndef test_other(): pass\n', '--gpusnap', CUDA_VISIBLE_DEVICES='', LD_PRELOAD='')
    assert r.status == 0, r.out
    has(r, '1 passed, 1 skipped', 'gpusnap: no CUDA device is here')


@case
def a_wrong_mark_says_what_is_wrong():
    for wrong, word in (("peak='2 XB'", "peak='2 XB' is not a size"), ('peek=1', 'peek'), ('growth=-1', 'growth=-1 is not a size'),
                        ('peak=1, tolerance="5 apples"', "tolerance='5 apples' is not"), ('peak=1, device="a"', "device='a' is not")):
        r = pytest(f'import pytest\n@pytest.mark.gpu_memory({wrong})\ndef test_it(): pass\n', '--gpusnap')
        assert r.status != 0, r.out
        assert 'gpu_memory: ' in r.out and word in r.out and 'pytest_plugin.py' not in r.out, r.out


def steps_and_tags(r, steps, held, also):
    dump = r.out.strip().splitlines()[-1]
    assert [row['step'] for row in ask(dump, 'steps')] == steps, ask(dump, 'steps')
    tags = {row['tag']: row['bytes'] for row in ask(dump, "select tag, sum(size) as bytes from block where tag is not null and state = 'active_allocated' group by tag")}
    asked = {row['tag'] for row in ask(dump, "select distinct tag from event where tag is not null and action = 'alloc'")}
    assert also <= asked, asked
    for tag, least in held.items():
        assert least <= tags.get(tag, 0) < least + (2 << 20), tags


@case
def lightning_tells_its_steps_and_phases():
    r = Run(program('''
import torch, lightning.pytorch as L
from gpusnap.lightning import GpuMemory
class Net(L.LightningModule):
    def __init__(self):
        super().__init__(); self.layer = torch.nn.Linear(256, 256); self.kept = []
    def training_step(self, batch, i):
        self.kept.append(torch.empty(3 << 20, dtype=torch.uint8, device=self.device))
        return self.layer(batch).square().mean()
    def validation_step(self, batch, i):
        self.kept.append(torch.empty(5 << 20, dtype=torch.uint8, device=self.device))
    def configure_optimizers(self): return torch.optim.Adam(self.parameters(), foreach=False)
data = torch.utils.data.DataLoader(torch.zeros(8, 256), batch_size=2)
t = L.Trainer(accelerator='gpu', devices=1, max_epochs=1, logger=False, enable_checkpointing=False, enable_progress_bar=False,
              enable_model_summary=False, num_sanity_val_steps=0, callbacks=[GpuMemory()])
t.fit(Net(), data, data)
import gpusnap
print(gpusnap.dump())
'''), FAKE_CUDA_DEVICES=1)
    assert r.status == 0, r.err[-1500:]
    steps_and_tags(r, [0, 1, 2, 3], {'forward': 12 << 20, 'validation': 20 << 20}, {'optimizer'})


@case
def the_hugging_face_trainer_tells_its_steps_and_phases():
    folder = tempfile.mkdtemp()
    r = Run(program(f'''
import torch
from transformers import Trainer, TrainingArguments
from gpusnap.transformers import GpuMemory
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__(); self.layer = torch.nn.Linear(256, 256); self.kept = []
    def forward(self, x, labels=None):
        if self.training: self.kept.append(torch.empty(3 << 20, dtype=torch.uint8, device=x.device))
        return (self.layer(x).square().mean(),)
data = [dict(x=torch.zeros(256), labels=torch.zeros(1)) for _ in range(8)]
args = TrainingArguments({folder!r}, per_device_train_batch_size=2, max_steps=4, report_to=[], save_strategy='no', disable_tqdm=True,
                         optim='adamw_torch')
trainer = Trainer(Net(), args, train_dataset=data, callbacks=[GpuMemory()])
trainer.train()
import gpusnap
print(gpusnap.dump())
'''), FAKE_CUDA_DEVICES=1)
    assert r.status == 0, r.err[-1500:]
    steps_and_tags(r, [0, 1, 2, 3], {'train': 12 << 20}, {'optimizer'})


harness.release = f'{harness.release}, plugins'
finish()
