#!/usr/bin/env python3
"""Where the functions of a C++ source begin and end, found by its braces.

Not a parser: it knows comments, literals, and what may stand before a brace at the level of namespaces and classes.
A lambda counts with the function that it stands in.
"""
import re

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/                                 # comments
      |R"(?P<raw>[^()\\\s]{0,16})\(.*?\)(?P=raw)"          # raw strings
      |"(?:\\.|[^"\\\n])*"                                 # strings
      |(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'                 # characters, but not the ' of 1'000
      |^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*                      # directives, with the lines that they go on over""",
    re.S | re.M | re.X)
_TYPE = re.compile(r"^(template\s*<.*>\s*)?(typedef\s+)?(class|struct|union|enum)\b[^()=]*(\balignas\s*\([^()]*\)[^()=]*)?$", re.S)
# What may stand between the parameters of a function and its body.
_BEFORE_BODY = re.compile(
    r"\)\s*((const|volatile|noexcept|override|final|mutable|try|&&?)\s*|noexcept\s*\([^()]*\)\s*|requires\b.*|->.*)*$", re.S)

_INITIALISER = re.compile(r"=\s*[\w:<>, ]*$|^[^()]*$")


def blank(text):
    """`text` with comments, literals and directives as spaces; lines stay where they are."""
    def spaces(match):
        kept = '""' if match.group(0)[0] in "\"'R" else ""
        newlines = match.group(0).count("\n")
        return kept + "\n" * newlines if newlines else kept + " "
    return _TOKEN.sub(spaces, text)


def _opens(before, inside_function):
    """What the brace after the text `before` opens."""
    if inside_function:
        return "inner"
    before = before.strip()
    if re.search(r"\bnamespace\b[^;{}()]*$", before) or re.search(r'\bextern\s*""$', before):
        return "scope"
    if _TYPE.match(before):
        return "scope"
    head, colon, initialisers = before.partition(") :")
    if colon and "=" not in head:  # a constructor's members: the body follows a complete initialiser
        return "function" if re.search(r"[)}]$", initialisers) else "member"
    if _BEFORE_BODY.search(before):
        return "function"
    return "inner"


def functions(text):
    """(first line, last line, the text before the body) of each function.

    A block that is neither a namespace, a class, an initialiser nor within a function is returned too: better one too
    many than one too few.
    """
    found = []
    stack = []  # (kind, first line, head) of each open brace
    head, head_line, line = "", 1, 1
    in_function = 0
    for character in blank(text):
        if character == "{":
            kind = _opens(head, in_function > 0)
            stack.append((kind, head_line, head))
            in_function += kind == "function"
            if kind in ("function", "scope"):
                head = ""
            elif not in_function:
                head += "{"
        elif character == "}" and stack:
            kind, first, before = stack.pop()
            in_function -= kind == "function"
            outermost = not in_function and all(other == "scope" for other, _, _ in stack)
            strange = kind == "inner" and outermost and not _INITIALISER.search(before)
            if outermost and kind == "function" or strange:
                found.append((first, line, " ".join(before.split())))
            head = head + "}" if kind in ("inner", "member") and not in_function and not strange else ""
        elif character == ";" and not in_function and all(kind == "scope" for kind, _, _ in stack):
            head = ""
        elif not in_function:
            if not head.strip() and not character.isspace():
                head, head_line = "", line
            head += character
            if head.strip() in ("public:", "private:", "protected:"):
                head = ""
        line += character == "\n"
    return found
