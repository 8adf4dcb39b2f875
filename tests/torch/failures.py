#!/usr/bin/env python3
"""Failures made on purpose, a case each: a real PyTorch on the pretend CUDA runs out of memory; the snapshot is taken by its observer.
usage: LD_PRELOAD=fake.so FAKE_CUDA_MIB=1024 failures.py CASE OUT.pickle [--free ADDRESS,...]   -> one JSON line
--free: give those tensors back right before the request that failed (the proof of an eviction). CASES at the end."""
import json, pickle, sys
import torch

MIB = 1 << 20
live, free_before = [], set()
seen = {}


def take(mib, device=0, stream=None):
    with torch.cuda.stream(stream or torch.cuda.current_stream(device)):
        t = torch.empty(int(mib * MIB), dtype=torch.uint8, device=f"cuda:{device}")
    live.append(t)
    return t


def drop(*tensors):
    for t in tensors:
        live[:] = [o for o in live if o is not t]


def request(mib, device=0, stream=None):
    """the request that fails"""
    victims = [t for t in live if t.data_ptr() in free_before]
    seen["evicted"] = len(victims)
    drop(*victims)
    victims.clear()
    take(mib, device, stream)


def observer(device, asked, device_total, device_free):
    seen.update(device=device, needed=asked, device_free=device_free, failures=seen.get("failures", 0) + 1)
    with open(sys.argv[2], "wb") as f:
        pickle.dump(torch.cuda.memory._snapshot(), f)


def pinned_segments(n, mib, keep=10, device=0, middle=lambda: 0):
    """n segments of mib, a survivor in each; middle() is called after each survivor and tells what it took"""
    fillers = []
    for _ in range(n):
        whole = take(mib, device)
        drop(whole)
        del whole
        take(keep, device)
        fillers.append(take(mib - keep - middle(), device))
    drop(*fillers)


def carved(mib, *pieces):
    """one segment of mib with these pieces carved out of it, the rest free"""
    whole = take(mib)
    drop(whole)
    del whole
    return [take(p) for p in pieces]


def segment_size():
    take(1010)
    request(3)


def capture_beside_hole():
    """a hole of the default pool, on the very stream of the capture, cannot serve the captured graph"""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        carved(600, 20)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        request(500, stream=stream)


def page():
    """expandable segments: 12 MiB are left and 11 missing, but a page is 20"""
    torch.cuda.memory._set_allocator_settings("expandable_segments:True")
    for _ in range(12):
        take(1)
    for _ in range(99):
        take(10)
    take(5)
    request(16)


def keep_log():
    take(12)
    return 12


def fragmented_and_leaking():
    pinned_segments(10, 100, 10, 0, keep_log)
    request(150)


def two_streams_and_fraction():
    torch.cuda.set_per_process_memory_fraction(0.5)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        carved(300, 20)
    request(250)


def two_devices_one_failing():
    take(300, device=0)
    pinned_segments(9, 110, 20, device=1)
    carved(100, 50, 40)
    request(400, device=1)


def waits_in_capture():
    """inside a capture a block used by another stream stays pending until the capture ends"""
    stream, side = torch.cuda.Stream(), torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        t = take(600, stream=stream)
        side.wait_stream(stream)
        t.record_stream(side)
        drop(t)
        del t
        try:
            request(500, stream=stream)
        finally:
            stream.wait_stream(side)


def stranded_by_streams():
    """free memory enough in all: a part for each of three streams, none of it large enough"""
    streams = [torch.cuda.default_stream(), torch.cuda.Stream(), torch.cuda.Stream()]
    for s in streams:
        with torch.cuda.stream(s):
            pinned_segments(2, 160, 30)
    request(330)


def uncut_blocks():
    """from max_split_size_mb on blocks are not cut: each of these gives away 16 MiB"""
    torch.cuda.memory._set_allocator_settings("max_split_size_mb:100")
    for _ in range(8):
        whole = take(120)
        drop(whole)
        del whole
        take(104)
    request(90)


def rounding_is_not_enough():
    for _ in range(84):
        take(11)
    request(300)


def caught_and_retried():
    """a first failure is caught; the second, of another kind, is the one to explain"""
    try:
        take(2000)
    except torch.OutOfMemoryError:
        pass
    pinned_segments(9, 100)
    request(220)


def mempool_holds_it():
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        whole = take(540)
        drop(whole)
        del whole
        take(20)
    request(510)
    del pool


def small_request():
    take(1023)
    request(0.4)


def other_stream():
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        carved(800, 20)
    request(300)


def small_pool():
    """each segment of the small pool is held by one small tensor"""
    for _ in range(900):
        take(1)
    drop(*live[::2])
    request(300)


def hole_in_the_middle():
    """one segment with live blocks of different sizes: the cheapest run is not the one with the fewest blocks"""
    carved(900, *[20, 100, 30, 10, 60, 15, 120, 25, 80, 40])
    drop(live[1], live[4], live[6], live[8])
    take(400)
    request(250)


CASES = [segment_size, capture_beside_hole, page, fragmented_and_leaking, two_streams_and_fraction, two_devices_one_failing, waits_in_capture,
         stranded_by_streams, uncut_blocks, rounding_is_not_enough, caught_and_retried, mempool_holds_it, small_request,
         other_stream, small_pool, hole_in_the_middle]


def main():
    case = {c.__name__: c for c in CASES}[sys.argv[1]]
    if len(sys.argv) > 4 and sys.argv[3] == "--free":
        free_before.update(int(a, 0) for a in sys.argv[4].split(","))
    torch.cuda.init()
    torch.cuda.memory._record_memory_history(max_entries=100000, stacks="python")
    torch._C._cuda_attach_out_of_memory_observer(observer)
    failed = False
    try:
        case()
    except torch.OutOfMemoryError as e:
        failed = str(e)
    except RuntimeError as e:  # a capture that ends badly says so after the failure
        failed = failed or str(e.__context__ or e)
    print(json.dumps({"case": sys.argv[1], "torch": torch.__version__, "failed": failed, **seen}))


if __name__ == "__main__":
    main()
