#!/usr/bin/env python3
"""Wraps paragraphs and list items of Markdown files that have a line of more than 120 columns.

usage: tests/tidy/wrap_markdown.py FILE ...

Code, tables, headings and comments stay as they are.
"""
import re
import sys

COLUMNS = 120
ITEM = re.compile(r"(\s*)([-*+]|\d+\.)(\s+)")
FIXED = re.compile(r"\s*(\||#|<!--|```|!\[)")
MARKUP = re.compile(r"([>|]|([-+*]|#+|\d+[.)])$)")  # what must not begin a line


def filled(words, first, later):
    """Lines of at most COLUMNS that a reader of Markdown takes for one paragraph."""
    lines, line = [], first + words[0]
    for i, word in enumerate(words[1:], 1):
        following = words[i + 1] if i + 1 < len(words) else ""
        must_stay = MARKUP.match(word) is not None
        room = COLUMNS - (len(following) + 1 if MARKUP.match(following) else 0)
        if len(line) + 1 + len(word) > room and not must_stay:
            lines.append(line)
            line = later + word
        else:
            line += " " + word
    return lines + [line]


def wrapped(block):
    """A run of lines without blank ones between them, paragraph by paragraph."""
    out, paragraph = [], []

    def end():
        if not paragraph:
            return
        if max(map(len, paragraph)) <= COLUMNS:
            out.extend(paragraph)
        else:
            item = ITEM.match(paragraph[0])
            indent = re.match(r"\s*", paragraph[0]).group()
            first = item.group() if item else indent
            words = " ".join([paragraph[0][len(first):], *paragraph[1:]]).split()
            out.extend(filled(words, first, " " * len(first)))
        paragraph.clear()

    for line in block:
        if FIXED.match(line):
            end()
            out.append(line)
            continue
        if ITEM.match(line):
            end()
        paragraph.append(line)
        if line.endswith("  "):  # a line break that is meant
            end()
    end()
    return out


def wrap(text):
    out, block, code, in_list = [], [], False, False

    def end():
        out.extend(wrapped(block))
        block.clear()

    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            end()
            code = not code
            out.append(line)
        elif code:
            out.append(line)
        elif not line.strip():
            end()
            out.append(line)
        elif line.startswith("    ") and not block and not in_list:
            out.append(line)
        else:
            in_list = bool(ITEM.match(line)) or (in_list and line.startswith(" "))
            block.append(line)
    end()
    return "\n".join(out)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            before = file.read()
        after = wrap(before)
        if after != before:
            with open(name, "w", encoding="utf-8") as file:
                file.write(after)
