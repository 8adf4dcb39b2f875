"""A small recording of no real program, as PyTorch pickles one: two hundred steps that take memory and give it back, and a request that fails. The page
reads it before there is a file, so that the browser has made its better code of what every file needs (README.md)."""
import pickle

MIB, STEPS, SEGMENTS = 1 << 20, 200, 4
PARAMETER, EACH, REQUEST = 2 * MIB, 3 * MIB, 30 * MIB


def _frame(name, file, line):
    return {"name": name, "filename": file, "line": line}


def recording():
    library = [_frame("gpusnap::practice", "??", 0), _frame("_PyEval_EvalFrameDefault", "??", 0)] + [
        _frame("forward", f"/practice/site-packages/torch/nn/modules/layer{i}.py", 100 + i) for i in range(6)]
    stacks = [library + [_frame(f"layer_{i}", f"/practice/model_{i % 5}.py", 10 + i), _frame("step", "/practice/train.py", 40)] for i in range(20)]
    init = library + [_frame("init", "/practice/train.py", 9)]
    trace, bases = [], [0x7F0000000000 + i * 64 * MIB for i in range(SEGMENTS)]

    def event(action, addr, size, frames, **more):
        trace.append({"action": action, "addr": addr, "size": size, "stream": 0, "time_us": 1_700_000_000_000_000 + 7 * len(trace),
                      "compile_context": "N/A", "user_metadata": "", "frames": list(frames), **more})

    for base in bases:
        event("segment_alloc", base, 20 * MIB, init)
        event("alloc", base, PARAMETER, init)
    for step in range(STEPS):
        taken = [(base + PARAMETER + k * EACH, EACH - 100 * (step % 3), stacks[(5 * i + 3 * k) % 20]) for i, base in enumerate(bases) for k in range(3)]
        for block in taken:
            event("alloc", *block)
        for block in reversed(taken):
            event("free_requested", *block)
            event("free_completed", *block)
    event("oom", 0, REQUEST, stacks[0], device_free=4 * MIB)

    def segment(base):
        blocks = [{"address": base, "size": PARAMETER, "requested_size": PARAMETER, "state": "active_allocated", "frames": init},
                  {"address": base + PARAMETER, "size": 18 * MIB, "requested_size": 0, "state": "inactive", "frames": []}]
        return {"device": 0, "address": base, "total_size": 20 * MIB, "allocated_size": PARAMETER, "active_size": PARAMETER, "requested_size": PARAMETER,
                "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False, "frames": init, "blocks": blocks}

    return pickle.dumps({"segments": [segment(base) for base in bases], "device_traces": [trace], "external_annotations": [],
                         "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "expandable_segments": False}}, protocol=4)
