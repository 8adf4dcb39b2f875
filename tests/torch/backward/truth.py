"""Runs a program under gpusnap and tags the memory of its backward pass with what Python alone knows of it: each node of autograd gets
hooks when it is made, which say its name and the line of the program that made it.

usage: truth.py attach|use DUMP SCRIPT ARGUMENT…      writes DUMP when the script has ended
A tag is "NODE|FUNCTION (FILE:LINE)"; what adds up gradients was made by no line: "AccumulateGrad|"."""
import os
import runpy
import sys
import threading

import gpusnap.native
import gpusnap.torch

how, dump = sys.argv[1:3]
gpusnap.native.lib.gpusnap_hide_python(os.path.dirname(__file__).encode())     # the program is watched, not this file
gpusnap.torch.attach(max_entries=400000) if how == 'attach' else gpusnap.torch.use(events=400000, stacks='python')

import torch
from torch.overrides import TorchFunctionMode

library = os.path.dirname(torch.__file__)
thread = threading.local()


def begins(what):
    """The tag of what ran before on this thread gives way: gradients are added up after a node's own hooks."""
    def hook(*_):
        if getattr(thread, 'tagged', False):
            gpusnap.native.lib.gpusnap_pop_tag()
        gpusnap.native.check(gpusnap.native.lib.gpusnap_push_tag(what.encode()))
        thread.tagged = True
    return hook


def line():
    """The innermost frame outside PyTorch and this file."""
    f = sys._getframe()
    while f and (f.f_code.co_filename.startswith(library) or f.f_code.co_filename == __file__):
        f = f.f_back
    return f'{f.f_code.co_name} ({f.f_code.co_filename}:{f.f_lineno})'


def tensors(of):
    if isinstance(of, torch.Tensor):
        yield of
    elif isinstance(of, (tuple, list)):
        for one in of:
            yield from tensors(one)


def mark(node, first, where):
    """The nodes that a call made: those numbered from first on."""
    if node is None or node._sequence_nr() < first or 'marked' in node.metadata:
        return
    node.metadata['marked'] = True
    name = node.name().rsplit('::', 1)[-1]
    node.register_prehook(begins(f'{name}|{where if name != "AccumulateGrad" else ""}'))
    for after, _ in node.next_functions:
        mark(after, first, where)


def watched(call):
    first = torch._C._autograd._get_sequence_nr()
    result = call()
    if torch.is_grad_enabled() and torch._C._autograd._get_sequence_nr() > first:
        where = line()
        for t in tensors(result):
            mark(t.grad_fn, first, where)
    return result


class Watching(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return watched(lambda: function(*args, **(kwargs or {})))


theirs = next(k.__dict__['apply'] for k in torch.autograd.Function.__mro__ if 'apply' in k.__dict__)
torch.autograd.Function.apply = classmethod(lambda c, *args, **named: watched(lambda: theirs.__get__(None, c)(*args, **named)))

sys.argv = sys.argv[3:]
with Watching():
    runpy.run_path(sys.argv[0], run_name='__main__')
gpusnap.torch.dump(path=dump)
