"""The API's tables in pyarrow, pandas, polars and DuckDB, a million events without a copy in Python's objects, and a notebook run by
nbconvert. usage: check_tables.py BUILD. Ends with `python-api: N passed, N failed, N skipped`."""
import gc
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import time
import unittest

build = os.path.abspath(sys.argv[1])
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, root + '/tools/python')
os.environ['GPUSNAP_ANALYZER_LIBRARY'] = build + '/libgpusnap-analyzer.so.1'
DATA = root + '/tests/data/'
FAILED = DATA + 'diagnose/two_devices_one_failing.pickle.zst'

import duckdb  # noqa: E402
import pandas  # noqa: E402
import polars  # noqa: E402
import pyarrow  # noqa: E402

import gpusnap  # noqa: E402

MILLION = 1000000
BASE = 0x7f0000000000


def million():
    """A snapshot of a million events: 512 bytes taken and freed again at a thousand places, from fifty lines."""
    frames = [{'name': f'f{i}', 'filename': 'm.py', 'line': i} for i in range(50)]
    trace = [{'action': 'segment_alloc', 'addr': BASE, 'size': 1 << 30, 'stream': 0, 'time_us': 1700000000000000, 'frames': frames[:1]}]
    for i in range(MILLION - 1):
        trace.append({'action': 'free_requested' if i % 2 else 'alloc', 'addr': BASE + i // 2 % 1000 * 512, 'size': 512, 'stream': 0,
                      'time_us': 1700000000000000 + i, 'frames': [frames[i // 2 % 50]]})
    block = {'size': 1 << 30, 'state': 'inactive', 'address': BASE}
    segment = {'device': 0, 'address': BASE, 'total_size': 1 << 30, 'stream': 0, 'segment_type': 'large', 'allocated_size': 0,
               'active_size': 0, 'blocks': [block]}
    return pickle.dumps({'segments': [segment], 'device_traces': [trace]})


class Million(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.snapshot = gpusnap.open(million())
        gc.collect()
        objects, began = sys.getallocatedblocks(), time.process_time()
        cls.events = cls.snapshot.events()
        cls.seconds, cls.objects = time.process_time() - began, sys.getallocatedblocks() - objects

    def test_events_take_a_second_at_most_and_no_objects_of_python(self):
        print(f'python-api: events() of {len(self.events)}: {self.seconds:.2f} s of processor, {self.objects} objects')
        self.assertEqual(len(self.events), MILLION)
        self.assertLess(self.seconds, 1)
        self.assertLess(self.objects, 5000)

    def test_readers_share_the_librarys_memory(self):
        objects = sys.getallocatedblocks()
        table = pyarrow.table(self.events)
        self.assertLess(sys.getallocatedblocks() - objects, 5000)
        table.validate(full=True)
        for name in ('address', 'size', 'time_us', 'allocated'):
            column = self.events._columns[self.events.columns.index(name)]
            self.assertEqual(table[name].chunk(0).buffers()[1].address, column.buffers[0])
        self.assertEqual(sum(table[name].null_count for name in table.column_names if name != 'tag'), 0)
        self.assertEqual(table['tag'].null_count, MILLION)

    def test_readers_see_the_events(self):
        events = self.events
        wanted = [('alloc', MILLION // 2, MILLION // 2 * 512), ('free_requested', MILLION // 2 - 1, (MILLION // 2 - 1) * 512),
                  ('segment_alloc', 1, 1 << 30)]
        ways = {
            'duckdb': lambda events=events: duckdb.sql(     # DuckDB finds tables among a function's own names
                'select action::varchar, count(*), sum(size)::bigint from events group by 1 order by 1').fetchall(),
            'polars': lambda: polars.DataFrame(events).group_by(polars.col('action').cast(polars.String)).agg(
                polars.len(), polars.col('size').sum()).sort('action').rows(),
            'pyarrow': lambda: sorted((r['action'], r['size_count'], r['size_sum']) for r in pyarrow.table(events).group_by(
                'action').aggregate([('size', 'count'), ('size', 'sum')]).to_pylist()),
            'pandas': lambda: sorted((name, len(part), int(part['size'].sum())) for name, part in events.df('pandas').groupby(
                'action', observed=True)),
        }
        for name, way in ways.items():
            began = time.process_time()
            self.assertEqual(way(), wanted, name)
            print(f'python-api: {name}: {time.process_time() - began:.2f} s of processor')
        frame = events.df()
        self.assertEqual((frame['allocated'].iloc[0], frame['allocated'].max(), frame['idx'].iloc[-1]), (0, 512, MILLION - 1))


class Small(unittest.TestCase):
    FILES = [FAILED, DATA + 'v1/small.gsnap', DATA + 'v1/worked.gsnap', DATA + 'diagnose/fault_leak.pickle.zst']

    def test_readers_have_the_rows_of_every_table(self):
        for file in self.FILES:
            with gpusnap.open(file) as s:
                for t in (s.events(), s.blocks(), s.holders(), s.peak(), s.steps(), s.whatif(), s.query('select * from block'),
                          s.query('select 1 as a, 2.5 as b, null as c, \'x\' as d where 0'),
                          s.query("select 1 as a, true as b, null as c, 'ä' as d, 2.5 as e union all select null, null, null, null, 1")):
                    self.assertEqual(pyarrow.table(t).to_pylist(), t.rows)
                    self.assertEqual(polars.DataFrame(t).rows(named=True), t.rows)
                    self.assertEqual(duckdb.sql('select * from t').fetchall(), [tuple(row.values()) for row in t.rows])
                    self.assertEqual(list(t.df().columns), t.columns)
                    self.assertEqual(len(t.df()), len(t))

    def test_tags_are_read_by_name(self):
        with gpusnap.open(DATA + 'v1/small.gsnap') as s:
            wanted = s.query('select tag from event where device = 1 order by idx').column('tag')
            self.assertTrue(any(wanted))
            self.assertEqual(pyarrow.table(s.events(device=1))['tag'].to_pylist(), wanted)

    def test_memory_lives_as_long_as_its_readers(self):
        from gpusnap import arrow
        s = gpusnap.open(FAILED)
        t = s.events(device=1)
        wanted, table, frame = t.rows, pyarrow.table(t), polars.DataFrame(t)
        s.close()
        del s, t
        gc.collect()
        self.assertEqual((table.to_pylist(), frame.rows(named=True)), (wanted, wanted))
        del table, frame
        gc.collect()
        pyarrow.default_memory_pool().release_unused()
        self.assertEqual(arrow._kept, {})

    def test_a_program_may_end_with_tables_in_use(self):
        program = ('import sys; sys.path.insert(0, %r); import duckdb, polars, pyarrow, gpusnap; t = gpusnap.open(%r).events(); '
                   'a, b, c = pyarrow.table(t), polars.DataFrame(t), duckdb.sql("select * from t")' % (root + '/tools/python', FAILED))
        p = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
        self.assertEqual((p.returncode, p.stderr), (0, ''))

    def test_a_frame_is_of_the_library_asked_for(self):
        t = gpusnap.open(FAILED).holders()
        self.assertIsInstance(t.df('polars'), polars.DataFrame)
        self.assertIsInstance(t.df('pandas'), pandas.DataFrame)
        self.assertRaises(ValueError, lambda: t.df('numpy'))

    def test_pandas_needs_no_pyarrow(self):
        t = gpusnap.open(FAILED).events(device=1)
        wanted = t.df('pandas')
        import unittest.mock
        with unittest.mock.patch('gpusnap.tables._installed', lambda name: name == 'pandas'):
            got = t.df()
        self.assertEqual(got.where(got.notna(), None).astype(object).to_dict('records')[:50],
                         wanted.astype(object).where(wanted.notna(), None).to_dict('records')[:50])


class Notebook(unittest.TestCase):
    CELLS = ['%load_ext gpusnap', f'%gpusnap {FAILED}', f'import gpusnap\ns = gpusnap.open({FAILED!r})\ns.diagnose()', 's.plot()', 's.holders()']

    def test_nbconvert_shows_verdict_and_pictures(self):
        cells = [{'cell_type': 'code', 'id': f'c{i}', 'metadata': {}, 'execution_count': None, 'outputs': [], 'source': source}
                 for i, source in enumerate(self.CELLS)]
        book = {'nbformat': 4, 'nbformat_minor': 5, 'cells': cells,
                'metadata': {'kernelspec': {'name': 'python3', 'display_name': 'Python', 'language': 'python'}}}
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + '/book.ipynb', 'w') as f:
                json.dump(book, f)
            p = subprocess.run([sys.executable, '-m', 'nbconvert', '--to', 'html', '--execute', folder + '/book.ipynb'], capture_output=True,
                               text=True, env={**os.environ, 'PYTHONPATH': root + '/tools/python', 'HOME': folder,
                                               'PATH': os.path.dirname(sys.executable) + ':' + os.environ['PATH']})
            self.assertEqual(p.returncode, 0, p.stderr)
            with open(folder + '/book.html', encoding='utf-8') as f:
                page = f.read()
        verdicts = re.findall(r'class="gpusnap-verdict"[^>]*>fragmented: 400 MiB asked for', page)
        pictures = re.findall(r'src="data:image/png;base64,\s*iVBORw0KGgo', page)
        self.assertEqual((len(verdicts), len(pictures)), (2, 3))
        self.assertIn('<th>called_by</th>', page)


result = unittest.TextTestRunner(verbosity=0).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules['__main__']))
bad = len(result.failures) + len(result.errors)
print(f'python-api: {result.testsRun - bad} passed, {bad} failed, {len(result.skipped)} skipped')
sys.exit(bad > 0)
