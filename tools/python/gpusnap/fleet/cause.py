"""The cause of a failure as a key: jobs that died of the same have the same, on whatever host, rank and line."""
from __future__ import annotations

import hashlib
import re
from typing import Any, Dict, Optional, Tuple

_LINE = re.compile(r':\d+(?= |$)')
_OFFSET = re.compile(r'\+?0x[0-9a-fA-F]+')
_MADE = re.compile(r'(?<![A-Za-z0-9])(?=[a-z0-9]*\d)[a-z0-9]{16,}(?![A-Za-z0-9])')     # names that compilers of kernels make up


def place(where: Optional[str]) -> Optional[str]:
    """A place without what changes when code is edited or built again: 'train.py:33 step' → 'train.py step'."""
    return None if where is None else _MADE.sub('*', _OFFSET.sub('', _LINE.sub('', where)))


_FRAME = re.compile(r'(?P<name>.*) \((?P<file>.*?)(?::(?P<line>\d+))?\)', re.S)


def where(frame: Optional[str]) -> Optional[str]:
    """'step (/home/me/train.py:33)', as user_frame has it, the way people read it: 'train.py:33 step'."""
    found = _FRAME.fullmatch(frame or '')
    if not found:
        return frame or None
    file = re.split(r'[/\\]', found['file'])[-1]
    return f"{file}{':' + found['line'] if found['line'] else ''} {found['name']}".strip()


def signature(verdict: Optional[str], request: Optional[str], holder: Dict[str, Any]) -> Tuple[Optional[str], Optional[str]]:
    """The key and the words of a cause; None, None where nothing failed."""
    if verdict is None:
        return None, None
    asked, held, category = place(request), place(holder.get('where')), holder.get('category')
    parts = [verdict, asked or '-', held or '-', category or '-']
    key = hashlib.sha256('\0'.join(parts).encode('utf-8', 'replace')).hexdigest()[:16]
    words = verdict + (f' of {asked}' if asked else '') + (f', held by {held}' if held else '')
    return key, words + (f' ({category})' if held and category not in (None, 'unknown') else '')
