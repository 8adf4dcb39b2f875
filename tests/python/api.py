"""The analysis API on this interpreter, with nothing but the standard library: its answers are the command's, errors tell file and
reason, memory is given back. usage: api.py BUILD ROOT"""
import base64
import gc
import html
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock
import zipfile

build, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, root + '/tools/python')
os.environ['GPUSNAP_ANALYZER_LIBRARY'] = build + '/libgpusnap-analyzer.so.1'
DATA = root + '/tests/data/'
FAILED = DATA + 'diagnose/two_devices_one_failing.pickle.zst'
FILES = [FAILED, DATA + 'v1/small.gsnap', DATA + 'v1/worked.gsnap', DATA + 'diagnose/stranded_by_streams.pickle.zst',
         DATA + 'diagnose/fault_leak.pickle.zst']

import gpusnap  # noqa: E402


def command(*arguments):
    p = subprocess.run([build + '/gpusnap', *arguments], capture_output=True)
    assert p.returncode in (0, 10), p.stderr
    return p.stdout


def asked(*arguments):
    return json.loads(command(*arguments, '--json'))


class Answers(unittest.TestCase):
    """Right values are the command's, which has tests of its own."""

    def test_a_diagnosis_has_the_members_and_words_of_the_command(self):
        for file in FILES:
            with self.subTest(file), gpusnap.open(file) as s:
                self.assertEqual(dict(s.diagnose()), asked('diagnose', file))
                self.assertEqual(s.diagnose().verdict, asked('diagnose', file)['verdict'])
        self.assertIn('400 MiB asked for', str(gpusnap.open(FAILED).diagnose()).splitlines()[0])

    def test_tables_have_the_rows_and_columns_of_the_command(self):
        for file in FILES:
            with self.subTest(file), gpusnap.open(file) as s:
                for table, arguments in ((s.holders(), ['query', file, 'holders']), (s.categories(), ['query', file, 'categories']),
                                         (s.steps(), ['query', file, 'steps']), (s.peak(), ['query', file, 'peak']),
                                         (s.query('top stacks', by='function', state='captured'),
                                          ['query', file, 'top stacks', '--by', 'function', '--state', 'captured']),
                                         (s.query('select * from block'), ['query', file, 'select * from block']),
                                         (s.whatif(), ['whatif', file])):
                    wanted = asked(*arguments)
                    self.assertEqual(table.columns, wanted['columns'])
                    self.assertEqual(table.rows, wanted['rows'])
                    self.assertEqual(len(table), len(wanted['rows']))

    def test_whatif_passes_its_options_on(self):
        with gpusnap.open(FAILED) as s:
            got = s.whatif(['expandable_segments:True', 'max_split_size_mb:128'], capacity='2GiB')
            wanted = asked('whatif', FAILED, '--conf', 'expandable_segments:True', '--conf', 'max_split_size_mb:128', '--capacity', '2GiB')
            self.assertEqual((got.rows, got.summary), (wanted['rows'], wanted['summary']))

    def test_a_diff_is_the_commands_whether_by_path_or_by_snapshot(self):
        a, b = FILES[1], FILES[2]
        wanted = asked('diff', a, b)
        self.assertTrue(wanted['rows'])
        with gpusnap.open(a) as s, gpusnap.open(b) as t:
            for other in (b, t):
                self.assertEqual((s.diff(other).rows, s.diff(other).summary), (wanted['rows'], wanted['summary']))

    def test_info_is_the_commands(self):
        for file in FILES:
            self.assertEqual(gpusnap.open(file).info, asked('info', file)['rows'][0])

    def test_the_page_holds_the_snapshot_in_a_frame_that_reaches_nothing(self):
        empty = os.path.join(DATA, 'page/page.html')
        with unittest.mock.patch.dict(os.environ, GPUSNAP_PAGE=empty), tempfile.TemporaryDirectory() as folder:
            s = gpusnap.open(FILES[4])
            page = s.page(height=300)
            page.save(folder + '/page.html')
            with open(folder + '/page.html', 'rb') as f:
                self.assertEqual(f.read(), page.data)
            packed = re.search(rb'class="gpusnap-recording" data-name="([^"]*)">([^<]*)</script>', page.data)
            self.assertEqual(packed[1].decode(), os.path.basename(FILES[4]))
            again = gpusnap.open(base64.b64decode(packed[2]), name='again')
            self.assertEqual(again.holders().rows, s.holders().rows)
            frame = page._repr_html_()
            self.assertIn('sandbox="allow-scripts allow-downloads"', frame)
            self.assertEqual(html.unescape(re.search('srcdoc="([^"]*)"', frame)[1]), page.data.decode())
        with unittest.mock.patch.dict(os.environ, GPUSNAP_PAGE=__file__), self.assertRaises(gpusnap.Error):
            s.page()
        with unittest.mock.patch.dict(os.environ, GPUSNAP_PAGE='/nowhere.html'), self.assertRaisesRegex(gpusnap.Error, '/nowhere.html .* not there'):
            s.page()

    def test_pictures_and_the_report_are_the_commands_files(self):
        with tempfile.TemporaryDirectory() as folder, gpusnap.open(FAILED) as s:
            for what, form, arguments, got in (('map', 'png', [], s.map()), ('map', 'svg', ['--color', 'size'], s.map(form='svg', color='size')),
                                               ('plot', 'png', [], s.plot()), ('plot', 'svg', ['--by', 'size'], s.plot(form='svg', by='size'))):
                path = f'{folder}/{what}{len(arguments)}.{form}'
                command(what, FAILED, *arguments, '-o', path)
                with open(path, 'rb') as f:     # the ids of an SVG's patterns are its own, so that two may stand in one page
                    self.assertEqual(f.read().replace(b'picture-', what.encode() + b'-'), got.data, what + form)
            s.map().save(folder + '/saved.png')
            with open(folder + '/saved.png', 'rb') as f:
                self.assertEqual(f.read(), s.map().data)
            page = s.report(folder + '/report.html')
            with open(folder + '/report.html', encoding='utf-8') as f:
                self.assertEqual(f.read(), page)
            self.assertIn('400 MiB', page)
            self.assertEqual(sorted(os.listdir(folder)), ['map0.png', 'map2.svg', 'plot0.png', 'plot2.svg', 'report.html', 'saved.png'])

    def test_what_is_no_regular_file_is_written_through(self):
        with tempfile.TemporaryDirectory() as folder, gpusnap.open(FAILED) as s:
            picture, pipe, link = s.map(), folder + '/pipe', folder + '/link'
            os.mkfifo(pipe)
            got = []
            reader = threading.Thread(target=lambda: got.append(pathlib.Path(pipe).read_bytes()))
            reader.start()
            picture.save(pipe)
            reader.join()
            self.assertEqual(got, [picture.data])
            self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))
            os.symlink('real', link)
            for _ in range(2):
                picture.save(link)
            self.assertTrue(os.path.islink(link))
            self.assertEqual(pathlib.Path(folder, 'real').read_bytes(), picture.data)

    def test_bytes_read_as_their_file(self):
        for file in FILES:
            with open(file, 'rb') as f:
                data = f.read()
            for given in (data, bytearray(data), memoryview(data)):
                self.assertEqual(gpusnap.open(given).holders().rows, gpusnap.open(file).holders().rows)
        self.assertEqual(gpusnap.open(data, name='given').path, 'given')
        self.assertEqual(gpusnap.open(data, name='jobs/rank12/x.pickle').info['rank'], 12)     # as a path tells it

    def test_paths_and_bytes_come_in_many_kinds(self):
        import mmap
        import pathlib
        wanted = gpusnap.open(FAILED).holders().rows
        with open(FAILED, 'rb') as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            self.assertEqual(gpusnap.open(mapped).holders().rows, wanted)
        self.assertEqual(gpusnap.open(pathlib.Path(FAILED)).holders().rows, wanted)
        self.assertEqual(gpusnap.open(pathlib.Path(FAILED)).path, FAILED)
        with tempfile.TemporaryDirectory() as folder:
            odd = folder + '/ä\udc80 <b>.pickle'
            with open(FAILED, 'rb') as f, open(odd, 'wb') as g:
                g.write(f.read())
            s = gpusnap.open(odd)
            self.assertEqual((s.path, s.holders().rows), (odd, wanted))
            self.assertIn('ä? &lt;b&gt;.pickle', s._repr_html_().encode().decode())


EVENT = ['idx', 'action', 'address', 'size', 'stream', 'time_us', 'stack_id', 'tag']
BLOCK = ['segment', 'address', 'size', 'requested', 'state', 'category', 'stream', 'stack_id', 'tag', 'idx']


class Columns(unittest.TestCase):
    """The library's columns against SQL, which reads its own tables."""

    def test_events_are_those_of_sql(self):
        seen = 0
        for file in FILES:
            with gpusnap.open(file) as s:
                for device in s.devices:
                    wanted = asked('query', file, f'select {",".join(EVENT)} from event where device = {device} order by idx')['rows']
                    got = [{name: row[name] for name in EVENT} for row in s.events(device=device)]
                    self.assertEqual(got, wanted, file)
                    seen += len(got)
        self.assertGreater(seen, 100)

    def test_without_a_device_the_first_is_taken(self):
        with gpusnap.open(FAILED) as s:
            self.assertEqual(s.devices, [0, 1])
            self.assertEqual(s.events().rows, s.events(device=0).rows)
            self.assertNotEqual(s.events().rows, s.events(device=1).rows)

    def test_gauges_of_events_end_at_what_the_summary_tells(self):
        with gpusnap.open(FAILED) as s:
            last = s.events(device=1)[-1]
            self.assertEqual(max(s.events(device=1).column('allocated')), [r for r in s.peak() if r['device'] == 1][0]['allocated'])
            self.assertEqual(last['idx'], len(s.events(device=1)) - 1)

    def test_blocks_are_those_of_sql(self):
        for file in FILES:
            for state in ('captured', 'peak'):
                with gpusnap.open(file) as s:
                    device = s.devices[0]
                    select = f'select {",".join(BLOCK)} from block where device = {device}'
                    wanted = asked('query', file, select, '--state', state, '--device', str(device))['rows']
                    got = s.blocks(device=device, state=state).rows
                    by = lambda row: (row['address'], row['size'])  # noqa: E731
                    self.assertEqual(sorted(got, key=by), sorted(wanted, key=by), (file, state))

    def test_a_table_is_a_sequence_of_rows(self):
        t = gpusnap.open(FAILED).events(device=1)
        rows = t.rows
        self.assertEqual((t[0], t[-1], t[3:9:2], t[::-1][0], list(t)), (rows[0], rows[-1], rows[3:9:2], rows[-1], rows))
        self.assertRaises(IndexError, lambda: t[len(t)])
        self.assertRaises(KeyError, lambda: t.column('nothing'))

    def test_numbers_are_known_or_not_by_brute_force(self):
        import ctypes
        import random
        from gpusnap import arrow
        chance = random.Random(7)
        for kind, width in ((ctypes.c_uint32, 4), (ctypes.c_uint64, 8)):
            for n in (0, 1, 7, 8, 9, 64, 1001):
                values = [chance.choice((0, 0, 1, 256, 1 << 8 * width - 1)) for _ in range(n)]
                memory = (kind * max(n, 1))(*values)
                bitmap, nulls = arrow.known_ids(ctypes.addressof(memory), n, width)
                self.assertEqual([bitmap[i >> 3] >> (i & 7) & 1 for i in range(n)], [int(v != 0) for v in values])
                self.assertEqual(nulls, values.count(0))


class Errors(unittest.TestCase):
    def fails(self, kind, words, call):
        with self.assertRaises(kind) as caught:
            call()
        for word in words:
            self.assertIn(word, str(caught.exception))
        return caught.exception

    def test_what_cannot_be_read_is_named_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            missing, odd = folder + '/none.gsnap', folder + '/odd.gsnap'
            with open(odd, 'wb') as f:
                f.write(b'\x80\xff\xfe odd')
            self.fails(FileNotFoundError, [missing], lambda: gpusnap.open(missing))
            self.fails(IsADirectoryError, [folder], lambda: gpusnap.open(folder))
            self.fails(TypeError, ['a path or bytes, not int'], lambda: gpusnap.open(5))
            e = self.fails(gpusnap.Error, [odd], lambda: gpusnap.open(odd))
            self.assertEqual(e.path, odd)
            self.assertTrue(e.reason and odd not in e.reason)
            self.fails(gpusnap.Error, ['given'], lambda: gpusnap.open(b'\x80\xff\xfe odd', name='given'))
            self.fails(gpusnap.Error, [FAILED, 'holds 1'], lambda: gpusnap.open(FAILED, 3))
            with gpusnap.open(FAILED) as s:
                self.fails(FileNotFoundError, [folder + '/none/map.png'], lambda: s.map().save(folder + '/none/map.png'))
                self.fails(gpusnap.UsageError, ['colour', 'category', 'age'], lambda: s.plot(by='colour'))
                with unittest.mock.patch('gpusnap.tables._installed', lambda name: False):
                    self.fails(ImportError, ['pandas or polars'], lambda: s.holders().df())
        self.assertRaises(TypeError, lambda: gpusnap.open(7.5))

    def test_a_text_has_a_verdict_but_no_events(self):
        text = ('torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which '
                '1.00 GiB is free. Of the allocated memory 6.00 GiB is allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but '
                'unallocated.')
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + '/oom.txt', 'w') as f:
                f.write(text)
            wanted = asked('diagnose', folder + '/oom.txt')
        got = gpusnap.open(text.encode()).diagnose()
        self.assertEqual((got.verdict, got['requested'], got.advice), (wanted['verdict'], 2 << 30, wanted['advice']))
        self.assertEqual(gpusnap.open(text.encode()).events().rows, [])
        self.fails(gpusnap.UsageError, ['no device'], lambda: gpusnap.open(b'[]', name='nothing').events())

    def test_a_library_that_is_missing_or_lacks_functions_is_told(self):
        # under another name it is at no other place of this machine
        program = ('import sys; sys.path.insert(0, %r); from gpusnap import library; library.NAME = "libnowhere.so.1"; '
                   'library.load()' % (root + '/tools/python'))
        for wrong, said in (('/nowhere/none.so', '/nowhere/none.so'), (build + '/libgpusnap.so.1', 'undefined symbol')):
            p = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True,
                               env={**os.environ, 'GPUSNAP_ANALYZER_LIBRARY': wrong})
            self.assertEqual(p.returncode, 1)
            self.assertIn('set GPUSNAP_ANALYZER_LIBRARY', p.stderr)
            self.assertIn(said, p.stderr)

    def test_wrong_questions_are_usage_errors(self):
        with gpusnap.open(FAILED) as s:
            for words, call in (([FAILED, 'nonsense'], lambda: s.query('nonsense')), (['no such column'], lambda: s.query('select x from block')),
                                (['device 77'], lambda: s.events(device=77)), (['OOM number 99'], lambda: s.blocks(state='oom 99', device=1)),
                                (['sepia'], lambda: s.map(color='sepia')), (['bmp'], lambda: s.plot(form='bmp')),
                                (['age'], lambda: s.plot(by='age'))):
                self.fails(gpusnap.Error, words, call)
            self.assertRaises(ValueError, lambda: s.query('select 1\0'))
            self.assertEqual(s.query('select 1 as one').rows, [{'one': 1}])     # and it still answers

    def test_a_closed_snapshot_says_so_and_its_tables_live_on(self):
        s = gpusnap.open(FAILED)
        t, wanted = s.events(device=1), s.events(device=1).rows
        s.close()
        s.close()
        self.fails(ValueError, ['closed'], s.diagnose)
        self.fails(ValueError, ['closed'], lambda: s.events())
        del s
        gc.collect()
        self.assertEqual(t.rows, wanted)


class Machine(unittest.TestCase):
    def test_memory_is_given_back(self):
        from gpusnap import arrow

        def resident():
            gc.collect()
            with open('/proc/self/statm') as f:
                return int(f.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')

        def use():
            with gpusnap.open(FAILED) as s:
                s.events(device=1).__arrow_c_stream__()
                s.blocks()
            self.assertRaises(gpusnap.Error, lambda: gpusnap.open(b'\x80\xff odd'))
        for _ in range(100):
            use()
        before = resident()
        for _ in range(1000):
            use()
        self.assertLess(resident() - before, 3 << 20)     # a snapshot kept each time would be more than 30 MB
        self.assertEqual(arrow._kept, {})

    def test_threads_share_a_snapshot(self):
        import threading
        with gpusnap.open(FAILED) as s:
            wanted, got = s.holders().rows, []
            threads = [threading.Thread(target=lambda: got.append((s.holders().rows, s.diff(s).rows))) for _ in range(4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertEqual(got, [(wanted, [])] * 4)

    def test_importing_takes_neither_torch_nor_the_library(self):
        program = ('import sys; sys.path.insert(0, %r); import gpusnap; '
                   'assert not {"torch", "ctypes", "gpusnap.library", "pandas", "IPython"} & set(sys.modules), sorted(sys.modules); '
                   'gpusnap.open(%r).diagnose(); assert not {"torch", "numpy", "pyarrow", "gpusnap.native"} & set(sys.modules)'
                   % (root + '/tools/python', FAILED))
        p = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
        self.assertEqual((p.returncode, p.stderr), (0, ''))


class Notebook(unittest.TestCase):
    def test_hostile_names_are_inert(self):
        hostile = '<script>alert(1)</script>&"\'.pickle'
        with open(FAILED, 'rb') as f:
            s = gpusnap.open(f.read(), name=hostile)
        shown = s._repr_html_() + s.query("select '<img src=x onerror=alert(1)>' as \"<b>\"")._repr_html_() + s.holders()._repr_html_()
        self.assertIn('400 MiB asked for', shown)
        for bad in ('<script', '<img src=x', '<b>"', '<th><b>'):
            self.assertNotIn(bad, shown)
        self.assertEqual(shown.count('src="data:image/png;base64,iVBORw0KGgo'), 2)

    def test_the_magic_opens_a_file(self):
        class Shell:
            def register_magic_function(self, function, kind, name):
                self.registered = function, kind, name
        shell = Shell()
        gpusnap.load_ipython_extension(shell)
        function, kind, name = shell.registered
        self.assertEqual((kind, name), ('line', 'gpusnap'))
        self.assertEqual(function(f' {FAILED} ').path, FAILED)
        self.assertEqual(function(f'"{FAILED}"').path, FAILED)
        self.assertEqual(function(f'{FAILED} holders').rows, gpusnap.open(FAILED).holders().rows)
        self.assertEqual(function(f"'{FAILED}' select 1 as one").rows, [{'one': 1}])
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(FAILED, folder + '/two words')
            self.assertEqual(function(folder + '/two words').path, folder + '/two words')
        for usage in '', '--help', f'{FAILED} nosuchquery':
            self.assertRaises(gpusnap.UsageError, function, usage)
        self.assertRaises(FileNotFoundError, function, 'nowhere.pickle')

    def test_a_mistake_in_the_magic_is_one_line_of_ipython(self):
        class Shell:
            def register_magic_function(self, function, kind, name):
                self.magic = function
        shell, errors = Shell(), types.ModuleType('IPython.core.error')
        errors.UsageError = type('UsageError', (Exception,), {})
        with unittest.mock.patch.dict(sys.modules, {'IPython.core.error': errors}):
            gpusnap.load_ipython_extension(shell)
            for line, said in (('', 'usage: %gpusnap FILE'), ('nowhere.pickle', '^nowhere.pickle: No such file'),
                               (f'{FAILED} holderz', 'holders'), (DATA, '^' + re.escape(DATA) + ': Is a directory')):
                self.assertRaisesRegex(errors.UsageError, said, shell.magic, line)


class Run(unittest.TestCase):
    """python -m gpusnap run, before a program begins."""

    def said(self, *arguments):
        p = subprocess.run([sys.executable, '-m', 'gpusnap', *arguments], capture_output=True, text=True, env={**os.environ, 'PYTHONPATH': root + '/tools/python'})
        self.assertNotIn('Traceback', p.stderr)
        return p.returncode, p.stderr

    def test_what_cannot_be_run_is_said_in_a_line(self):
        self.assertEqual(self.said('run', '/nowhere.py'), (2, "gpusnap: run: can't open file '/nowhere.py': No such file or directory\n"))
        self.assertEqual(self.said('run', '-m', 'nowhere.at_all'), (2, 'gpusnap: run: No module named nowhere.at_all\n'))
        for wrong in ((), ('run',), ('run', '-m'), ('run', '--dir'), ('run', '--other', 'x.py'), ('walk', 'x.py')):
            status, text = self.said(*wrong)
            self.assertEqual((status, text.split('\n')[0]), (2, 'usage: python -m gpusnap run [--dir DIR] SCRIPT [ARGUMENT…]'), wrong)


class Prebuilt(unittest.TestCase):
    """Which glue of those that a wheel brings fits a PyTorch: one of a given version, without PyTorch itself."""

    def asked(self, version, cuda='12.4', abi=1, kinds=('2.6-abi0', '2.6-abi1', '2.10-abi1', '2.15-abi1'), program='p.library("torch_watch", folder)'):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(folder + '/torch')
            with open(folder + '/torch/__init__.py', 'w') as f:
                f.write('class version: cuda = %r\nclass _C: _GLIBCXX_USE_CXX11_ABI = %r\n__version__ = %r\n' % (cuda, bool(abi), version))
            if kinds is not None:
                with zipfile.ZipFile(folder + '/torch_prebuilt.zip', 'w') as z:
                    for kind in kinds:
                        z.writestr(kind + '/torch_watch.so', kind)
            text = ('import os, sys; sys.path[:0] = [%r, %r]; os.environ.update(GPUSNAP_LIBRARY=%r, PATH="/nowhere", CXX="", XDG_CACHE_HOME=%r)\n'
                    'import pathlib\nfrom gpusnap import torch_prebuilt as p\np.ARCHIVE = pathlib.Path(%r)\nfolder = %r\nfound = %s\n'
                    'print(open(found).read() if found and os.path.exists(str(found)) else found)'
                    % (folder, root + '/tools/python', build + '/libgpusnap.so.1', folder, folder + '/torch_prebuilt.zip', folder, program))
            done = subprocess.run([sys.executable, '-c', text], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            return done.stdout.strip()

    def test_a_release_takes_what_was_built_for_it(self):
        for version, abi, wanted in (('2.6.0+cu124', 0, '2.6-abi0'), ('2.6.0', 1, '2.6-abi1'), ('2.10.1+cu130', 1, '2.10-abi1'), ('2.15.3', 1, '2.15-abi1')):
            self.assertEqual(self.asked(version, abi=abi), wanted, version)

    def test_others_take_none(self):
        for version, more in (('2.16.0', {}), ('2.1.0', {}), ('2.6.0a0+ecf3bae', {}), ('2.15.0.dev20261101+cu132', {}), ('2.15.0+gitabc', {}),
                              ('2.15.0+rocm7.1', {'cuda': None}), ('2.15.0+cpu', {'cuda': None}), ('2.15.0', {'abi': 0}), ('2.15.0', {'kinds': None})):
            self.assertEqual(self.asked(version, **more), 'None', version)

    def test_what_is_brought_is_told_where_nothing_can_be_compiled(self):
        program = '(lambda b: b._brought())(__import__("gpusnap.torch_build", fromlist=["x"]))'
        self.assertEqual(self.asked('2.16.0', program=program),
                         '; gpusnap brings its hooks compiled for torch 2.6 to 2.15, and this is 2.16.0')
        self.assertEqual(self.asked('2.16.0', program=program, kinds=None), '')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
