"""python -m gpusnap.fleet: what the commands `gpusnap fleet` and `gpusnap query OUT NAME` start."""
import sys

from .command import main

sys.exit(main(sys.argv[1:]))
