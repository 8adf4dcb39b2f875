"""The PyTorch under test and the pretend CUDA for it."""
import os
import subprocess


def prepare(python, build):
    """(release, path of the pretend CUDA), which is built when it is not there, or older than its sources."""
    here = os.path.dirname(os.path.abspath(__file__))
    found = subprocess.run([python, '-c', 'import torch, os; print(torch.__version__); print(os.path.dirname(os.path.dirname(torch.__file__)))'],
                           capture_output=True, text=True, check=True).stdout.split()
    fake = f'{build}/pretend-{found[0]}.so'
    sources = max(os.path.getmtime(f'{here}/pretend-cuda/{name}') for name in os.listdir(f'{here}/pretend-cuda'))
    if not os.path.exists(fake) or os.path.getmtime(fake) < sources:
        subprocess.run(['bash', here + '/pretend-cuda/build.sh', found[1], fake], check=True, stdout=subprocess.DEVNULL)
    return found[0], fake
