"""A fleet of made dumps (generate.py) by each engine, against the truth that the generator knows.
usage: check_fleet.py BUILD [--dumps N] [--no-spark] [--no-ray] [TEST…]. Ends with `fleet: N passed, N failed, N skipped`."""
import argparse
import datetime
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import generate

parser = argparse.ArgumentParser()
parser.add_argument('build'), parser.add_argument('tests', nargs='*')
parser.add_argument('--dumps', type=int, default=2000)
parser.add_argument('--no-spark', action='store_true'), parser.add_argument('--no-ray', action='store_true')
asked = parser.parse_intermixed_args()
if asked.dumps < generate.LEAST:
    parser.error(f'--dumps {asked.dumps}: each job needs one a day, {generate.LEAST} at least')
build = os.path.abspath(asked.build)
generate.use(build)

import pyarrow.parquet as pq  # noqa: E402

import gpusnap.fleet  # noqa: E402
from gpusnap.fleet import cause, context, questions, schema, source, store  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MIB = 1 << 20
ENVIRONMENT = dict(os.environ, PYTHONPATH=ROOT + '/tools/python', PATH=os.path.dirname(sys.executable) + ':' + os.environ['PATH'],
                   PYSPARK_PYTHON=sys.executable, COLUMNS='80')
os.environ.update(ENVIRONMENT)
folder = tempfile.mkdtemp(prefix='gpusnap-fleet-')
DUMPS, OUT = folder + '/dumps', folder + '/out'


def command(*arguments, **more):
    return subprocess.run([build + '/gpusnap', *arguments], capture_output=True, text=True, env=ENVIRONMENT, **more)


def said(*arguments):
    p = command(*arguments)
    assert p.returncode == 0, p.stderr
    return p.stdout


def rows(out):
    """{table: its rows as sorted texts}"""
    fleet = store.Fleet(out)
    return {name: sorted(map(repr, fleet.dataset(name).to_table().to_pylist())) for name in schema.TABLES}


def answer(*arguments):
    p = command('query', *arguments, '--json')
    assert p.returncode == 0, p.stderr
    return json.loads(p.stdout)['rows']


class Whole(unittest.TestCase):
    """All dumps, once by each engine."""

    @classmethod
    def setUpClass(cls):
        cls.truth = generate.make(DUMPS, asked.dumps)
        began = time.time()
        cls.told = command('fleet', DUMPS, '-o', OUT)
        print(f"fleet: {asked.dumps} dumps on one machine in {time.time() - began:.0f} s: {cls.told.stderr.splitlines()[-1]}", flush=True)

    def same_as_local(self, out):
        mine, others = rows(OUT), rows(out)
        for name in schema.TABLES:
            self.assertEqual(len(mine[name]), len(others[name]), name)
            self.assertEqual(mine[name], others[name], name)

    def test_each_dump_has_one_row_and_bad_ones_their_reason(self):
        self.assertEqual(self.told.returncode, 0, self.told.stderr)
        found = store.Fleet(OUT).dataset('snapshot').to_table().to_pylist()
        self.assertEqual(len(found), self.truth['dumps'])
        self.assertEqual(sorted(r['path'] for r in found if r['error']), sorted(self.truth['broken']))
        self.assertGreater(len(self.truth['broken']), 0)
        self.assertIn(f"{len(self.truth['broken'])} of them could not be read", self.told.stderr)
        self.assertEqual([r for r in found if r['error'] and (r['kind'] or not r['job'])], [])

    def test_the_next_run_takes_nothing(self):
        p = command('fleet', DUMPS, '-o', OUT)
        self.assertEqual(p.returncode, 0)
        self.assertIn(f"0 dumps analyzed, {self.truth['dumps']:,} there already", p.stderr)

    def test_first_failure(self):
        found = {r['job']: r for r in answer(OUT, 'first failure')}
        self.assertEqual(set(found), set(self.truth['jobs']))
        for job, truth in self.truth['jobs'].items():
            got = found[job]
            self.assertEqual(dict(rank=got['rank'], time_us=got['time_us']), truth['first'], job)
            self.assertEqual(got['failures'], truth['failures'])
            self.assertEqual(got['verdict'], {'fragmented': 'fragmented'}.get(truth['cause'], 'shortage'))

    def test_jobs_of_one_code_died_of_the_same_cause(self):
        groups, jobs = {}, {}
        for r in answer(OUT, 'same-cause'):
            groups.setdefault(r['signature'], set()).add(r['job'])
            jobs.setdefault(r['job'], []).append(r)
        wanted = {}
        for job, truth in self.truth['jobs'].items():
            wanted.setdefault(truth['cause'], set()).add(job)
        self.assertEqual(sorted(map(sorted, groups.values())), sorted(map(sorted, wanted.values())))
        for job, found in jobs.items():
            self.assertEqual([(r['failures'], r['failed_first'], r['jobs']) for r in found],
                             [(self.truth['jobs'][job]['failures'], True, len(groups[found[0]['signature']]))])

    def test_what_grew_since_last_week(self):
        found = answer(OUT, 'grew', '--since', '2026-11-24')
        self.assertEqual([r for r in found if r['place'] != 'metrics.py append'], [r for r in found if r['job'] == 'serve-kv'])
        kv = [r for r in found if r['place'] == 'kv.py store']
        self.assertEqual([(r['job'], r['bytes_before'], r['bytes_after']) for r in kv], [('serve-kv', 320 * MIB, 360 * MIB)])
        self.assertEqual((kv[0]['dumps_before'], kv[0]['dumps_after']), tuple(
            len(self.truth['jobs']['serve-kv']['kv'][when]) for when in ('before', 'after')))
        self.assertEqual(answer(OUT, 'grew'), found)     # the last week is what is meant without a day

    def test_the_setting_that_would_have_saved_most(self):
        best = answer(OUT, 'best setting')[0]
        fragmented = [t for t in self.truth['jobs'].values() if t['cause'] == 'fragmented']
        self.assertEqual(best['conf'], 'expandable_segments:True')
        self.assertEqual((best['saved'], best['jobs_saved']), (sum(t['failures'] for t in fragmented), len(fragmented)))
        self.assertEqual((best['failures'], best['jobs']), (sum(t['failures'] for t in self.truth['jobs'].values()), len(self.truth['jobs'])))

    def test_the_capacity_that_each_job_needs(self):
        wanted = {'fragmented': (1200 * MIB, 720 * MIB), 'shortage': (1080 * MIB,) * 2, 'leak': (1040 * MIB,) * 2}
        found = answer(OUT, 'capacity')
        self.assertEqual({r['job']: (r['needed'], r['needed_expandable']) for r in found},
                         {job: wanted[t['cause']] for job, t in self.truth['jobs'].items()})
        self.assertEqual({r['job']: r['failures'] for r in found}, {job: t['failures'] for job, t in self.truth['jobs'].items()})

    def test_errors_are_asked_for(self):
        self.assertEqual(sorted(r['path'] for r in answer(OUT, 'errors')), sorted(self.truth['broken']))

    def test_answers_come_in_the_forms_of_every_query(self):
        table = said('query', OUT, 'capacity', '--format', 'table')
        self.assertIn('720M', table)
        tsv = said('query', OUT, 'capacity').splitlines()
        self.assertEqual(tsv[0].split('\t')[:2], ['job', 'dumps'])
        markdown = said('query', OUT, 'capacity', '--format', 'markdown', '-n', '1')
        self.assertTrue(markdown.startswith('| job'), markdown)
        whole = json.loads(said('query', OUT, 'SELECT job, day FROM snapshot ORDER BY job, day LIMIT 2', '--json'))
        self.assertEqual((whole['schema_version'], whole['columns'], len(whole['rows'])), (1, ['job', 'day'], 2))
        self.assertEqual([r['name'] for r in answer(OUT, '--list')], questions.names())

    def test_wrong_questions_are_told(self):
        for arguments, status, words in (
                (['frist failure'], 2, 'did you mean first failure'), (['SELECT nothing FROM snapshot'], 1, 'nothing'),
                (['grew', '--since', 'monday'], 2, '2026-11-30'), (['capacity', '--state', 'peak'], 2, 'fleet'),
                (["SELECT * FROM read_csv('/etc/hostname')"], 1, 'disabled'), ([], 2, 'missing')):
            p = command('query', OUT, *arguments)
            self.assertEqual((p.returncode, p.stdout), (status, ''), arguments)
            self.assertIn(words, p.stderr)
        p = command('query', OUT, 'nothing of the kind', '--json')
        self.assertEqual(json.loads(p.stderr)['error']['code'], 'USAGE')

    def test_tables_lie_by_day_and_job_sorted_and_packed(self):
        files = glob.glob(OUT + '/diagnosis/day=*/job=*/*.parquet')
        self.assertEqual(set(files), set(store.Fleet(OUT).paths('diagnosis')))
        for path in files[:20]:
            f = pq.ParquetFile(path)
            self.assertEqual(f.metadata.row_group(0).column(0).compression, 'ZSTD')
            self.assertEqual(f.schema_arrow.names, [c for c, _, _ in schema.columns('diagnosis')])
            self.assertEqual(f.metadata.metadata[b'gpusnap.schema_version'], b'1')
            keys = [(r['rank'], r['snapshot_id']) for r in f.read(['rank', 'snapshot_id']).to_pylist()]
            self.assertEqual(keys, sorted(keys))

    @unittest.skipIf(asked.no_spark or not shutil.which('java'), 'no Java')
    def test_spark_gives_the_same_rows_and_answers(self):
        import warnings
        from pyspark.sql import SparkSession
        warnings.simplefilter('ignore')
        spark = (SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false').config('spark.ui.showConsoleProgress', 'false')
                 .config('spark.sql.shuffle.partitions', '2').config('spark.log.level', 'ERROR').getOrCreate())
        try:
            began = time.time()
            told = gpusnap.fleet.spark.run(spark, DUMPS, folder + '/spark')
            print(f'fleet: by PySpark local[2] in {time.time() - began:.0f} s', flush=True)
            self.assertEqual((told['new'], told['failed']), (self.truth['dumps'], len(self.truth['broken'])))
            self.same_as_local(folder + '/spark')
            self.assertEqual(gpusnap.fleet.spark.run(spark, DUMPS, folder + '/spark')['new'], 0)
            for name in questions.names():
                mine = [tuple(map(str, r.values())) for r in gpusnap.fleet.ask(OUT, name).to_pylist()]
                theirs = [tuple(map(str, r)) for r in gpusnap.fleet.spark.ask(spark, OUT, name).collect()]
                self.assertEqual(mine, theirs, name)
            nested = gpusnap.fleet.spark.analyze(spark, DUMPS + '/eval/day3')
            ids = {r.snapshot_id for r in gpusnap.fleet.spark.table(nested, 'snapshot').collect()}
            self.assertTrue(ids)
            self.assertLessEqual(ids, {r['snapshot_id'] for r in store.Fleet(OUT).dataset('snapshot').to_table().to_pylist()} | ids)
        finally:
            spark.stop()

    @unittest.skipIf(asked.no_ray, 'no Ray')
    def test_ray_gives_the_same_rows(self):
        os.environ['RAY_DEDUP_LOGS'] = '0'
        import logging
        import ray
        ray.data.DataContext.get_current().enable_progress_bars = False
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR, _temp_dir=folder + '/ray-files')
        logging.getLogger('ray.data').setLevel(logging.ERROR)
        logging.getLogger('ray').setLevel(logging.ERROR)
        try:
            began = time.time()
            told = gpusnap.fleet.ray.run(DUMPS, folder + '/ray')
            print(f'fleet: by Ray on two cores in {time.time() - began:.0f} s', flush=True)
            self.assertEqual((told['new'], told['failed']), (self.truth['dumps'], len(self.truth['broken'])))
            self.same_as_local(folder + '/ray')
            self.assertEqual(gpusnap.fleet.ray.run(DUMPS, folder + '/ray')['new'], 0)
        finally:
            ray.shutdown()

    def test_a_killed_run_taken_up_equals_a_clean_one(self):
        out = folder + '/killed'
        took = 0
        for _ in range(2):
            p = subprocess.Popen([sys.executable, '-c', 'import sys; from gpusnap.fleet import local; local.BATCH_SECONDS = 1; '
                                  f'local.run({DUMPS!r}, {out!r}, batch=40)'], env=ENVIRONMENT, stderr=subprocess.DEVNULL, start_new_session=True)
            end = time.time() + 120
            while time.time() < end and p.poll() is None and committed(out) <= took:
                time.sleep(0.05)
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
            took = committed(out)
        self.assertGreater(took, 0)
        self.assertLess(took, self.truth['dumps'])
        p = command('fleet', DUMPS, '-o', out)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn(f'{took:,} there already', p.stderr)
        self.same_as_local(out)


def committed(out):
    try:
        return len(store.Fleet(out).done)
    except (OSError, store.NoFleet):
        return 0


class Few(unittest.TestCase):
    """Behaviour that a handful of dumps shows."""

    @classmethod
    def setUpClass(cls):
        cls.dumps = folder + '/few'
        cls.truth = generate.make(cls.dumps, 24, seed=3, days=3)

    def run_into(self, name, **more):
        return gpusnap.fleet.run(self.dumps, f'{folder}/{name}', jobs=2, **more)

    def test_analyze_is_pure(self):
        path = sorted(glob.glob(self.dumps + '/*/*.gsnap'))[0]
        with open(path, 'rb') as f:
            data = f.read()
        given = {'job': 'one', 'rank': 7, 'host': 'here', 'day': '2026-01-02'}
        a, b = gpusnap.fleet.analyze(path, given), gpusnap.fleet.analyze(data, dict(given, path=path))
        self.assertEqual(set(a), set(schema.TABLES))
        for name in a:
            self.assertTrue(a[name].equals(b[name]), name)
            self.assertEqual(a[name].schema.names, schema.whole(name).names)
        row = a['snapshot'].to_pylist()[0]
        self.assertEqual((row['job'], row['rank'], row['host'], row['day']), ('one', 7, 'here', datetime.date(2026, 1, 2)))

    def test_whatever_bytes_give_an_error_row(self):
        for data in (b'', b'nothing', b'\x80\x04' + bytes(5000), b'SQLite format 3\0' + bytes(100), b'\x28\xb5\x2f\xfd' + bytes(50)):
            tables = gpusnap.fleet.analyze(data, {'path': '/jobs/rank3/x.gsnap'})
            row, = tables['snapshot'].to_pylist()
            self.assertTrue(row['error'])
            self.assertEqual((row['rank'], row['size'], [n for n in tables if len(tables[n])]), (3, len(data), ['snapshot']))
        self.assertRaises(FileNotFoundError, gpusnap.fleet.analyze, folder + '/none')

    def test_time_and_memory_are_bounded(self):
        path = glob.glob(self.dumps + '/*/*/*.pickle')[0]
        slow = gpusnap.fleet.analyze(path, seconds=0.001)
        self.assertEqual(slow['snapshot'].column('error').to_pylist(), ['takes more than 0.001 s'])
        big = folder + '/big.pickle'
        generate.write_pickle(big, {'segments': [], 'device_traces': [[{'action': 'alloc', 'addr': i, 'size': 512, 'stream': 0}
                                                                        for i in range(200000)]]})
        small = gpusnap.fleet.analyze(big, memory=16 << 20)['snapshot'].to_pylist()[0]
        self.assertTrue(small['error'] and 'memory' in small['error'], small['error'])

    def test_a_crash_of_the_library_costs_one_dump(self):
        from gpusnap.fleet import guard
        guarded = guard.Guard()
        path = glob.glob(self.dumps + '/*/*/*.pickle')[0]
        guarded._start()
        os.kill(guarded._process.pid, signal.SIGSTOP)
        threading.Timer(0.5, lambda: os.kill(guarded._process.pid, signal.SIGSEGV)).start()
        threading.Timer(0.6, lambda: os.kill(guarded._process.pid, signal.SIGCONT)).start()
        found, _ = guarded.analyze({'path': path})
        self.assertIn('SIGSEGV', schema.error_of(found))
        found, _ = guarded.analyze({'path': path})
        self.assertIsNone(schema.error_of(found))
        guarded.close()

    def test_the_same_dump_elsewhere_is_taken_once_and_another_rank_anew(self):
        place, out = folder + '/copies', folder + '/copies-out'
        path = glob.glob(self.dumps + '/*/*/*.pickle')[0]
        for name in ('a/rank1/x.pickle', 'a/later/rank1/x.pickle', 'a/rank2/x.pickle', 'b/rank1/x.pickle'):
            os.makedirs(os.path.dirname(f'{place}/{name}'), exist_ok=True)
            shutil.copy(path, f'{place}/{name}')
        told = gpusnap.fleet.run(place, out, jobs=1)
        self.assertEqual((told['dumps'], told['new'], told['known']), (4, 3, 1))
        os.utime(place + '/a/rank1/x.pickle', (1, 1))
        told = gpusnap.fleet.run(place, out, jobs=1)
        self.assertEqual((told['new'], told['known']), (0, 4))
        found = store.Fleet(out).dataset('snapshot').to_table().to_pylist()
        self.assertEqual(sorted((r['job'], r['rank']) for r in found), [('a', 1), ('a', 2), ('b', 1)])

    def test_an_interrupted_run_keeps_what_it_has_and_blames_no_dump(self):
        out = folder + '/interrupted'
        p = subprocess.Popen([build + '/gpusnap', 'fleet', self.dumps, '-o', out, '-j', '1'], env=ENVIRONMENT, start_new_session=True,
                             stderr=subprocess.PIPE, text=True)
        end = time.time() + 60
        while time.time() < end and not os.path.exists(out + '/gpusnap-fleet.json'):
            time.sleep(0.05)
        time.sleep(3)
        os.killpg(p.pid, signal.SIGINT)
        told = p.communicate(timeout=60)[1]
        if p.returncode:     # else it was done before
            self.assertEqual(p.returncode, 130, told)
            self.assertIn('the next run goes on', told)
        self.assertEqual(gpusnap.fleet.run(self.dumps, out, jobs=2)['dumps'], 24)
        found = store.Fleet(out).dataset('snapshot').to_table().to_pylist()
        self.assertEqual(len(found), 24)
        self.assertEqual(sorted(r['path'] for r in found if r['error']), sorted(self.truth['broken']))

    def test_two_runs_at_once_do_not_double(self):
        out = folder + '/both'
        script = f'from gpusnap.fleet import local; local.run({self.dumps!r}, {out!r}, jobs=1, batch=3)'
        both = [subprocess.Popen([sys.executable, '-c', script], env=ENVIRONMENT) for _ in range(2)]
        self.assertEqual([p.wait() for p in both], [0, 0])
        self.run_into('alone')
        self.assertEqual(rows(out), rows(folder + '/alone'))

    def test_a_run_that_died_behind_its_commit_is_finished_by_the_next(self):
        out = folder + '/behind'
        settle = store.Fleet._settle
        store.Fleet._settle = lambda *_: (_ for _ in ()).throw(KeyboardInterrupt())
        try:
            self.assertRaises(KeyboardInterrupt, self.run_into, 'behind')
        finally:
            store.Fleet._settle = settle
        self.assertEqual(glob.glob(out + '/*/*/*/*.parquet'), [])
        self.assertEqual(self.run_into('behind')['new'], 0)
        self.run_into('ahead')
        self.assertEqual(rows(out), rows(folder + '/ahead'))

    def test_one_that_died_before_it_has_done_nothing(self):
        out = folder + '/before'
        commit = store.Fleet.commit
        store.Fleet.commit = lambda *_: (_ for _ in ()).throw(KeyboardInterrupt())
        try:
            self.assertRaises(KeyboardInterrupt, self.run_into, 'before')
        finally:
            store.Fleet.commit = commit
        left = glob.glob(out + '/*/*/*/_*.new')
        self.assertTrue(left)
        self.assertEqual(rows(out)['snapshot'], [])
        for path in left:
            os.utime(path, (1, 1))
        told = self.run_into('before')
        self.assertEqual(told['new'], self.truth['dumps'])
        self.assertEqual([p for p in left if os.path.exists(p)], [])

    def test_compaction_leaves_a_file_a_partition_and_every_row(self):
        out = folder + '/small'
        gpusnap.fleet.run([self.dumps + '/eval', self.dumps + '/nightly'], out, jobs=2, batch=1, rule=lambda path: {'job': 'one', 'day': '2026-11-30'}, compact=False)
        before, many = rows(out), len(glob.glob(out + '/*/*/*/*.parquet'))
        p = command('fleet', '--compact', '-o', out)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn(' merged into others', p.stderr)
        self.assertEqual(rows(out), before)
        left = glob.glob(out + '/*/*/*/*.parquet')
        self.assertLess(len(left), many)
        self.assertEqual(len(left), len({os.path.dirname(f) for f in left}))
        self.assertEqual(set(left), {f for t in schema.TABLES for f in store.Fleet(out).paths(t)})

    def test_a_rule_of_the_users_tells_job_and_rank(self):
        place = folder + '/own'
        os.makedirs(place + '/x')
        path = glob.glob(self.dumps + '/*/*/*.pickle')[0]
        shutil.copy(path, place + '/x/alpha_17_hostB.pickle')
        with open(place + '.py', 'w') as f:
            f.write("import os\ndef tell(path):\n    job, rank, host = os.path.basename(path).split('.')[0].split('_')\n"
                    "    return {'job': job, 'rank': rank, 'host': host}\n")
        for i, rule in enumerate(('{job}_{rank}_{host}.pickle', place + '.py:tell')):
            p = command('fleet', place, '-o', f'{place}-out{i}', '--context', rule)
            self.assertEqual(p.returncode, 0, p.stderr)
            found = store.Fleet(f'{place}-out{i}').dataset('snapshot').to_table().to_pylist()
            self.assertEqual([(r['job'], r['rank'], r['host']) for r in found], [('alpha', 17, 'hostB')])

    def test_folders_that_are_something_else_are_left_alone(self):
        os.makedirs(folder + '/mine')
        with open(folder + '/mine/thesis.txt', 'w') as f:
            f.write('mine')
        p = command('fleet', self.dumps, '-o', folder + '/mine')
        self.assertEqual(p.returncode, 1)
        self.assertIn('holds other things (thesis.txt)', p.stderr)
        self.assertEqual(os.listdir(folder + '/mine'), ['thesis.txt'])
        p = command('fleet', folder + '/not-there', '-o', folder + '/out2')
        self.assertEqual((p.returncode, 'No such file' in p.stderr), (1, True))
        p = command('fleet', self.dumps)
        self.assertEqual(p.returncode, 2)

    def test_export_writes_the_same_tables(self):
        path = sorted(glob.glob(self.dumps + '/*/*.gsnap'))[0]
        p = command('export', path, '--format', 'parquet', '-o', folder + '/exported')
        self.assertEqual(p.returncode, 0, p.stderr)
        gpusnap.fleet.run(path, folder + '/run', jobs=1)
        self.assertEqual(rows(folder + '/exported'), rows(folder + '/run'))
        self.assertEqual(command('export', path, '--format', 'parquet', '-d', '0', '-o', folder + '/no').returncode, 2)

    def test_tables_in_the_folder_of_dumps_are_no_dumps(self):
        place = folder + '/nested'
        shutil.copytree(self.dumps, place)
        first = gpusnap.fleet.run(place, place + '/tables', jobs=2)
        again = gpusnap.fleet.run(place, place + '/tables', jobs=2)
        self.assertEqual((first['dumps'], again['dumps'], again['new']), (24, 24, 0))

    def test_an_object_store_is_read_and_written(self):
        try:
            from moto.server import ThreadedMotoServer
        except ImportError:
            self.skipTest('moto is not here')
        import logging
        import pyarrow.fs
        logging.getLogger('werkzeug').setLevel(logging.ERROR)
        server = ThreadedMotoServer(ip_address='127.0.0.1', port=0)
        with unittest.mock.patch('builtins.print'):
            server.start()
        before = dict(os.environ)
        try:
            port = server.get_host_and_port()[1]
            os.environ.update(AWS_ACCESS_KEY_ID='a', AWS_SECRET_ACCESS_KEY='b', AWS_DEFAULT_REGION='us-east-1', AWS_EC2_METADATA_DISABLED='true',
                              AWS_ENDPOINT_URL=f'http://127.0.0.1:{port}')
            fs, _ = pyarrow.fs.FileSystem.from_uri('s3://bucket?allow_bucket_creation=true')
            fs.create_dir('bucket')
            pyarrow.fs.copy_files(self.dumps + '/eval', 'bucket/dumps/eval', destination_filesystem=fs)
            for n in (3, 0):
                told = gpusnap.fleet.run('s3://bucket/dumps', 's3://bucket/out', jobs=1, batch=2, compact=False)
                self.assertEqual((told['dumps'], told['new']), (3, n))
            gpusnap.fleet.Fleet('s3://bucket/out').compact()
            here = folder + '/as-on-disk'
            gpusnap.fleet.run(self.dumps + '/eval', here, jobs=1, rule=lambda path: {'job': 'eval'})
            mine, theirs = ([{k: v for k, v in r.items() if k != 'path'} for r in gpusnap.fleet.ask(
                out, 'SELECT * FROM snapshot ORDER BY snapshot_id').to_pylist()] for out in (here, 's3://bucket/out'))
            self.assertEqual(mine, theirs)
        finally:
            server.stop()
            os.environ.clear()
            os.environ.update(before)

    def test_a_missing_package_is_named(self):
        p = subprocess.run([build + '/gpusnap', 'fleet', self.dumps, '-o', folder + '/none'], capture_output=True, text=True,
                           env={'PATH': '/usr/bin:/bin', 'PYTHONNOUSERSITE': '1'})
        if 'analyzed' in p.stderr:
            self.skipTest("the system's Python has pyarrow")
        self.assertEqual(p.returncode, 1)
        self.assertIn("pip install 'gpusnap[fleet]'", p.stderr)
        os.makedirs(folder + '/asked', exist_ok=True)
        with open(folder + '/asked/gpusnap-fleet.json', 'w') as f:
            f.write('{"format": 1, "schema_version": 1}')
        p = subprocess.run([build + '/gpusnap', 'query', folder + '/asked', 'capacity', '--json'], capture_output=True, text=True,
                           env={'PATH': '/usr/bin:/bin', 'PYTHONNOUSERSITE': '1'})
        self.assertEqual((p.returncode, p.stdout), (1, ''))
        self.assertIn('gpusnap[fleet]', json.loads(p.stderr)['error']['hint'])


class Words(unittest.TestCase):
    def test_a_cause_stays_when_lines_and_builds_move(self):
        a = cause.signature('fragmented', 'train.py:33 step', {'where': 'cache.py:12 keep', 'category': 'activation'})
        b = cause.signature('fragmented', 'train.py:99 step', {'where': 'cache.py:7 keep', 'category': 'activation'})
        self.assertEqual(a, b)
        self.assertEqual(a[1], 'fragmented of train.py step, held by cache.py keep (activation)')
        for other in (('shortage', 'train.py:33 step', 'cache.py:12 keep', 'activation'), ('fragmented', 'train.py:33 stop', 'cache.py:12 keep', 'activation'),
                      ('fragmented', 'train.py:33 step', 'cache.py:12 drop', 'activation'), ('fragmented', 'train.py:33 step', 'cache.py:12 keep', 'gradient')):
            self.assertNotEqual(cause.signature(other[0], other[1], {'where': other[2], 'category': other[3]})[0], a[0])
        self.assertEqual(cause.place('libx.so+0x1f3a run'), 'libx.so run')
        self.assertEqual(cause.place('c4fqwrtz5qb2lhx7dlk2s4y6ab.py:10 call'), '*.py call')
        self.assertEqual(cause.where('step (C:\\jobs\\train.py:33)'), 'train.py:33 step')
        self.assertEqual(cause.where('AddmmBackward0'), 'AddmmBackward0')

    def test_names_and_paths_tell_what_a_dump_belongs_to(self):
        self.assertEqual(context.of_name('oom-node-1.lab-812-r3-d0-20261130T041500Z-2.gsnap'), {
            'host': 'node-1.lab', 'pid': 812, 'rank': 3, 'time_us': 1796012100000000})
        self.assertEqual(context.of_path('pretrain/2026-11-30/rank3/x.gsnap'), {'job': 'pretrain', 'day': datetime.date(2026, 11, 30)})
        self.assertEqual(context.of_path('day=2026-11-30/job=a b/rank=4/x'), {'job': 'a b', 'day': datetime.date(2026, 11, 30), 'rank': 4})
        self.assertEqual(context.of_path('20261330/x'), {'job': '20261330'})
        self.assertEqual(context.of_path('x.gsnap'), {})
        self.assertEqual(context.Pattern('{job}/{day}/{host}-{rank}.gsnap')('/a/b/j/2026-11-30/n-1-12.gsnap'),
                         {'job': 'j', 'day': '2026-11-30', 'host': 'n-1', 'rank': '12'})
        self.assertRaises(ValueError, context.Pattern, '{nothing}')

    def test_globs_are_taken_below_their_folder(self):
        found = list(source.files([ROOT + '/tests/data/*/*.pickle']))
        self.assertTrue(found)
        self.assertIn('faults/pinned.pickle', [f['below'] for f in found])


def main():
    suite = unittest.TestSuite()
    for case in (Words, Few, Whole):
        for test in unittest.defaultTestLoader.loadTestsFromTestCase(case):
            if not asked.tests or any(word in test.id() for word in asked.tests):
                suite.addTest(test)
    try:
        result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(suite)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    bad = len(result.failures) + len(result.errors)
    for test, why in result.skipped:
        print(f'fleet: SKIPPED: {test}: {why}')
    print(f'fleet: {result.testsRun - bad - len(result.skipped)} passed, {bad} failed, {len(result.skipped)} skipped')
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main())
