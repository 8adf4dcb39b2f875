"""The PyTorch under test and the pretend CUDA for it."""
import os
import subprocess


def prepare(python, build):
    """(release, path of the pretend CUDA), which is built when it is not there."""
    here = os.path.dirname(os.path.abspath(__file__))
    found = subprocess.run([python, '-c', 'import torch, os; print(torch.__version__); print(os.path.dirname(os.path.dirname(torch.__file__)))'],
                           capture_output=True, text=True, check=True).stdout.split()
    fake = f'{build}/pretend-{found[0]}.so'
    if not os.path.exists(fake):
        subprocess.run(['bash', here + '/pretend-cuda/build.sh', found[1], fake], check=True, stdout=subprocess.DEVNULL)
    return found[0], fake
