"""A program without PyTorch whose library asks CUDA for memory until there is none. usage: alone.py LIBRARY"""
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])


def communicate(mib):
    return library.grabs_take(ctypes.c_ulong(mib << 20))


while communicate(192) == 0:
    pass
